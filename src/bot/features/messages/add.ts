import { z } from 'zod';
import type { Context, Submitted } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { ReactionHandler } from '../../dispatch/feature/reaction.ts';
import {
  AboutMessage,
  checkIncident,
  incidentField,
  incidentOf,
  onMessage,
  privateNotice,
  readNewest,
  toMessageForm,
} from '../../dispatch/forms/about-message.ts';
import {
  checksField,
  defineModal,
  fieldValue,
  fieldValues,
  momentField,
  textField,
} from '../../dispatch/forms/modal.ts';
import { defineIntent, type IncidentDeps, toOwner } from '../../incident/acts/intent-kind.ts';
import { maxQuote, removalKey, removeNote, undoNote, unmarkIfOver } from '../../incident/notes/intents.ts';
import { markMessage } from '../../incident/notes/message-mark.ts';
import { findTwinNote, findWritten, maxNote, Written, withImportance, writeNote } from '../../incident/notes/notes.ts';
import {
  isGone,
  MessageNote,
  mapNoteTexts,
  messageKey,
  messageKind,
  messageText,
  toMessagePayload,
  withKept,
} from '../../incident/notes/of-message.ts';
import { incidentLabel, roomMention } from '../../incident/state/incident-name.ts';
import { isGivenUp, type MessageAddition } from '../../incident/state/message-notes.ts';
import { slackLimits } from '../../slack/limits.ts';
import { countOthers, type Reaction } from '../../slack/read-message.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { confirmation, toMrkdwn, toSafeUrl } from '../../text/blocks.ts';
import { whenAndAge } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { fromSeconds, isAhead } from '../../text/times.ts';
import { cap, stripControls, toLines } from '../../text/words.ts';

/** A thread, and the incident to which it is added. */
export const ThreadAddress = z.object({ incidentID: z.string(), channelId: z.string(), threadTs: z.string() });
export type ThreadAddress = z.output<typeof ThreadAddress>;

/** The button that adds a whole thread, as it looks. */
export const threadFace = { id: 'timeline.thread', label: 'Add the whole thread' } as const;

/** The button, which asks first when words from a private channel would be read by others. */
function threadPress(thread: ThreadAddress, isFromPrivate: boolean) {
  const button = pressable(threadFace, thread);
  if (!isFromPrivate) return button;
  const confirm = confirmation({
    title: 'Add a private thread?',
    text: 'The thread is from a private channel. Everybody who sees the incident will read it.',
    confirm: 'Add it',
    deny: 'Keep it private',
    dangerous: false,
  });
  return { ...button, confirm };
}

/** Puts a message on an incident's timeline and marks it. */
export const addMessage = defineIntent({
  kind: messageKind,
  payload: MessageNote,
  result: Written,
  run: (context, note) => writeNote(context, withKept(note)),
  reconcile: (context, note) => findWritten(context, withKept(note)),
  findTwin: (context, note, written) => findTwinNote(context, withKept(note), written),
  did: (note, { result, incident, line }) => {
    const { isFromElsewhere, permalink, isTimed, eventTime, saidBy } = note;
    const words = isFromElsewhere ? 'a message from another channel' : 'a message';
    const message = permalink === '' || !line ? words : `<${toSafeUrl(permalink)}|${words}>`;
    const time = isTimed && !line ? ` for ${whenAndAge(eventTime)}` : '';
    const who = saidBy === '' || line ? '' : `, said by ${toMrkdwn(saidBy, 80)}`;
    const quote = `“${toMrkdwn(toLines(note.text), line ? 300 : 120)}”`;
    if (!result) {
      const file = note.kept ? ' and what its file says' : '';
      return { verb: 'add', what: `“${toMrkdwn(note.text, 200)}”${file} to the timeline of ${incident}` };
    }
    return {
      ...{ sign: signs.note, verb: 'add' },
      what: `${message} to the timeline of ${incident}${time}: ${quote}${who}`,
      ...(isFromElsewhere ? {} : { room: [] }),
    };
  },
  mapTexts: mapNoteTexts,
  links: ({ channelId, ts }) => ({ message: { channelId, ts } }),
  afterDone: async ({ deps, location, id }, _item, note) => {
    const trouble = await markAdded(deps, id, note);
    const { incidentID, channelId, threadTs } = note;
    return {
      buttons: threadTs ? [threadPress({ incidentID, channelId, threadTs }, note.isFromPrivate)] : [],
      notes: [
        ...(await wayTo(deps, incidentID, location.channelId)),
        ...(note.isCut
          ? [
              `It has more than ${maxNote} characters, so the note ends early. The link in it leads to the whole message.`,
            ]
          : []),
      ],
      troubles: [
        ...(trouble === '' ? [] : [trouble]),
        ...(note.permalink ? [] : ['Slack gave me no link to the message, so the note has no link.']),
      ],
    };
  },
  undo: ({ activityItemID }, { incidentID, text, channelId, ts }) =>
    undoNote({ incidentID, activityItemID }, text, { channelId, ts }),
});

