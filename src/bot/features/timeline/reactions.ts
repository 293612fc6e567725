import { type Context, Unanswered } from '../../dispatch/context.ts';
import type { ReactionHandler } from '../../dispatch/reaction.ts';
import { afterwards } from '../../dispatch/receipts.ts';
import { toOwner } from '../../incident/intent-kind.ts';
import { markMessage } from '../../incident/message-mark.ts';
import { MessageNote, messageKey, toMessagePayload } from '../../incident/message-note.ts';
import { splitNoteBody } from '../../incident/note-body.ts';
import { removalKey, removeNote } from '../../incident/note-intents.ts';
import { findNote, type NoteAddress, Written, withImportance } from '../../incident/notes.ts';
import { countOthers, type Reaction } from '../../slack/read-message.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { cap } from '../../text/words.ts';
import { addMessage, addOnce } from './message.ts';

/** A reaction that puts the message on the timeline. */
export const noteReaction: ReactionHandler = {
  means: 'note',
  added: (ctx, incidentID, message) => add(ctx, incidentID, message, false),
  removed: takeOff,
};

/** A reaction that puts the message on the timeline as important. */
export const updateReaction: ReactionHandler = {
  means: 'update',
  added: (ctx, incidentID, message) => add(ctx, incidentID, message, true),
  removed: takeOff,
};

/** Adds a message once. The mark on it is the answer; words follow where there is no mark. */
async function add(ctx: Context, incidentID: string, message: SourceMessage, important: boolean): Promise<void> {
  const plain = await toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key);
  const note = { ...plain, text: withImportance(plain.text, important) };
  const outcome = await addOnce(ctx, note);
  if (outcome.state !== 'done') return ctx.answerNotDone(addMessage, note, outcome);
  const isMarked = (await markMessage(ctx.deps, note)) === '';
  if (!isMarked && !outcome.repeated) await ctx.answer(await afterwards(ctx, addMessage, note, outcome));
}

/**
 * Removes the note that a reaction added, once the last person has taken the reaction back. A note that somebody added from the menu
 * stays, since they asked for it in so many words.
 */
async function takeOff(
  ctx: Context,
  incidentID: string,
  message: MessageAddress,
  reactions: readonly Reaction[],
): Promise<void> {
  const { deps, actor } = ctx;
  const meant = [...deps.house.timelineEmoji].flatMap(([name, means]) => (means === 'task' ? [] : [name]));
  if (countOthers(reactions, new Set(meant), deps.slack.identity.botUserId) > 0) return;
  const all = await deps.journal.findLike(addMessage.kind, `${messageKey(incidentID, actor.teamId, message)}%`);
  for (const added of all.filter(({ state }) => state !== 'failed' && state !== 'discarded')) {
    const note = MessageNote.parse(added.payload);
    if (!note.delivery.startsWith('reaction/')) continue;
    if (added.outcome?.state === 'done') {
      const whose = added.owner === toOwner(actor) ? {} : { whose: note.addedBy };
      await remove(
        ctx,
        { incidentID, activityItemID: Written.parse(added.outcome.result).activityItemID },
        message,
        whose,
      );
      // The note waits for the API. The next attempt knows whether it has begun.
    } else if (!(await deps.journal.discard(added.id, added.owner))) {
      throw new Unanswered('a note is being added whose reaction was taken back');
    }
  }
}

async function remove(
  ctx: Context,
  address: NoteAddress,
  mark: MessageAddress,
  whose: { readonly whose?: string },
): Promise<void> {
  const { incidentID, activityItemID } = address;
  const item = await findNote(ctx.deps.api, incidentID, each => each.activityItemID === activityItemID);
  if (!item) return;
  const payload = { ...address, text: cap(splitNoteBody(item.body).text, 300), mark, ...whose };
  await ctx.carryOut(removeNote, payload, { incidentID, key: removalKey(address) });
}
