import { isInTrash } from '../../../../contract/dashboards.ts';
import { RpcError } from '../../../../contract/errors.ts';
import { type Button, intentButton, pressable } from '../../../dispatch/feature/feature.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../../incident/acts/intent-kind.ts';
import { confirmLoss, sentence } from '../../../text/blocks.ts';
import { signs } from '../../../text/signs.ts';
import { getDashboard } from '../link/find.ts';
import { dashboardLane } from './lane.ts';
import { restoreDashboard } from './restore.ts';
import { inTrash, Moved, nameOf, shownName, Target } from './trash-target.ts';

async function isThere({ api, call }: IntentContext, uid: string): Promise<boolean> {
  return (await getDashboard(api, uid, call)) !== undefined;
}

/** Deletes a dashboard: into the trash where there is one. */
export const deleteDashboard = defineIntent({
  kind: 'dash.delete',
  lane: dashboardLane,
  payload: Target,
  result: Moved,
  run: async ({ api, call }, { uid }) => Moved.parse(await api.Dashboards.delete({ uid }, call)),
  // Whether it is in the trash went with the answer that was lost.
  reconcile: async (context, { uid, title }) => ((await isThere(context, uid)) ? undefined : { title, message: '' }),
  describe: target => `delete the dashboard ${nameOf(target)}`,
  undo: (moved, target): Undo | undefined =>
    isInTrash(moved)
      ? toUndo(
          restoreDashboard,
          { ...target, folderUid: '' },
          { afterwards: `\`/dash restore ${target.uid}\` takes it out of the trash.` },
        )
      : undefined,
  answer: {
    receipt: (moved, target) =>
      sentence(
        isInTrash(moved)
          ? `${signs.removed} The dashboard ${shownName(target)} is in the trash. \`/dash restore ${target.uid}\` takes it out again.`
          : `${signs.removed} The dashboard ${shownName(target)} is deleted. If the server keeps a trash, \`/dash restore ${target.uid}\` takes it out again.`,
      ),
  },
});

/** Deletes a dashboard in the trash for good. */
export const purgeDashboard = defineIntent({
  kind: 'dash.purge',
  lane: dashboardLane,
  payload: Target,
  result: Moved,
  run: async ({ api, call }, { uid }) => Moved.parse(await inTrash(api.Dashboards.hardDelete({ uid }, call))),
  // Nobody can look into the trash. Asked again, the API tells what is gone by `not_found`.
  reconcile: async ({ api, call }, { uid, title }) => {
    try {
      return Moved.parse(await api.Dashboards.hardDelete({ uid }, call));
    } catch (error) {
      if (error instanceof RpcError && error.code === 'not_found') return { title, message: '' };
      throw error;
    }
  },
  describe: target => `delete the dashboard ${nameOf(target)} for good`,
  answer: {
    receipt: ({ title }, { uid }) =>
      sentence(`${signs.removed} The dashboard ${shownName({ uid, title })} is deleted for good.`),
  },
});

const deleteButton = intentButton(deleteDashboard, { id: 'dash.delete', label: 'Delete', style: 'danger' });
const purgeButton = intentButton(purgeDashboard, { id: 'dash.purge', label: 'Delete for good', style: 'danger' });

/** The button that deletes a dashboard, after a question. */
export function deletePress(target: Target, label = deleteButton.label) {
  const text = `${target.title} goes to the trash, where the server has one.`;
  const confirm = confirmLoss('Delete this dashboard?', text, 'Delete');
  return { ...pressable(deleteButton, target, { label }), confirm };
}

/** The button that deletes a dashboard in the trash, after a question. */
export function purgePress(target: Target) {
  const text = 'Nobody can bring it back, nor its versions.';
  return { ...pressable(purgeButton, target), confirm: confirmLoss('Delete it for good?', text, 'Delete for good') };
}

/** The buttons that delete dashboards. */
export const trashButtons: readonly Button[] = [deleteButton, purgeButton] as Button[];
