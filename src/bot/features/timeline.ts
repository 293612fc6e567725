import { z } from 'zod';
import { ActivityItem } from '../../contract/activity.ts';
import { actions, said, section, sentence, type Words } from '../blocks.ts';
import type { Desk } from '../desk.ts';
import { defineButton, type Feature, pressable } from '../feature.ts';
import { afterwards } from '../frame-turn.ts';
import { toWebUrl } from '../house.ts';
import { defineIntent, type Outcome } from '../journal/intent.ts';
import { hasContent, messageKey, toMessageNote } from '../message-note.ts';
import { choiceField, defineModal, fieldValue } from '../modal.ts';
import { findNote, listNotes, maxNote, Note, writeNote } from '../notes.ts';
import { explain } from '../refusal.ts';
import { roomMention } from '../room.ts';
import { slackReason, slackRefusal } from '../slack.ts';
import { type SourceMessage, toSourceMessage } from '../source-message.ts';
import type { Turn } from '../turn.ts';
import { cap, toPlainText } from '../words.ts';

/** Most messages that one press adds; the next press goes on. */
const maxAtOnce = 200;
/** Most incidents a menu can offer (slack.md 5). */
const maxOffered = 100;
/** How much of the message a form shows, in characters. */
const maxExcerpt = 150;

const MessageNote = Note.extend({
  channelId: z.string(),
  ts: z.string(),
  /** The first message of its thread; `""` when it is in none. */
  threadTs: z.string(),
  isCut: z.boolean(),
});
type MessageNote = z.output<typeof MessageNote>;

/** Puts a message on an incident's timeline and marks it. */
const addMessage = defineIntent({
  kind: 'timeline.add',
  payload: MessageNote,
  result: ActivityItem,
  run: (effects, note) => writeNote(effects, note),
  aim: note => `add “${cap(note.text, 200)}” to the timeline of incident ${note.incidentID}`,
  done: (_item, note, repeated) => {
    const incident = said(note.incidentID, 40);
    const text = repeated
      ? `That message is on the timeline of incident ${incident} already. Nothing was added twice.`
      : `:memo: Added to the timeline of incident ${incident}: “${said(oneLine(note.text), 120)}”${note.saidBy ? `, said by ${said(note.saidBy, 80)}` : ''}.`;
    const thread = { incidentID: note.incidentID, channelId: note.channelId, threadTs: note.threadTs };
    return {
      text,
      blocks: [
        section(text),
        ...(note.threadTs ? [actions([pressable(addThread, 'Add the whole thread', thread)])] : []),
      ],
    };
  },
  follow: async ({ desk, place }, _item, note) => {
    const trouble = await mark(desk, note);
    return {
      notes: [
        ...(await wayTo(desk, note.incidentID, place.channelId)),
        ...(note.isCut ? [`It was longer than ${maxNote} characters, so its end is only behind its link.`] : []),
      ],
      troubles: [
        ...(trouble ? [trouble] : []),
        ...(note.permalink ? [] : ['Slack gave me no link to the message, so the note has none.']),
      ],
    };
  },
});

/** The receipt that everybody sees: a reaction. Yields why there is none, as a sentence. */
async function mark(desk: Desk, message: { channelId: string; ts: string }): Promise<string | undefined> {
  try {
    await desk.slack.web.reactions.add({ channel: message.channelId, timestamp: message.ts, name: 'memo' });
    return undefined;
  } catch (error) {
    const reason = slackRefusal(error) ?? slackReason(error);
    if (reason === 'already_reacted') return undefined;
    return ['not_in_channel', 'channel_not_found'].includes(reason)
      ? 'I am not in that channel, so the message itself shows no :memo:. `/invite @Muster` lets me mark it.'
      : `I could not mark the message itself: Slack said \`${reason.replaceAll('`', "'")}\`.`;
  }
}

/** Where the incident is to be found, for somebody who is elsewhere. */
async function wayTo(desk: Desk, incidentID: string, channelId: string): Promise<readonly string[]> {
  const room = await desk.rooms.ofIncident(incidentID);
  if (room?.channelId === channelId) return [];
  const known = await desk.api.IncidentsService.GetIncident({ incidentID }).catch(() => undefined);
  const url = known ? toWebUrl(desk.house, known.incident.overviewURL) : '';
  const label = `Incident ${said(incidentID, 40)}`;
  const name = `${url ? `<${url}|${label}>` : label}${known ? `, “${said(known.incident.title, 200)}”` : ''}`;
  const where = roomMention(room);
  return [where ? `${name}, is handled in ${where}.` : `${name}.`];
}

