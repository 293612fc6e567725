import { z } from 'zod';
import type { Context } from '../../../dispatch/feature/context.ts';
import { defineModal, fieldValue, textField } from '../../../dispatch/forms/modal.ts';
import { type IntentKind, toOwner } from '../../../incident/acts/intent-kind.ts';
import { sentence } from '../../../text/blocks.ts';
import { toOneLine } from '../../../text/words.ts';
import { asNew, asNextOf } from './model.ts';
import { findFolderProblem, folderField } from './save-fields.ts';
import { Save, saveKind } from './save-payload.ts';

/** The most characters of a title (docs/api-rules.md C2). */
const maxTitle = 5000;

/** A save that failed, and the way to submit one. */
interface FailedSave {
  readonly save: Save;
  readonly kind: IntentKind;
}

/** The save that failed; undefined after the person was told that it is no longer kept. */
async function findSave(ctx: Context, intent: string): Promise<FailedSave | undefined> {
  const stored = await ctx.deps.journal.find(intent, toOwner(ctx.actor));
  if (stored?.kind.kind === saveKind) return { save: Save.parse(stored.payload), kind: stored.kind };
  await ctx.answer(
    sentence('Only the person who tried to save this dashboard can do that, within a month. `/dash save` starts over.'),
  );
  return undefined;
}

/**
 * Saves over what is there. It replaces that version and no later one: if somebody has changed it meanwhile, the person is asked again.
 * Without a version, it replaces whatever stands in the way.
 */
export async function overwriteWith(ctx: Context, intent: string, version: number): Promise<void> {
  const found = await findSave(ctx, intent);
  if (!found) return;
  const { save, kind } = found;
  const next: Save = version > 0 ? { ...save, json: asNextOf(save.json, version) } : { ...save, overwrite: true };
  await ctx.carryOut(kind, next, { key: `${intent}/overwrite/${version}` });
}

/** Opens the form that saves the same dashboard as a new one. */
export async function openAnotherName(ctx: Context, intent: string): Promise<void> {
  const found = await findSave(ctx, intent);
  if (!found) return;
  const { save } = found;
  const title = `${save.title.slice(0, 200)} (copy)`;
  await ctx.openForm(anotherForm, { intent }, { title, folder: save.folderUid });
}

/** The form that saves the dashboard of a failed intent under another title. */
export const anotherForm = defineModal({
  id: 'dash.another',
  state: z.object({ intent: z.string() }),
  view: (_state, filled) => ({
    title: 'Save as a new one',
    submit: 'Save',
    blocks: [
      textField({ id: 'title', label: 'Title', hint: 'It gets a uid of its own.' }, filled),
      folderField(filled),
    ],
  }),
  check: filled => {
    const title = toOneLine(fieldValue(filled, 'title'));
    const folderUid = fieldValue(filled, 'folder').trim();
    const folder = findFolderProblem(folderUid);
    if (title === '') return { problems: { title: 'Give the dashboard a title.' } };
    if (title.length > maxTitle) return { problems: { title: `A title has at most ${maxTitle} characters.` } };
    return folder ? { problems: { folder } } : { value: { title, folderUid } };
  },
  submit: async (ctx, { title, folderUid }, { intent }) => {
    const found = await findSave(ctx, intent);
    if (!found) return;
    const { save, kind } = found;
    const next: Save = { ...save, json: asNew(save.json, title), title, uid: '', folderUid, overwrite: false };
    await ctx.carryOut(kind, next);
  },
});
