import { z } from 'zod';
import { Dashboards, isInTrash } from '../../../contract/dashboards.ts';
import { RpcError } from '../../../contract/errors.ts';
import { discardFace } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, intentButton, pressable } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import {
  defineIntent,
  type IntentContext,
  type ReceiptContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { actions, code, confirmLoss, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cap } from '../../text/words.ts';
import { readDashboardAddress } from './address.ts';
import { findTyped, getDashboard } from './find.ts';
import { dashboardLane, findFolderProblem } from './save.ts';

/** A dashboard by its uid; `title` is its name, `""` where it is not known. */
const Target = z.object({ uid: z.string(), title: z.string() });
type Target = z.output<typeof Target>;

/** The API's answer about a dashboard that it moved or removed. */
const TrashResult = Dashboards.delete.output.pick({ title: true, message: true });

/** The longest title that is shown, and that travels with a button, in characters. */
const maxTitle = 150;

/** The name of a dashboard for people, as mrkdwn. */
function shownName({ uid, title }: Target): string {
  return title === '' ? code(uid, 60) : `*${toMrkdwn(title, maxTitle)}*`;
}

/** Waits for an act on the trash, where `not_found` means that the trash has no such dashboard. */
async function inTrash<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'not_found') throw error;
    const words = 'no dashboard of that uid is in the trash, or this server has no trash';
    throw new RpcError('not_found', words, { maybeApplied: error.maybeApplied, cause: error });
  }
}

/** Deletes a dashboard: into the trash where there is one. */
export const deleteDashboard = defineIntent({
  kind: 'dash.delete',
  lane: dashboardLane,
  payload: Target,
  result: TrashResult,
  run: async ({ api, call }, { uid }) => TrashResult.parse(await api.Dashboards.delete({ uid }, call)),
  // Whether it is in the trash went with the answer that was lost.
  reconcile: async ({ api, call }: IntentContext, { uid, title }) =>
    (await getDashboard(api, uid, call)) ? undefined : { title, message: '' },
  did: (target, { result }) => {
    const what = `the dashboard ${shownName(target)}`;
    const back = `\`/dash restore ${target.uid}\` takes it out again.`;
    return result && isInTrash(result)
      ? { sign: signs.removed, verb: 'move', what: `${what} to the trash`, more: back, room: [] }
      : { sign: signs.removed, verb: 'delete', what, more: `If the server keeps a trash, ${back}`, room: [] };
  },
  undo: (moved, target): Undo | undefined =>
    isInTrash(moved)
      ? toUndo(
          restoreDashboard,
          { ...target, folderUid: '' },
          { afterwards: `\`/dash restore ${target.uid}\` takes it out of the trash.` },
        )
      : undefined,
});

/** Deletes a dashboard in the trash for good. */
export const purgeDashboard = defineIntent({
  kind: 'dash.purge',
  lane: dashboardLane,
  payload: Target,
  result: TrashResult,
  run: async ({ api, call }, { uid }) => TrashResult.parse(await inTrash(api.Dashboards.hardDelete({ uid }, call))),
  // The trash cannot be read. Asked again, the API answers `not_found` for a dashboard that is gone.
  reconcile: async ({ api, call }, { uid, title }) => {
    try {
      return TrashResult.parse(await api.Dashboards.hardDelete({ uid }, call));
    } catch (error) {
      if (error instanceof RpcError && error.code === 'not_found') return { title, message: '' };
      throw error;
    }
  },
  did: ({ uid, title }, { result }) => ({
    ...{ sign: signs.removed, verb: 'delete', room: [] },
    what: `the dashboard ${shownName({ uid, title: result?.title ?? title })} for good`,
  }),
});

/** The uid that names the root level in a request (docs/api-rules.md C5). */
const general = 'general';

/** A dashboard in the trash, and the folder into which it comes back: `""` is the one that it was in. */
const Restoration = Target.extend({ folderUid: z.string().default('') });
type Restoration = z.output<typeof Restoration>;

/** Takes a dashboard out of the trash. */
export const restoreDashboard = defineIntent({
  kind: 'dash.restore',
  lane: dashboardLane,
  payload: Restoration as z.ZodType<Restoration>,
  result: TrashResult,
  run: async ({ api, call }, { uid, folderUid }) =>
    TrashResult.parse(await inTrash(api.Dashboards.restore({ uid, folderUid }, call))),
  reconcile: async ({ api, call }, { uid }) => {
    const found = await getDashboard(api, uid, call);
    return found && { title: found.dashboard.title, message: '' };
  },
  did: ({ uid, title, folderUid }, { result }) => {
    const folder = folderUid === general ? ' in General' : folderUid && ` in the folder ${code(folderUid, 60)}`;
    return {
      ...{ sign: signs.undone, verb: 'restore', room: [] },
      what: `the dashboard ${shownName({ uid, title: result?.title ?? title })}${folder}`,
    };
  },
  choices: restoreChoices,
});

