import type { Context } from '../../dispatch/context.ts';
import type { Deps } from '../../dispatch/deps.ts';
import { explain } from '../../dispatch/error-messages.ts';
import { defineButton, pressable } from '../../dispatch/feature.ts';
import { hasContent, messageKey } from '../../incident/message-note.ts';
import { listNotes } from '../../incident/notes.ts';
import type { NotDone } from '../../journal/intent.ts';
import { slackReason, slackRefusal } from '../../slack/clients.ts';
import { type SourceMessage, toSourceMessage } from '../../slack/source-message.ts';
import { actions, said, section, sentence, type Words } from '../../text/blocks.ts';
import { addMessage, mark, toMessagePayload, wholeThread } from './message.ts';

/** Most messages that one press adds; the next press goes on. */
const maxAtOnce = 200;

/** Adds what is not yet there of a thread, oldest first. */
export const addThread = defineButton({
  ...wholeThread,
  run: async (ctx, { value }) => {
    const thread = await readThread(ctx.deps, value.channelId, value.threadTs);
    if ('problem' in thread) {
      await ctx.answer(sentence(thread.problem));
      return;
    }
    const again = actions([pressable(wholeThread, 'Go on', value)]);
    const tally = await addAll(ctx, thread.messages, value.incidentID);
    const { refused } = tally;
    if (tally.added + tally.kept > 0) await mark(ctx.deps, { channelId: value.channelId, ts: value.threadTs });
    const sentences = [
      `${tallyWords(tally)} on the timeline of incident ${said(value.incidentID, 40)}.`,
      ...(refused ? [`Then I had to stop. ${explain(refused)}`] : []),
      ...(tally.left > 0 && !refused ? [`${tally.left} are left: *Go on* adds them.`] : []),
      ...(thread.isWhole ? [] : ['The thread is too long to read at once, so its newest replies are missing.']),
    ];
    const text = sentences.join(' ');
    const words: Words = { text, blocks: [section(text), ...(tally.left > 0 ? [again] : [])] };
    await ctx.replace(words);
  },
});

interface Tally {
  readonly added: number;
  /** Added as soon as the API answers. */
  readonly kept: number;
  readonly there: number;
  readonly removed: number;
  /** Messages not tried. */
  readonly left: number;
  readonly refused: NotDone['error'] | undefined;
}

function tallyWords({ added, kept, there, removed }: Tally): string {
  const parts = [
    `${added} added`,
    ...(kept > 0 ? [`${kept} saved and added as soon as the incident API is back`] : []),
    ...(there > 0 ? [`${there} ${there === 1 ? 'was' : 'were'} there already`] : []),
    ...(removed > 0 ? [`${removed} had been removed and stay${removed === 1 ? 's' : ''} out`] : []),
  ];
  return `:memo: ${parts.join(', ')}`;
}

/** Adds messages in order until one is refused. What somebody removed earlier stays removed: nobody asks for it by name. */
async function addAll(ctx: Context, messages: readonly SourceMessage[], incidentID: string): Promise<Tally> {
  const known: string[] = [];
  let added = 0;
  let tried = 0;
  let kept = 0;
  let refused: Tally['refused'];
  for (const message of messages) {
    if (added + kept >= maxAtOnce) break;
    const note = await toMessagePayload(ctx, message, incidentID);
    const outcome = await ctx.submit(addMessage, note, { incidentID, key: messageKey(incidentID, message) });
    if (outcome.state === 'failed') {
      refused = outcome.error;
      break;
    }
    tried += 1;
    if (outcome.state === 'queued') kept += 1;
    else if (outcome.repeated) known.push(outcome.result.activityItemID);
    else added += 1;
  }
  const there = known.length === 0 ? 0 : await countThere(ctx.deps, incidentID, known);
  return { added, kept, there, removed: known.length - there, left: messages.length - tried, refused };
}

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
    const reason = slackRefusal(error) ?? slackReason(error);
    return {
      problem: ['not_in_channel', 'channel_not_found'].includes(reason)
        ? 'I am not in that channel, so I cannot read the thread. `/invite @Muster` there, then press the button again; or add its messages one by one.'
        : `Slack did not show me the thread (\`${reason.replaceAll('`', "'")}\`). Nothing was added; try again, or add its messages one by one.`,
    };
  }
  const wanted = messages.filter(each => each.userId !== deps.slack.identity.botUserId && hasContent(each));
  return { messages: wanted, isWhole: cursor === '' };
}
