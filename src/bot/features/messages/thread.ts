import { explain } from '../../dispatch/answers/error-messages.ts';
import type { Context, PendingConfirmation } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { markMessage } from '../../incident/notes/message-mark.ts';
import { listNotes } from '../../incident/notes/notes.ts';
import { hasContent, type MessageNote, toMessagePayload } from '../../incident/notes/of-message.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import type { NotDone } from '../../journal/intent.ts';
import { slackReason } from '../../slack/clients.ts';
import { type SourceMessage, toSourceMessage } from '../../slack/source-message.ts';
import { actions, section, sentence, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { addMessage, keyOf, ThreadAddress, threadFace } from './message.ts';

/** Most messages that one press adds; the next press goes on. */
const maxAtOnce = 200;

/** Adds the messages of a thread that are not on the timeline yet, oldest first. */
export const threadButton = defineButton({
  ...threadFace,
  value: ThreadAddress,
  run: (ctx, { value }) => addThread(ctx, value),
});

/** Adds a thread and answers. */
export async function addThread(ctx: Context, value: ThreadAddress): Promise<void> {
  const thread = await readThread(ctx.deps, value.channelId, value.threadTs);
  if ('problem' in thread) return ctx.answer(sentence(thread.problem));
  const again = actions([pressable(threadButton, value, { label: 'Go on' })]);
  const tally = await addAll(ctx, thread.messages, value.incidentID);
  const { failed } = tally;
  if (tally.added + tally.queued > 0) await markMessage(ctx.deps, { channelId: value.channelId, ts: value.threadTs });
  const sentences = [
    `${signs.note} On the timeline of ${incidentLabel(value.incidentID)}: ${tallyWords(tally, ctx.deps.settings.apiName)}.`,
    ...(failed ? [`Then I had to stop. ${explain(failed, ctx.deps.settings.apiName)}`] : []),
    ...(tally.left > 0 && !failed ? [`${tally.left} are left: *Go on* adds them.`] : []),
    ...(thread.isWhole ? [] : ['The thread is too long to read at once, so its newest replies are missing.']),
  ];
  const text = sentences.join(' ');
  const words: Words = { text, blocks: [section(text), ...(tally.left > 0 ? [again] : [])] };
  await ctx.replace(words);
  for (const { note, outcome } of tally.held) await ctx.answerNotDone(addMessage, note, outcome);
}

/** The thread in which a message is, or which hangs on it. */
export function threadOf({ channelId, ts, threadTs }: SourceMessage, incidentID: string): ThreadAddress {
  return { incidentID, channelId, threadTs: threadTs || ts };
}

interface Tally {
  readonly added: number;
  /** Queued while the API is away. */
  readonly queued: number;
  readonly there: number;
  readonly removed: number;
  /** Held back: each looks as if it held a secret, and the person chooses. */
  readonly held: readonly { readonly note: MessageNote; readonly outcome: PendingConfirmation }[];
  /** Messages not tried. */
  readonly left: number;
  readonly failed: NotDone['error'] | undefined;
}

function tallyWords({ added, queued, there, removed, held }: Tally, api: string): string {
  const parts = [
    `${added} added`,
    ...(queued > 0 ? [`${queued} saved, to be added as soon as ${api} answers`] : []),
    ...(held.length > 0 ? [`${held.length} held back until you choose, below`] : []),
    ...(there > 0 ? [`${there} ${there === 1 ? 'was' : 'were'} there already`] : []),
    ...(removed > 0 ? [`${removed} had been removed and stay${removed === 1 ? 's' : ''} out`] : []),
  ];
  return parts.join(', ');
}

/** Adds messages in order until one fails. A message whose note was removed earlier stays off: the person asked for the whole thread. */
async function addAll(ctx: Context, messages: readonly SourceMessage[], incidentID: string): Promise<Tally> {
  const known: string[] = [];
  const held: Tally['held'][number][] = [];
  let added = 0;
  let tried = 0;
  let queued = 0;
  let failed: Tally['failed'];
  for (const message of messages) {
    if (added + queued >= maxAtOnce) break;
    const note = await toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key);
    // A note that was discarded while it waited is added like a new one.
    const key = await keyOf(ctx, note, async last => last.state === 'discarded');
    const hasMore = message !== messages.at(-1);
    const outcome = await ctx.submit(addMessage, note, { incidentID, key, hasMore });
    if (outcome.state === 'failed') {
      failed = outcome.error;
      break;
    }
    tried += 1;
    if (outcome.state === 'held') held.push({ note, outcome });
    else if (outcome.state === 'queued') queued += 1;
    else if (outcome.repeated) known.push(outcome.result.activityItemID);
    else added += 1;
  }
  const there = known.length === 0 ? 0 : await countThere(ctx.deps, incidentID, known);
  return { added, queued, held, there, removed: known.length - there, left: messages.length - tried, failed };
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