/**
 * Adds a message once. What is there already is not added again; what somebody removed since then is, because they are
 * asking for it now.
 */
async function addOnce(turn: Turn, note: MessageNote): Promise<Outcome<ActivityItem>> {
  const { incidentID } = note;
  const first = messageKey(incidentID, note);
  for (let key = first; ; ) {
    const outcome = await turn.submit(addMessage, note, { incidentID, key });
    if (outcome.state === 'refused' || !outcome.repeated) return outcome;
    const { activityItemID } = outcome.result;
    if (await findNote(turn.desk.api, incidentID, item => item.activityItemID === activityItemID)) return outcome;
    key = `${first}/after/${outcome.id}`;
  }
}

async function toPayload(turn: Turn, message: SourceMessage, incidentID: string): Promise<MessageNote> {
  const { note, isCut } = await toMessageNote(turn.desk, message, turn.actor, incidentID);
  const threadTs = message.threadTs || (message.isThreaded ? message.ts : '');
  return { ...note, channelId: message.channelId, ts: message.ts, threadTs, isCut };
}

async function add(turn: Turn, message: SourceMessage, incidentID: string): Promise<void> {
  const note = await toPayload(turn, message, incidentID);
  const outcome = await addOnce(turn, note);
  if (outcome.state === 'refused') await turn.answerRefusal(addMessage, note, outcome);
  else await turn.answer(await afterwards(turn, addMessage, note, outcome));
}

/** What the form is about: the draft that keeps the message, how it begins, and whether it stands in a private place. */
const PickState = z.object({ kept: z.string(), excerpt: z.string(), isPrivate: z.boolean() });

const pick = defineModal({
  id: 'timeline.pick',
  state: PickState,
  view: ({ excerpt, isPrivate }, filled, { offered }) => ({
    title: 'Add to timeline',
    submit: 'Add',
    blocks: [
      ...(excerpt ? [section(`> ${said(excerpt)}`)] : []),
      choiceField({ id: 'incident', label: 'Which incident?', options: offered?.incident ?? [] }, filled),
      ...(isPrivate
        ? [
            section(
              ':lock: This copies words out of a private channel: whoever can read the incident will read them. Cancel if they should not.',
            ),
          ]
        : []),
    ],
  }),
  check: filled => {
    const incidentID = fieldValue(filled, 'incident');
    return incidentID ? { value: incidentID } : { problems: { incident: 'Choose the incident it belongs to.' } };
  },
  submit: async (turn, incidentID, { kept }) => {
    const draft = await turn.desk.drafts.find(turn.actor, kept, turn.now);
    if (draft?.kind === 'message') await add(turn, draft.message, incidentID);
    else
      await turn.answer(
        sentence('That message was kept for a week, and the week is over. Use the shortcut on it again.'),
      );
  },
});

/** Outside incidents' channels: which of the recent incidents it belongs to. */
async function offerIncidents(turn: Turn, message: SourceMessage): Promise<void> {
  const { desk } = turn;
  const [{ incidentPreviews }, isPrivate, kept] = await Promise.all([
    desk.api.IncidentsService.QueryIncidentPreviews({
      query: { limit: maxOffered, orderField: 'createdTime', orderDirection: 'DESC' },
    }),
    isPrivatePlace(desk, message.channelId),
    desk.drafts.keep(turn.actor, { kind: 'message', shortcut: shortcutId, message }, turn.now),
  ]);
  if (incidentPreviews.length === 0) {
    await turn.answer(sentence('There is no incident yet that it could be added to. `/incident declare` opens one.'));
    return;
  }
  const options = incidentPreviews.slice(0, maxOffered).map(each => ({
    value: each.incidentID,
    label: `#${each.incidentID} ${each.status === 'resolved' ? '✓ ' : ''}${each.isDrill ? '[Drill] ' : ''}${each.title}`,
  }));
  const excerpt = cap(oneLine(toPlainText(message.text)), maxExcerpt);
  const only = options.length === 1 ? options[0]?.value : undefined;
  await turn.openForm(pick, { kept, excerpt, isPrivate }, only ? { incident: only } : {}, { incident: options });
}

/** Whether a channel is private; one that Slack does not show to the bot is. */
async function isPrivatePlace(desk: Desk, channelId: string): Promise<boolean> {
  try {
    const { channel } = await desk.slack.quick.conversations.info({ channel: channelId });
    return channel?.is_private === true || channel?.is_im === true || channel?.is_mpim === true;
  } catch {
    return true;
  }
}

