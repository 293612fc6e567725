import { z } from 'zod';
import { explain } from '../../dispatch/answers/error-messages.ts';
import type { Context, Submitted } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { maxQuote, removalKey, removeNote, unmarkIfOver } from '../../incident/notes/intents.ts';
import { listNotes, type Written } from '../../incident/notes/notes.ts';
import { hasContent, MessageNote, toMessagePayload } from '../../incident/notes/of-message.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isGivenUp } from '../../incident/state/message-notes.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import type { NotDone } from '../../journal/intent.ts';
import { slackReason } from '../../slack/clients.ts';
import { type MessageAddress, type SourceMessage, toSourceMessage } from '../../slack/source-message.ts';
import { actions, section, sentence } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cap } from '../../text/words.ts';
import { additionsOf, addMessage, keyOf, markAdded, ThreadAddress, threadFace } from './add.ts';

/** Most messages that one press adds; the next press goes on. */
const maxAtOnce = 200;

/** Adds the messages of a thread that are not on the timeline yet, oldest first. */
export const threadButton = defineButton({
  ...threadFace,
  value: ThreadAddress,
  run: (ctx, { value }) => addThread(ctx, value),
});

/** Takes the notes of one press off the timeline again, and the marks off their messages. */
export const undoThreadButton = defineButton({
  id: 'timeline.thread.undo',
  label: 'Undo',
  value: ThreadAddress.extend({ delivery: z.string() }),
  run: async (ctx, { value }) => {
    const { incidentID, channelId, threadTs, delivery } = value;
    const thread = await readThread(ctx.deps, channelId, threadTs);
    if ('problem' in thread) return ctx.answer(sentence(thread.problem));
    const mine: { readonly id: string; readonly text: string; readonly mark: MessageAddress }[] = [];
    for (const message of thread.messages) {
      for (const added of await additionsOf(ctx, incidentID, message)) {
        const note = MessageNote.parse(added.payload);
        const isMine = note.delivery === delivery && added.owner === toOwner(ctx.actor);
        const mark = { channelId: note.channelId, ts: note.ts };
        if (isMine && !added.isRemoved && !isGivenUp(added)) mine.push({ id: added.id, text: note.text, mark });
      }
    }
    const { apiName } = ctx.deps.settings;
    let [taken, waiting] = [0, 0];
    for (const { id, text, mark } of mine) {
      const about = { incidentID, note: id, text: cap(text, maxQuote), mark };
      const how = { incidentID, key: removalKey(incidentID, id), undoes: id, hasMore: id !== mine.at(-1)?.id };
      const outcome = await ctx.submit(removeNote, about, how);
      if (outcome.state === 'queued') waiting += 1;
      else if (outcome.state !== 'done') await outcome.tell();
      else if (outcome.result.isRemoved) taken += 1;
    }
    const notes = taken === 1 ? '1 note is' : `${taken} notes are`;
    const later = waiting > 0 ? ` ${waiting} more will be, as soon as ${apiName} answers.` : '';
    const name = incidentLabel(incidentID);
    await ctx.replace(sentence(`${signs.undone} ${notes} off the timeline of ${name} again.${later}`));
    for (const { mark } of mine) await unmarkIfOver(ctx.deps, mark);
  },
});

/** The thread in which a message is, or which hangs on it. */
export function threadOf({ channelId, ts, threadTs }: SourceMessage, incidentID: string): ThreadAddress {
  return { incidentID, channelId, threadTs: threadTs || ts };
}

/**
 * Adds the messages of a thread in order until one fails, and answers. A message whose note was removed earlier stays off: the person
 * asked for the whole thread.
 */