/**
 * Marks a message that the intent `id` has noted, unless the note was removed while Slack took its time. Returns a sentence of mrkdwn
 * when that failed.
 */
export async function markAdded(deps: IncidentDeps, id: string, message: MessageAddress): Promise<string> {
  const trouble = await markMessage(deps, message);
  const added = await deps.messageNotes.of(messageKind, message);
  if (added.some(each => each.id === id && each.isRemoved)) await unmarkIfOver(deps, message);
  return trouble;
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

/** The key under which a message is added: that of its last note, or a new one when that note `isOver`. */
export async function keyOf(
  ctx: Context,
  note: MessageNote,
  isOver: (last: MessageAddition) => Promise<boolean>,
): Promise<string> {
  const before = await additionsOf(ctx, note.incidentID, note);
  // This delivery is handled a second time: it added the note before, whatever became of that since.
  const mine = before.find(each => each.state !== 'discarded' && MessageNote.parse(each.payload).delivery === ctx.key);
  if (mine) return mine.key;
  const [first, last] = [messageKey(note.incidentID, ctx.actor.teamId, note), before.at(-1)];
  if (!last) return first;
  return (await isOver(last)) ? `${first}/after/${last.id}` : last.key;
}

/** The intents of a person's workspace that put a message on the timeline of an incident, oldest first. */
export async function additionsOf({ deps, actor }: Context, incidentID: string, message: MessageAddress) {
  const subject = await deps.rooms.currentID(incidentID);
  const all = await deps.messageNotes.of(messageKind, message);
  return all.filter(each => each.subject === subject && each.teamId === actor.teamId);
}

/**
 * Adds a message once. A message on the timeline is not added again. One that was removed since is, because the person asks for it
 * now. The key is found before anything is submitted, so a change of the message that comes meanwhile waits.
 */
async function addOnce(ctx: Context, note: MessageNote): Promise<Submitted<Written>> {
  const key = await keyOf(ctx, note, last => isGone(ctx.deps, last));
  return ctx.submit(addMessage, note, { incidentID: note.incidentID, key });
}

/** Adds a message and answers. `isOutdated`: it was edited since, and keeps the words it has here. */
export async function addToTimeline(
  ctx: Context,
  message: SourceMessage,
  incidentID: string,
  isOutdated = false,
): Promise<void> {
  const note = await toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key);
  await (await addOnce(ctx, isOutdated ? { ...note, isOutdated } : note)).tell();
}

/** A message's words as the form shows them and gives them back. */
function toTyped(text: string): string {
  return stripControls(text.slice(0, slackLimits.inputText)).toWellFormed().trim();
}

/** The minute of a message, in epoch seconds: the field knows no seconds. */
function minuteOf(ts: string): number {
  return Math.floor(Number(ts) / 60) * 60;
}