/** Adds what is not yet there of a thread, oldest first. */
const addThread = defineButton({
  id: 'timeline.thread',
  value: z.object({ incidentID: z.string(), channelId: z.string(), threadTs: z.string() }),
  run: async (turn, { value }) => {
    const thread = await readThread(turn.desk, value.channelId, value.threadTs);
    if ('problem' in thread) {
      await turn.answer(sentence(thread.problem));
      return;
    }
    const again = actions([pressable(addThread, 'Go on', value)]);
    const tally = await addAll(turn, thread.messages, value.incidentID);
    const { refused } = tally;
    if (tally.added > 0) await mark(turn.desk, { channelId: value.channelId, ts: value.threadTs });
    const sentences = [
      `${tallyWords(tally)} on the timeline of incident ${said(value.incidentID, 40)}.`,
      ...(refused ? [`Then it stopped. ${explain(refused)}`] : []),
      ...(tally.left > 0 && !refused ? [`${tally.left} are left: *Go on* adds them.`] : []),
      ...(thread.isWhole ? [] : ['The thread is longer than I read at once, so its newest replies are not counted.']),
    ];
    const text = sentences.join(' ');
    const words: Words = { text, blocks: [section(text), ...(tally.left > 0 ? [again] : [])] };
    await turn.replace(words);
  },
});

interface Tally {
  readonly added: number;
  readonly there: number;
  readonly removed: number;
  /** Messages not tried. */
  readonly left: number;
  readonly refused: Extract<Outcome<ActivityItem>, { state: 'refused' }>['error'] | undefined;
}

function tallyWords({ added, there, removed }: Tally): string {
  const parts = [
    `${added} added`,
    ...(there > 0 ? [`${there} ${there === 1 ? 'was' : 'were'} there already`] : []),
    ...(removed > 0 ? [`${removed} had been removed and stay${removed === 1 ? 's' : ''} out`] : []),
  ];
  return `:memo: ${parts.join(', ')}`;
}

/** Adds messages in order until one is refused. What somebody removed earlier stays removed: nobody asks for it by name. */
async function addAll(turn: Turn, messages: readonly SourceMessage[], incidentID: string): Promise<Tally> {
  const known: string[] = [];
  let added = 0;
  let tried = 0;
  let refused: Tally['refused'];
  for (const message of messages) {
    if (added >= maxAtOnce) break;
    const note = await toPayload(turn, message, incidentID);
    const outcome = await turn.submit(addMessage, note, { incidentID, key: messageKey(incidentID, message) });
    if (outcome.state === 'refused') {
      refused = outcome.error;
      break;
    }
    tried += 1;
    if (outcome.repeated) known.push(outcome.result.activityItemID);
    else added += 1;
  }
  const there = known.length === 0 ? 0 : await countThere(turn.desk, incidentID, known);
  return { added, there, removed: known.length - there, left: messages.length - tried, refused };
}

async function countThere(desk: Desk, incidentID: string, items: readonly string[]): Promise<number> {
  const wanted = new Set(items);
  try {
    let there = 0;
    for await (const item of listNotes(desk.api, incidentID)) if (wanted.has(item.activityItemID)) there += 1;
    return there;
  } catch {
    return items.length;
  }
}

/** A thread's messages with something in them, oldest first, without the bot's own. */
async function readThread(
  desk: Desk,
  channel: string,
  ts: string,
): Promise<{ messages: readonly SourceMessage[]; isWhole: boolean } | { problem: string }> {
  const messages: SourceMessage[] = [];
  let cursor = '';
  try {
    for (let page = 0; page < 10; page += 1) {
      const answer = await desk.slack.web.conversations.replies({
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
  const wanted = messages.filter(each => each.userId !== desk.slack.identity.botUserId && hasContent(each));
  return { messages: wanted, isWhole: cursor === '' };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const shortcutId = 'add_timeline';

/** Messages and threads become notes: with their own time, author and address, and never twice. */
export const timeline: Feature = {
  name: 'timeline',
  verbs: [],
  modals: [pick],
  buttons: [addThread],
  shortcuts: [
    {
      kind: 'message',
      id: shortcutId,
      name: 'Add to timeline',
      description: 'Record this message on an incident’s timeline',
      run: async (turn, message) => {
        if (!hasContent(message)) {
          await turn.answer(
            sentence('There is nothing to add: that message has no words and no files. `/note add …` takes your own.'),
          );
          return;
        }
        const room = await turn.desk.rooms.ofChannel(turn.actor.teamId, message.channelId);
        if (room) await add(turn, message, room.incidentID);
        else await offerIncidents(turn, message);
      },
    },
  ],
  intents: [addMessage],
};
