import { z } from 'zod';
import type { Context } from '../../dispatch/context.ts';
import type { Deps } from '../../dispatch/deps.ts';
import { explain } from '../../dispatch/error-messages.ts';
import { defineButton, pressable } from '../../dispatch/feature.ts';
import { afterwards } from '../../dispatch/receipts.ts';
import { outsideAge } from '../../incident/channels.ts';
import { incidentLabel, incidentName } from '../../incident/incident-name.ts';
import { defineIntent, type IncidentDeps, toOwner } from '../../incident/intent-kind.ts';
import { noteMark } from '../../incident/message-mark.ts';
import { hasContent, messageKey, messageKind, toMessageNote } from '../../incident/message-note.ts';
import { findNote, findWritten, listNotes, maxNote, Note, Written, writeNote } from '../../incident/notes.ts';
import { reasonWords, roomMention } from '../../incident/room.ts';
import type { NotDone, Outcome } from '../../journal/intent.ts';
import { slackReason } from '../../slack/clients.ts';
import { type SourceMessage, toSourceMessage } from '../../slack/source-message.ts';
import { actions, confirmation, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';

/** The note of a message. */
const MessageNote = Note.extend({
  channelId: z.string(),
  ts: z.string(),
  /** The first message of its thread; `""` when it is in none. */
  threadTs: z.string(),
  isCut: z.boolean(),
  /** Its channel is private and not the incident's: more of it enters the incident only when the person confirms. */
  isFromPrivate: z.boolean().default(false),
  /** Key of the delivery that added it; `""` when unknown. */
  delivery: z.string().default(''),
});
/** The note of a message. */
type MessageNote = z.output<typeof MessageNote>;

/** Puts a message on an incident's timeline and marks it. */
export const addMessage = defineIntent({
  kind: messageKind,
  payload: MessageNote,
  result: Written,
  run: (context, note) => writeNote(context, note),
  reconcile: (context, note) => findWritten(context, note),
  describe: note => `add “${cap(note.text, 200)}” to the timeline of ${incidentName(note.incidentID)}`,
  receipt: (_item, note, repeated) => {
    const incident = toMrkdwn(note.incidentID, 40);
    const text = repeated
      ? `That message is on the timeline of incident ${incident} already: “${toMrkdwn(toOneLine(note.text), 120)}”. Nothing was added twice.`
      : `:memo: Added to the timeline of incident ${incident}: “${toMrkdwn(toOneLine(note.text), 120)}”${note.saidBy ? `, said by ${toMrkdwn(note.saidBy, 80)}` : ''}.`;
    const thread = { incidentID: note.incidentID, channelId: note.channelId, threadTs: note.threadTs };
    return {
      text,
      blocks: [section(text), ...(note.threadTs ? [actions([toThreadButton(thread, note.isFromPrivate)])] : [])],
    };
  },
  afterDone: async ({ deps, location }, _item, note) => {
    const trouble = await mark(deps, note);
    return {
      notes: [
        ...(await wayTo(deps, note.incidentID, location.channelId)),
        ...(note.isCut
          ? [
              `It has more than ${maxNote} characters, so the note ends early. The link in it leads to the whole message.`,
            ]
          : []),
      ],
      troubles: [
        ...(trouble ? [trouble] : []),
        ...(note.permalink ? [] : ['Slack gave me no link to the message, so the note has no link.']),
      ],
    };
  },
});

/** Marks a message with a reaction, which everybody sees. Returns a sentence when that failed. */
async function mark(deps: IncidentDeps, message: { channelId: string; ts: string }): Promise<string | undefined> {
  try {
    await deps.slack.web.reactions.add({ channel: message.channelId, timestamp: message.ts, name: noteMark });
    return undefined;
  } catch (error) {
    const reason = slackReason(error);
    if (reason === 'already_reacted') return undefined;
    return ['not_in_channel', 'channel_not_found'].includes(reason)
      ? 'I am not in that channel, so the message itself shows no :memo:. `/invite @Muster` lets me mark it.'
      : `I could not mark the message itself: ${reasonWords(error)}`;
  }
}

/** The incident's name and channel, for a person in another channel. */
async function wayTo(deps: IncidentDeps, incidentID: string, channelId: string): Promise<readonly string[]> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (room?.channelId === channelId) return [];
  const known = await deps.api.IncidentsService.GetIncident({ incidentID }).catch(() => undefined);
  const url = known ? await deps.cards.overview(known.incident) : '';
  const label = incidentLabel(incidentID, 'Incident');
  const name = `${url ? `<${url}|${label}>` : label}${known ? `, “${toMrkdwn(known.incident.title, 200)}”` : ''}`;
  const where = roomMention(room);
  return [where ? `${name}, is handled in ${where}.` : `${name}.`];
}

/**
 * Adds a message once. A message on the timeline is not added again. One that was removed since is, because the person asks for it
 * now.
 */
async function addOnce(ctx: Context, note: MessageNote): Promise<Outcome<Written>> {
  const { incidentID } = note;
  const first = messageKey(incidentID, ctx.actor.teamId, note);
  for (let key = first; ; ) {
    const outcome = await ctx.submit(addMessage, note, { incidentID, key });
    if (outcome.state !== 'done' || !outcome.repeated) return outcome;
    // This delivery is handled a second time: it added the note before, and the note was removed since.
    const known = await ctx.deps.journal.find(outcome.id, toOwner(ctx.actor));
    if (known && MessageNote.parse(known.payload).delivery === ctx.key) return outcome;
    const { activityItemID } = outcome.result;
    if (await findNote(ctx.deps.api, incidentID, item => item.activityItemID === activityItemID)) return outcome;
    key = `${first}/after/${outcome.id}`;
  }
}