/** The form that adds a message with other words, at another time, or as important. */
export const wordedForm = defineModal({
  id: 'timeline.worded',
  state: AboutMessage.extend({ isLong: z.boolean() }),
  view: (state, filled, { offered }) => ({
    title: 'Add to timeline',
    submit: 'Add',
    blocks: [
      ...incidentField(state, filled, offered),
      textField(
        {
          id: 'text',
          label: 'What happened',
          multiline: true,
          ...(state.isLong
            ? {
                hint: `The message is longer than a form shows. Leave these ${slackLimits.inputText} characters, and all of it is added.`,
              }
            : {}),
        },
        filled,
      ),
      momentField(
        { id: 'at', label: 'When', hint: 'In your own time zone. Empty: when it was said.', optional: true },
        filled,
      ),
      checksField(
        {
          id: 'options',
          label: 'Options',
          optional: true,
          options: [{ value: 'important', label: 'It is important' }],
        },
        filled,
      ),
      ...privateNotice(state),
    ],
  }),
  check: (filled, state, { now }) => {
    const { incidentID, problems: missing } = checkIncident(filled, state);
    const text = toTyped(fieldValue(filled, 'text'));
    const at = Number(fieldValue(filled, 'at'));
    const problems = {
      ...missing,
      ...(text === '' ? { text: 'A note needs words.' } : {}),
      ...(at > 0 && isAhead(fromSeconds(at), now) ? { at: 'That is in the future: give a time that has passed.' } : {}),
    };
    if (Object.keys(problems).length > 0) return { problems };
    return { value: { incidentID, text, at, important: fieldValues(filled, 'options').includes('important') } };
  },
  submit: async (ctx, { incidentID, text, at, important }, { draft }) => {
    const newest = await readNewest(ctx, draft);
    if (!newest) return;
    const { kept, message } = newest;
    const [shown, note] = await Promise.all([
      messageText(ctx.deps, kept),
      toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key),
    ]);
    const isSame = text === toTyped(shown);
    const isOutdated = newest.isOutdated || (!isSame && message !== kept);
    const isMoved = at > 0 && at !== minuteOf(message.ts);
    const added = await addOnce(ctx, {
      ...note,
      text: withImportance(isSame ? note.text : text, important),
      ...(isSame ? {} : { isCut: false, isWorded: true }),
      // The author who rewords their own message has said the new words too.
      ...(isSame || note.saidBy === '' ? {} : { editedBy: ctx.actor.name }),
      ...(isOutdated ? { isOutdated } : {}),
      ...(isMoved ? { eventTime: fromSeconds(at).toISOString(), isTimed: true } : {}),
    });
    await added.tell();
  },
});

/** What a person does where a message has nothing to add. */
export const instead = 'Write your own note with `/note add …`.';

const wordedId = 'add_worded';

/** The entry of the menu of a message that opens the form, filled with the message. */
export const wordedShortcut = onMessage({
  id: wordedId,
  name: 'Add with time and text…',
  description: 'Record this message on a timeline, with another text or time, or as important',
  instead,
  run: async (ctx, message) => {
    const [here, text] = await Promise.all([incidentOf(ctx, message), messageText(ctx.deps, message)]);
    const form = await toMessageForm(ctx, wordedId, message, here);
    if (!form) return;
    const filled = { ...form.filled, text: toTyped(text), at: String(minuteOf(message.ts)) };
    await ctx.openForm(
      wordedForm,
      { ...form.state, isLong: text.length > slackLimits.inputText },
      filled,
      form.offered,
    );
  },
});

/** Reactions that put the message on the timeline, as a note or as an important one. */
export const reactions: readonly ReactionHandler[] = [
  { means: 'note', added: (...of) => addByReaction(...of, false), removed: takeOffUnwanted },
  { means: 'update', added: (...of) => addByReaction(...of, true), removed: takeOffUnwanted },
];

/** Adds a message once. The mark on it is the answer; words follow where there is no mark. */
async function addByReaction(
  ctx: Context,
  incidentID: string,
  message: SourceMessage,
  important: boolean,
): Promise<void> {
  const plain = await toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key);
  const note = { ...plain, text: withImportance(plain.text, important) };
  const outcome = await addOnce(ctx, note);
  const isMarked = outcome.state === 'done' && (await markAdded(ctx.deps, outcome.id, note)) === '';
  if (!isMarked && !(outcome.state === 'done' && outcome.repeated)) await outcome.tell();
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
    if (outcome.state !== 'done' || outcome.result.isRemoved) await outcome.tell();
  }
}