/**
 * The choices of a person when a dashboard cannot come back into its folder, or into the one that they named: the folder is gone, or
 * another dashboard of that title is in it. Undefined for every other failure.
 */
async function restoreChoices(
  _ctx: ReceiptContext,
  { id, error }: { readonly id: string; readonly error: RpcError },
  { uid, title, folderUid }: Restoration,
): Promise<Words | undefined> {
  const target = { uid, title };
  const says = findObstacle(error, target, folderUid);
  if (says === undefined) return undefined;
  const text = `${signs.warning} ${says} Nothing was changed.`;
  const row = [
    ...(folderUid === general ? [] : [pressable(generalButton, { ...target, folderUid: general })]),
    pressable(folderButton, target),
    pressable(discardFace, { intent: id }, { label: 'Cancel' }),
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

const deleteButton = intentButton(deleteDashboard, { id: 'dash.delete', label: 'Delete', style: 'danger' });
const purgeButton = intentButton(purgeDashboard, { id: 'dash.purge', label: 'Delete for good', style: 'danger' });
const generalButton = intentButton(restoreDashboard, { id: 'dash.restore', label: 'Restore into General' });
const folderButton = defineButton({
  id: 'dash.restore-folder',
  label: 'Choose a folder',
  value: Target,
  run: (ctx, { value }) => ctx.openForm(restoreForm, value, {}),
});

/** The buttons that delete dashboards, and that restore one into another folder. */
export const trashButtons = [deleteButton, purgeButton, generalButton, folderButton] as Button[];

/** The button that deletes a dashboard, after a question. */
export function deletePress({ uid, title }: Target, label = deleteButton.label) {
  const target = { uid, title: cap(title, maxTitle) };
  const text = `${target.title} goes to the trash, where the server has one.`;
  return {
    ...pressable(deleteButton, target, { label }),
    confirm: confirmLoss('Delete this dashboard?', text, 'Delete'),
  };
}

/** `/dash delete`: asks first. */
export async function runDelete(ctx: Context, { words, text }: Args): Promise<void> {
  if (words.length === 0) return ctx.reject('Which dashboard? `/dash delete <uid>` asks before it deletes.');
  const found = await findTyped(ctx, words.length > 1 ? text : (words[0] ?? ''));
  if (!found) return;
  const { dashboard, meta } = found;
  const target = { uid: dashboard.uid ?? '', title: dashboard.title };
  if (meta.provisioned) {
    return ctx.reject(
      `The dashboard ${shownName(target)} comes from files on the server, so delete it there. Nothing was deleted.`,
    );
  }
  await ctx.reject(
    `Delete the dashboard ${shownName(target)}, version ${dashboard.version}? It goes to the trash, where the server has one.`,
    [actions([deletePress(target, 'Delete it')])],
  );
}

/** The uid that was typed, alone or in an address; undefined after the person was told that there is none. */
async function readUid(ctx: Context, { words }: Args, verb: string): Promise<string | undefined> {
  const [typed = ''] = words;
  const address = readDashboardAddress(typed, ctx.deps.settings);
  if (address.kind === 'dashboard' && words.length === 1) return address.uid;
  await ctx.reject(`Give the uid of one dashboard: \`/dash ${verb} <uid>\`. The trash cannot be searched by title.`);
  return undefined;
}

/** `/dash restore`. */
export async function runRestore(ctx: Context, args: Args): Promise<void> {
  const uid = await readUid(ctx, args, 'restore');
  if (uid === undefined) return;
  const folderUid = String(args.flags.folder ?? '').trim();
  const problem = findFolderProblem(folderUid);
  if (problem) return ctx.reject(`${problem} Nothing was changed.`);
  await ctx.carryOut(restoreDashboard, { uid, title: '', folderUid });
}

/** `/dash purge`: asks first. */
export async function runPurge(ctx: Context, args: Args): Promise<void> {
  const uid = await readUid(ctx, args, 'purge');
  if (uid === undefined) return;
  const there = await getDashboard(ctx.deps.api, uid);
  if (there) {
    const target = { uid, title: there.dashboard.title };
    return ctx.reject(
      `The dashboard ${shownName(target)} is not in the trash, so nothing was deleted. Delete it first.`,
      there.meta.provisioned ? [] : [actions([deletePress(target)])],
    );
  }
  const lost = 'Nobody can bring it back, nor its versions.';
  const confirm = confirmLoss('Delete it for good?', lost, 'Delete for good');
  await ctx.reject(`Delete the dashboard ${code(uid, 60)} for good? Nobody can bring it back.`, [
    actions([{ ...pressable(purgeButton, { uid, title: '' }), confirm }]),
  ]);
}
