import { z } from 'zod';
import { explain } from '../../dispatch/answers/error-messages.ts';
import type { Context, Submitted } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { defineButton, onMessage, pressable, type Shortcut } from '../../dispatch/feature/feature.ts';
import type { ReactionHandler } from '../../dispatch/feature/reaction.ts';
import {
  AboutMessage,
  checkIncident,
  incidentField,
  privateNotice,
  readKept,
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
import { onlyIncidentHere } from '../../incident/acts/incidents-here.ts';
import { defineIntent, type IncidentDeps, toOwner } from '../../incident/acts/intent-kind.ts';
import { maxQuote, removalKey, removeNote, undoNote, unmarkIfOver } from '../../incident/notes/intents.ts';
import { markMessage } from '../../incident/notes/message-mark.ts';
import {
  findDashboards,
  hasContent,
  isGone,
  linkNotedFace,
  MessageNote,
  mapNoteTexts,
  messageKey,
  messageKind,
  messageText,
  toMessagePayload,
  withKept,
} from '../../incident/notes/message-note.ts';
import {
  findTwinNote,
  findWritten,
  listNotes,
  maxNote,
  Written,
  withImportance,
  writeNote,
} from '../../incident/notes/notes.ts';
import { incidentLabel, roomMention } from '../../incident/state/incident-name.ts';
import { isGivenUp, type MessageAddition } from '../../incident/state/message-notes.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { slackReason } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { countOthers, type Reaction } from '../../slack/read-message.ts';
import { type MessageAddress, type SourceMessage, toSourceMessage } from '../../slack/source-message.ts';
import { actions, confirmation, section, sentence, toMrkdwn, toSafeUrl } from '../../text/blocks.ts';
import { whenAndAge } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { fromSeconds, isAhead } from '../../text/times.ts';
import { cap, stripControls, toLines, toOneLine } from '../../text/words.ts';

const ThreadAddress = z.object({ incidentID: z.string(), channelId: z.string(), threadTs: z.string() });
type ThreadAddress = z.output<typeof ThreadAddress>;

/** The button that adds a whole thread, as it looks. */
const threadFace = { id: 'timeline.thread', label: 'Add the whole thread' } as const;

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
    const dashboards = findDashboards(deps.settings, note);
    return {
      buttons: [
        ...(threadTs ? [threadPress({ incidentID, channelId, threadTs }, note.isFromPrivate)] : []),
        ...(dashboards ? [pressable(linkNotedFace, dashboards)] : []),
      ],
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
async function markAdded(deps: IncidentDeps, id: string, message: MessageAddress): Promise<string> {
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
async function keyOf(
  ctx: Context,
  note: MessageNote,
  isOver: (last: MessageAddition) => Promise<boolean>,
): Promise<string> {
  const before = await additionsOf(ctx, note.incidentID, note);
  // This delivery is handled a second time: it added the note before, also when that is gone since.
  const mine = before.find(each => each.state !== 'discarded' && MessageNote.parse(each.payload).delivery === ctx.key);
  if (mine) return mine.key;
  const [first, last] = [messageKey(note.incidentID, ctx.actor.teamId, note), before.at(-1)];
  if (!last) return first;
  return (await isOver(last)) ? `${first}/after/${last.id}` : last.key;
}

/** The intents of a person's workspace that put a message on the timeline of an incident, oldest first. */
async function additionsOf({ deps, actor }: Context, incidentID: string, message: MessageAddress) {
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
async function addToTimeline(
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

/** The way for a person whose message has nothing to add. */
const instead = 'Write your own note with `/note add …`.';

const wordedId = 'add_worded';

/** The entry of the menu of a message that opens the form, filled with the message. */
const wordedShortcut = onMessage({
  id: wordedId,
  name: 'Add with time and text…',
  description: 'Record this message on a timeline, with another text or time, or as important',
  instead,
  run: async (ctx, message) => {
    const [here, text] = await Promise.all([
      onlyIncidentHere(ctx.deps, { teamId: ctx.actor.teamId, channelId: message.channelId }, ctx.now),
      messageText(ctx.deps, message),
    ]);
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
 * Removes the note that a reaction added, once the last person has taken the reaction back. A note that a person added from the menu
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
function threadOf({ channelId, ts, threadTs }: SourceMessage, incidentID: string): ThreadAddress {
  return { incidentID, channelId, threadTs: threadTs || ts };
}

/**
 * Adds the messages of a thread in order until one fails, and answers. A message whose note was removed earlier stays off: the person
 * asked for the whole thread.
 */
async function addThread(ctx: Context, value: ThreadAddress): Promise<void> {
  const { deps, key: delivery } = ctx;
  const { incidentID, channelId, threadTs } = value;
  const thread = await readThread(deps, channelId, threadTs);
  if ('problem' in thread) return ctx.answer(sentence(thread.problem));
  const { known, held, written, failed, added, queued, tried } = await addMessages(ctx, incidentID, thread.messages);
  const { apiName } = deps.settings;
  const there = known.length === 0 ? 0 : await countThere(deps, incidentID, known);
  const [removed, left] = [known.length - there, thread.messages.length - tried];
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
  // Slack takes these one by one, and the person does not wait for them.
  for (const { id, message } of written) await markAdded(deps, id, message);
  for (const outcome of held) await outcome.tell();
}

/** Adds messages in order until one fails or there are enough; yields how many of each outcome there are. */
async function addMessages(ctx: Context, incidentID: string, messages: readonly SourceMessage[]) {
  const known: string[] = [];
  // Each looks as if it held a secret, and the person chooses.
  const held: Submitted<Written>[] = [];
  const written: { readonly id: string; readonly message: MessageAddress }[] = [];
  let [added, queued, tried] = [0, 0, 0];
  for (const message of messages) {
    if (added + queued >= maxAtOnce) break;
    const note = await toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key);
    // A note that was discarded while it waited is added like a new one.
    const key = await keyOf(ctx, note, async last => last.state === 'discarded');
    const hasMore = message !== messages.at(-1);
    const outcome = await ctx.submit(addMessage, note, { incidentID, key, hasMore });
    if (outcome.state === 'failed') return { known, held, written, added, queued, tried, failed: outcome.error };
    tried += 1;
    // A note that this delivery added before its process died may not be marked yet.
    const isWritten = outcome.state === 'done' && (!outcome.repeated || ctx.mayAlreadyExist);
    if (isWritten) written.push({ id: outcome.id, message });
    if (outcome.state === 'held') held.push(outcome);
    else if (outcome.state === 'queued') queued += 1;
    else if (outcome.repeated) known.push(outcome.result.activityItemID);
    else added += 1;
  }
  return { known, held, written, added, queued, tried, failed: undefined };
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

/** How much of the message a form shows, in characters. */
const maxExcerpt = 150;

/** The form that asks to which incident a message or its thread belongs. */
export const pickForm = defineModal({
  id: 'timeline.pick',
  /** `excerpt` is how the message begins; `isWhole`: its whole thread is added. */
  state: AboutMessage.extend({ excerpt: z.string(), isWhole: z.boolean().default(false) }),
  view: (state, filled, { offered }) => ({
    title: state.isWhole ? 'Add thread to timeline' : 'Add to timeline',
    submit: 'Add',
    blocks: [
      ...(state.excerpt ? [section(`> ${toMrkdwn(state.excerpt)}`)] : []),
      ...incidentField(state, filled, offered),
      ...privateNotice(state),
    ],
  }),
  check: (filled, state) => {
    const { incidentID, problems } = checkIncident(filled, state);
    return incidentID === '' ? { problems } : { value: incidentID };
  },
  submit: async (ctx, incidentID, { draft, isWhole }) => {
    if (isWhole) {
      const kept = await readKept(ctx, draft);
      if (kept) await addThread(ctx, threadOf(kept, incidentID));
      return;
    }
    const newest = await readNewest(ctx, draft);
    if (newest) await addToTimeline(ctx, newest.message, incidentID, newest.isOutdated);
  },
});

/** Adds at once what was said where an incident is handled; elsewhere asks which one it belongs to. */
async function addOrAsk(ctx: Context, message: SourceMessage, isWhole: boolean): Promise<void> {
  const here = await onlyIncidentHere(ctx.deps, { teamId: ctx.actor.teamId, channelId: message.channelId }, ctx.now);
  if (here !== '') return isWhole ? addThread(ctx, threadOf(message, here)) : addToTimeline(ctx, message, here);
  const form = await toMessageForm(ctx, isWhole ? threadId : shortcutId, message, here);
  if (!form) return;
  const excerpt = cap(toOneLine(await messageText(ctx.deps, message)), maxExcerpt);
  await ctx.openForm(pickForm, { ...form.state, excerpt, isWhole }, form.filled, form.offered);
}

const shortcutId = 'add_timeline';
const threadId = 'add_thread';

/** The entries of the menu of a message that add it. */
export const addShortcuts: readonly Shortcut[] = [
  onMessage({
    id: shortcutId,
    name: 'Add to timeline',
    description: 'Record this message on an incident’s timeline',
    instead,
    run: (ctx, message) => addOrAsk(ctx, message, false),
  }),
  {
    kind: 'message',
    isGone: true,
    id: threadId,
    name: 'Add thread to timeline',
    description: 'Record this message’s whole thread on an incident’s timeline, each message once',
    run: (ctx, message) => addOrAsk(ctx, message, true),
  },
  wordedShortcut,
];
