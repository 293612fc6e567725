import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { ReactionHandler } from '../../dispatch/feature/reaction-handler.ts';
import { withImportance } from '../../incident/notes/notes.ts';
import { toMessagePayload } from '../../incident/notes/of-message.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { addMessage, addOnce, markAdded } from './message.ts';
import { takeOffUnwanted } from './take-off.ts';

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
