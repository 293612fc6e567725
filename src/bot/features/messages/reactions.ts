import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { ReactionHandler } from '../../dispatch/feature/reaction-handler.ts';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { maxQuote, removalKey, removeNote } from '../../incident/notes/intents.ts';
import { withImportance } from '../../incident/notes/notes.ts';
import { MessageNote, toMessagePayload } from '../../incident/notes/of-message.ts';
import { isGivenUp } from '../../incident/state/message-notes.ts';
import { countOthers, type Reaction } from '../../slack/read-message.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { cap } from '../../text/words.ts';
import { additionsOf, addMessage, addOnce, markAdded } from './message.ts';

/** A reaction that puts the message on the timeline. */
export const noteReaction: ReactionHandler = {
  means: 'note',
  added: (ctx, incidentID, message) => add(ctx, incidentID, message, false),
  removed: takeOffUnwanted,
};

/** A reaction that puts the message on the timeline as important. */
export const updateReaction: ReactionHandler = {
  means: 'update',
  added: (ctx, incidentID, message) => add(ctx, incidentID, message, true),
  removed: takeOffUnwanted,
};

/** Adds a message once. The mark on it is the answer; words follow where there is no mark. */
async function add(ctx: Context, incidentID: string, message: SourceMessage, important: boolean): Promise<void> {
  const plain = await toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key);
  const note = { ...plain, text: withImportance(plain.text, important) };
  const outcome = await addOnce(ctx, note);
  if (outcome.state !== 'done') return ctx.answerNotDone(addMessage, note, outcome);
  const isMarked = (await markAdded(ctx.deps, outcome.id, note)) === '';
  if (!isMarked && !outcome.repeated) await ctx.answer(await afterwards(ctx, addMessage, note, outcome));
}

/**
 * Removes the note that a reaction added, once the last person has taken the reaction back. A note that somebody added from the menu
 * stays, because they asked for it explicitly.
 */
async function takeOffUnwanted(
  ctx: Context,
  incidentID: string,
  message: MessageAddress,
  reactions: readonly Reaction[],
): Promise<void> {
  const { deps, actor } = ctx;
  const meant = [...deps.settings.timelineEmoji].flatMap(([name, means]) => (means === 'task' ? [] : [name]));
  if (countOthers(reactions, new Set(meant), deps.slack.identity.botUserId) > 0) return;
  const unwanted: { readonly id: string; readonly owner: string; readonly note: MessageNote }[] = [];
  for (const added of await additionsOf(ctx, incidentID, message)) {
    const { id, owner, isRemoved } = added;
    const note = MessageNote.parse(added.payload);
    if (isGivenUp(added) || isRemoved || !note.delivery.startsWith('reaction/')) continue;
    // A note that no attempt can have written is forgotten; any other one is removed behind it.
    if (!(await deps.journal.discard(id, owner, { onlyUntried: true }))) unwanted.push({ id, owner, note });
  }
  for (const { id, owner, note } of unwanted) {
    const whose = owner === toOwner(actor) ? {} : { whose: note.addedBy };
    const about = { incidentID, note: id, text: cap(note.text, maxQuote), mark: message, ...whose };
    const hasMore = id !== unwanted.at(-1)?.id;
    const outcome = await ctx.submit(removeNote, about, { incidentID, key: removalKey(incidentID, id), hasMore });
    if (outcome.state !== 'done') await ctx.answerNotDone(removeNote, about, outcome);
    else if (outcome.result.isRemoved) await ctx.answer(await afterwards(ctx, removeNote, about, outcome));
  }
}