/** The payload of the intent that adds a message. */
async function toMessagePayload(ctx: Context, message: SourceMessage, incidentID: string): Promise<MessageNote> {
  const { note, isCut } = await toMessageNote(ctx.deps, message, ctx.actor, incidentID);
  const threadTs = message.threadTs || (message.isThreaded ? message.ts : '');
  const { channelId, ts } = message;
  const room = threadTs === '' ? undefined : await ctx.deps.rooms.ofIncident(incidentID);
  const isFromPrivate =
    threadTs !== '' && room?.channelId !== channelId && (await comesFromPrivate(ctx.deps, channelId));
  return { ...note, channelId, ts, threadTs, isCut, isFromPrivate, delivery: ctx.key };
}

/** Whether what is said in a channel is private. A channel of which Slack tells nothing counts as private. */
export async function comesFromPrivate(deps: Deps, channelId: string): Promise<boolean> {
  return (await deps.channels.look(channelId, outsideAge))?.isPrivate ?? true;
}

/** The button, which asks first when words from a private channel would be read by others. */
function toThreadButton(thread: { incidentID: string; channelId: string; threadTs: string }, isFromPrivate: boolean) {
  const button = pressable(threadButton, thread);
  if (!isFromPrivate) return button;
  const confirm = confirmation({
    title: 'Add a private thread?',
    text: 'The thread is from a private channel. Everybody who sees the incident will be able to read it.',
    confirm: 'Add it',
    deny: 'Keep it private',
    dangerous: false,
  });
  return { ...button, confirm };
}

/** Adds a message and answers. */
export async function addToTimeline(ctx: Context, message: SourceMessage, incidentID: string): Promise<void> {
  const note = await toMessagePayload(ctx, message, incidentID);
  const outcome = await addOnce(ctx, note);
  if (outcome.state !== 'done') await ctx.answerNotDone(addMessage, note, outcome);
  else await ctx.answer(await afterwards(ctx, addMessage, note, outcome));
}

/** Most messages that one press adds; the next press goes on. */
const maxAtOnce = 200;

/** Adds the messages of a thread that are not on the timeline yet, oldest first. */
export const threadButton = defineButton({
  id: 'timeline.thread',
  label: 'Add the whole thread',
  value: z.object({ incidentID: z.string(), channelId: z.string(), threadTs: z.string() }),
  run: async (ctx, { value }) => {
    const thread = await readThread(ctx.deps, value.channelId, value.threadTs);
    if ('problem' in thread) return ctx.answer(sentence(thread.problem));
    const again = actions([pressable(threadButton, value, { label: 'Go on' })]);
    const tally = await addAll(ctx, thread.messages, value.incidentID);
    const { failed } = tally;
    if (tally.added + tally.queued > 0) await mark(ctx.deps, { channelId: value.channelId, ts: value.threadTs });
    const sentences = [
      `${tallyWords(tally)} on the timeline of ${incidentLabel(value.incidentID)}.`,
      ...(failed ? [`Then I had to stop. ${explain(failed)}`] : []),
      ...(tally.left > 0 && !failed ? [`${tally.left} are left: *Go on* adds them.`] : []),
      ...(thread.isWhole ? [] : ['The thread is too long to read at once, so its newest replies are missing.']),
    ];
    const text = sentences.join(' ');
    const words: Words = { text, blocks: [section(text), ...(tally.left > 0 ? [again] : [])] };
    await ctx.replace(words);
  },
});

interface Tally {
  readonly added: number;
  /** Queued while the API is away. */
  readonly queued: number;
  readonly there: number;
  readonly removed: number;
  /** Messages not tried. */
  readonly left: number;
  readonly failed: NotDone['error'] | undefined;
}

function tallyWords({ added, queued, there, removed }: Tally): string {
  const parts = [
    `${added} added`,
    ...(queued > 0 ? [`${queued} saved and added as soon as the incident API is back`] : []),
    ...(there > 0 ? [`${there} ${there === 1 ? 'was' : 'were'} there already`] : []),
    ...(removed > 0 ? [`${removed} had been removed and stay${removed === 1 ? 's' : ''} out`] : []),
  ];
  return `:memo: ${parts.join(', ')}`;
}

/** Adds messages in order until one fails. A message that was removed earlier stays removed: nobody asks for it in particular. */
async function addAll(ctx: Context, messages: readonly SourceMessage[], incidentID: string): Promise<Tally> {
  const known: string[] = [];
  let added = 0;
  let tried = 0;
  let queued = 0;
  let failed: Tally['failed'];
  for (const message of messages) {
    if (added + queued >= maxAtOnce) break;
    const note = await toMessagePayload(ctx, message, incidentID);
    const key = messageKey(incidentID, ctx.actor.teamId, message);
    const outcome = await ctx.submit(addMessage, note, { incidentID, key });
    if (outcome.state === 'failed') {
      failed = outcome.error;
      break;
    }
    tried += 1;
    if (outcome.state === 'queued') queued += 1;
    else if (outcome.repeated) known.push(outcome.result.activityItemID);
    else added += 1;
  }
  const there = known.length === 0 ? 0 : await countThere(ctx.deps, incidentID, known);
  return { added, queued, there, removed: known.length - there, left: messages.length - tried, failed };
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