export async function addThread(ctx: Context, value: ThreadAddress): Promise<void> {
  const { deps, key: delivery } = ctx;
  const { incidentID, channelId, threadTs } = value;
  const thread = await readThread(deps, channelId, threadTs);
  if ('problem' in thread) return ctx.answer(sentence(thread.problem));
  const { messages } = thread;
  const known: string[] = [];
  // Each looks as if it held a secret, and the person chooses.
  const held: Submitted<Written>[] = [];
  const written: { readonly id: string; readonly message: MessageAddress }[] = [];
  let [added, queued, tried] = [0, 0, 0];
  let failed: NotDone['error'] | undefined;
  for (const message of messages) {
    if (added + queued >= maxAtOnce) break;
    const note = await toMessagePayload(deps, message, ctx.actor, incidentID, delivery);
    // A note that was discarded while it waited is added like a new one.
    const key = await keyOf(ctx, note, async last => last.state === 'discarded');
    const hasMore = message !== messages.at(-1);
    const outcome = await ctx.submit(addMessage, note, { incidentID, key, hasMore });
    if (outcome.state === 'failed') {
      failed = outcome.error;
      break;
    }
    tried += 1;
    // What this delivery added before its process died may not be marked yet.
    const isWritten = outcome.state === 'done' && (!outcome.repeated || ctx.mayStand);
    if (isWritten) written.push({ id: outcome.id, message });
    if (outcome.state === 'held') held.push(outcome);
    else if (outcome.state === 'queued') queued += 1;
    else if (outcome.repeated) known.push(outcome.result.activityItemID);
    else added += 1;
  }
  const { apiName } = deps.settings;
  const there = known.length === 0 ? 0 : await countThere(deps, incidentID, known);
  const [removed, left] = [known.length - there, messages.length - tried];
  const tally = [
    `${added} added`,
    ...(queued > 0 ? [`${queued} saved, to be added as soon as ${apiName} answers`] : []),
    ...(held.length > 0 ? [`${held.length} held back until you choose, below`] : []),
    ...(there > 0 ? [`${there} ${there === 1 ? 'was' : 'were'} there already`] : []),
    ...(removed > 0 ? [`${removed} had been removed and stay${removed === 1 ? 's' : ''} out`] : []),
  ].join(', ');
  const text = [
    `${signs.note} On the timeline of ${incidentLabel(incidentID)}: ${tally}.`,
    ...(failed ? [`Then I had to stop. ${explain(failed, apiName)}`] : []),
    ...(left > 0 && !failed ? [`${left} are left: *Go on* adds them.`] : []),
    ...(thread.isWhole ? [] : ['The thread is too long to read at once, so its newest replies are missing.']),
  ].join(' ');
  const buttons = [
    ...(left > 0 ? [pressable(threadButton, value, { label: 'Go on' })] : []),
    ...(added > 0 ? [pressable(undoThreadButton, { ...value, delivery })] : []),
  ];
  await ctx.replace({ text, blocks: [section(text), ...(buttons.length > 0 ? [actions(buttons)] : [])] });
  // Slack takes these one by one and lets nobody wait for them.
  for (const { id, message } of written) await markAdded(deps, id, message);
  for (const outcome of held) await outcome.tell();
}

/** How many of these items the timeline still has; all of them where it cannot be read. */
async function countThere(deps: Deps, incidentID: string, items: readonly string[]): Promise<number> {
  const wanted = new Set(items);
  try {
    let there = 0;
    for await (const item of listNotes(deps.api, incidentID)) if (wanted.has(item.activityItemID)) there += 1;
    return there;
  } catch {
    return items.length;
  }
}

/** A thread's messages with something in them, oldest first, without the bot's own. */
async function readThread(
  deps: Deps,
  channel: string,
  ts: string,
): Promise<{ messages: readonly SourceMessage[]; isWhole: boolean } | { problem: string }> {
  const messages: SourceMessage[] = [];
  let cursor = '';
  try {
    for (let page = 0; page < 10; page += 1) {
      const answer = await deps.slack.web.conversations.replies({
        channel,
        ts,
        limit: 200,
        ...(cursor ? { cursor } : {}),
      });
      messages.push(...(answer.messages ?? []).map(message => toSourceMessage(channel, message)));
      cursor = answer.response_metadata?.next_cursor ?? '';
      if (cursor === '') break;
    }
  } catch (error) {
    const reason = slackReason(error);
    if (reason === 'missing_scope')
      return { problem: `I could not read the thread: ${reasonWords(error)} Until then, add its messages one by one.` };
    return {
      problem: ['not_in_channel', 'channel_not_found'].includes(reason)
        ? 'I am not in that channel, so I cannot read the thread. `/invite @Muster` there, then press the button again; or add its messages one by one.'
        : `Slack did not show me the thread (\`${reason}\`). Nothing was added; try again, or add its messages one by one.`,
    };
  }
  const wanted = messages.filter(each => each.userId !== deps.slack.identity.botUserId && hasContent(each));
  return { messages: wanted, isWhole: cursor === '' };
}
