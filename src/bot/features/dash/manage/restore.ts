import { z } from 'zod';
import type { RpcError } from '../../../../contract/errors.ts';
import { discardFace } from '../../../dispatch/answers/receipts.ts';
import { type Button, defineButton, intentButton, pressable } from '../../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField } from '../../../dispatch/forms/modal.ts';
import { defineIntent, type ReceiptContext } from '../../../incident/acts/intent-kind.ts';
import { actions, code, section, sentence, toMrkdwn, type Words } from '../../../text/blocks.ts';
import { signs } from '../../../text/signs.ts';
import { getDashboard } from '../link/find.ts';
import { dashboardLane } from './lane.ts';
import { findFolderProblem } from './save-fields.ts';
import { inTrash, Moved, nameOf, shownName, Target } from './trash-target.ts';

/** The uid that names the root level in a request (docs/api-rules.md C5). */
const general = 'general';

/** A dashboard in the trash, and the folder into which it comes back: `""` is the one that it was in. */
const Restored = Target.extend({ folderUid: z.string().default('') });
type Restored = z.output<typeof Restored>;

/** Takes a dashboard out of the trash. */
export const restoreDashboard = defineIntent({
  kind: 'dash.restore',
  lane: dashboardLane,
  payload: Restored as z.ZodType<Restored>,
  result: Moved,
  run: async ({ api, call }, { uid, folderUid }) =>
    Moved.parse(await inTrash(api.Dashboards.restore({ uid, folderUid }, call))),
  reconcile: async ({ api, call }, { uid }) => {
    const found = await getDashboard(api, uid, call);
    return found && { title: found.dashboard.title, message: '' };
  },
  describe: target => `restore the dashboard ${nameOf(target)}`,
  answer: {
    choices: restoreChoices,
    receipt: ({ title }, { uid, folderUid }) =>
      sentence(`${signs.undone} The dashboard ${shownName({ uid, title })} is back${inFolder(folderUid)}.`),
  },
});

function inFolder(uid: string): string {
  if (uid === '') return '';
  return uid === general ? ' in General' : ` in the folder ${code(uid, 60)}`;
}

const generalButton = intentButton(restoreDashboard, { id: 'dash.restore', label: 'Restore into General' });

const folderButton = defineButton({
  id: 'dash.restore-folder',
  label: 'Choose a folder',
  value: Target,
  run: (ctx, { value }) => ctx.openForm(restoreForm, value, {}),
});

/** The buttons that restore a dashboard into another folder. */
export const restoreButtons: readonly Button[] = [generalButton, folderButton] as Button[];

/** The form that asks into which folder a dashboard comes back. */
export const restoreForm = defineModal({
  id: 'dash.restore',
  state: Target,
  view: (target, filled) => ({
    title: 'Choose a folder',
    submit: 'Restore',
    blocks: [
      section(`The dashboard ${shownName(target)} comes back into this folder.`),
      textField(
        { id: 'folder', label: 'Folder (its uid)', hint: 'It is in the folder’s address: /dashboards/f/<uid>/….' },
        filled,
      ),
    ],
  }),
  check: filled => {
    const folderUid = fieldValue(filled, 'folder').trim();
    const problem = folderUid === '' ? 'Give the uid of a folder.' : findFolderProblem(folderUid);
    return problem ? { problems: { folder: problem } } : { value: { folderUid } };
  },
  submit: async (ctx, { folderUid }, target) => {
    await ctx.carryOut(restoreDashboard, { ...target, folderUid });
  },
});

/**
 * What a person may choose when a dashboard cannot come back into its folder, or into the one that they named: the folder is gone, or
 * another dashboard of that title is in it. Undefined for every other failure.
 */
async function restoreChoices(
  _ctx: ReceiptContext,
  { id, error }: { readonly id: string; readonly error: RpcError },
  { uid, title, folderUid }: Restored,
): Promise<Words | undefined> {
  const target = { uid, title };
  const says = findObstacle(error, target, folderUid);
  if (says === undefined) return undefined;
  const text = `${signs.warning} ${says} Nothing was changed.`;
  const cancel = pressable(discardFace, { intent: id }, { label: 'Cancel' });
  const row = [
    ...(folderUid === general ? [] : [pressable(generalButton, { ...target, folderUid: general })]),
    pressable(folderButton, target),
    cancel,
  ];
  return { text, blocks: [section(text), actions(row)] };
}

function findObstacle({ code: kind, message }: RpcError, target: Target, folderUid: string): string | undefined {
  const quoted = `“${toMrkdwn(message, 200)}”`;
  if (kind === 'failed_precondition') return `The dashboard ${shownName(target)} cannot come back there: ${quoted}.`;
  if (kind !== 'invalid_argument' || !/folder/i.test(message)) return undefined;
  return folderUid === ''
    ? `The folder that the dashboard ${shownName(target)} was in is gone (${quoted}).`
    : `There is no folder with the uid “${toMrkdwn(folderUid, 60)}” (${quoted}).`;
}
