import { z } from 'zod';
import type { ActivityItem } from '../../../contract/activity.ts';
import { RpcError } from '../../../contract/errors.ts';
import { readFormed, splitNoteBody } from '../../../contract/note-forms.ts';
import { receiptWords } from '../../dispatch/answers/receipts.ts';
import {
  askTimes,
  readTypedTime,
  type TypedTime,
  wantsToChange,
  wasAsked,
} from '../../dispatch/command/typed-times.ts';
import type { Context, Modal, Submitted } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, type Feature } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, momentField, textField } from '../../dispatch/forms/modal.ts';
import { incidentButton, OnIncident, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagText } from '../../grammar/grammar.ts';
import { writingVerbs } from '../../grammar/verb.ts';
import { defineIntent, type IntentKind, toOwner } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { addNote, maxQuote, removalKey, removeNote } from '../../incident/notes/intents.ts';
import {
  findNote,
  maxNote,
  Note,
  NoteAddress,
  noteBody,
  notedMessage,
  rewriteBody,
  Written,
  withImportance,
  wordsOf,
} from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isGivenUp } from '../../incident/state/message-notes.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { slackLimits } from '../../slack/limits.ts';
import { messageOfKey } from '../../slack/source-message.ts';
import { callout, sentence, toMrkdwn } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration, fromSeconds, isAhead, timeLength, toSlackDate } from '../../text/times.ts';
import { leadingTime, trailingTime } from '../../text/times-in-text.ts';
import { cap, stripControls, toLines } from '../../text/words.ts';
import { faces, ListedNote, newestNotes, pageWords, runTimeline, showPage, timelineButtons } from './list.ts';

/** Replaces the words of a note. */
const rewordNote = defineIntent({
  kind: 'note.reword',
  payload: NoteAddress.extend({ body: z.string() }),
  result: Written,
  run: async ({ api, call }, { incidentID, activityItemID, body }) => {
    await api.ActivityService.UpdateActivityBody({ incidentID, activityItemID, body }, call);
    return { activityItemID };
  },
  did: ({ body }) => ({
    ...{ sign: signs.changed, verb: 'change' },
    what: `a note: “${toMrkdwn(toLines(splitNoteBody(body).text), 300)}”`,
  }),
  mapTexts: (note, change) => ({ ...note, body: change(note.body) }),
  update: ({ activityItemID }, { body }) => ({ kind: 'reworded', activityItemID, text: readFormed(body).text }),
});

/** Moves a note to another time; an empty one is the moment at which it was noted. */
const retimeNote = defineIntent({
  kind: 'note.retime',
  payload: NoteAddress.extend({ eventTime: z.string() }),
  result: Written,
  run: async ({ api, call }, { incidentID, activityItemID, eventTime }) => {
    await api.ActivityService.UpdateActivityEventTime({ incidentID, activityItemID, eventTime }, call);
    return { activityItemID };
  },
  did: ({ eventTime }) => ({
    ...{ verb: 'move', room: [] },
    what: `the note to ${eventTime === '' ? 'the time when it was written' : when(eventTime)}`,
  }),
});

/**
 * Brings a note up to date with the message that added it, which its author edited. `note` is the intent that adds it: it may still
 * be queued, and runs first then, in the same lane. An empty `eventTime` leaves the note's time; `notice` says why (mrkdwn).
 */
const correctNote = defineIntent({
  kind: 'note.correct',
  payload: z.object({
    incidentID: z.string(),
    note: z.string(),
    owner: z.string(),
    text: z.string(),
    eventTime: z.string(),
    notice: z.string().optional(),
  }),
  result: Written,
  run: async ({ api, call, deps }, { incidentID, note, owner, text, eventTime }) => {
    const added = await deps.journal.find(note, owner);
    if (added?.outcome?.state !== 'done') {
      throw new RpcError('failed_precondition', 'the note itself was not added', { maybeApplied: false });
    }
    const { activityItemID } = Written.parse(added.outcome.result);
    const body = noteBody({ ...Note.parse(added.payload), text });
    await api.ActivityService.UpdateActivityBody({ incidentID, activityItemID, body }, call);
    if (eventTime !== '') {
      await api.ActivityService.UpdateActivityEventTime({ incidentID, activityItemID, eventTime }, call);
    }
    return { activityItemID };
  },
  did: ({ text, notice = '' }, { incident }) => ({
    ...{ sign: signs.changed, verb: 'change', room: [] },
    what: `the note of ${incident} to “${toMrkdwn(toLines(text), 300)}”`,
    more: `You edited your message, and the note follows it. ${notice}`.trim(),
  }),
  mapTexts: (correction, change) => ({ ...correction, text: change(correction.text) }),
});

/** Runs an act on the note that a list showed; when it was removed since, says so. */
async function onListed(
  ctx: Context,
  { incidentID, activityItemID }: NoteAddress,
  act: (item: ActivityItem) => Promise<void>,
): Promise<void> {
  const item = await findNote(ctx.deps.api, incidentID, each => each.activityItemID === activityItemID);
  if (item) return act(item);
  await ctx.answer(sentence(`That note was already removed from the timeline of ${incidentLabel(incidentID)}.`));
}

/** Whether this person added the note: its fields name them, or the API does. */
async function isOwn({ deps, actor }: Context, item: ActivityItem): Promise<boolean> {
  const { addedByUser, addedByTeam = actor.teamId } = item.fieldValues;
  if (typeof addedByUser === 'string') return addedByUser === actor.userId && addedByTeam === actor.teamId;
  return item.user.userID !== '' && item.user.userID === (await deps.people.toKnown(actor)).userID;
}

/** The body with other words, which names this person where another one added the note. */
async function rewritten(ctx: Context, item: ActivityItem, text: string): Promise<string> {
  return rewriteBody(item.body, text, (await isOwn(ctx, item)) ? '' : ctx.actor.name);
}

/**
 * The form that changes a note in words and time. Its state is the note as it was when the form opened, since only changes are written; and
 * the list that it was opened from.
 */
const editForm = defineModal({
  id: 'note.edit',
  state: ListedNote.extend({ eventTime: z.string(), isText: z.boolean(), place: z.string().default('') }),
  view: ({ isText }, filled) => ({
    title: 'Change a note',
    submit: 'Save',
    blocks: [
      ...(isText
        ? [textField({ id: 'text', label: 'What happened', multiline: true }, filled)]
        : [
            callout(
              'info',
              'You can change only the time here: the words are another person’s, or too long for a form.',
            ),
          ]),
      momentField(
        { id: 'at', label: 'When', hint: 'In your own time zone. Empty: when it was written.', optional: true },
        filled,
      ),
    ],
  }),
  check: (filled, { isText }, { now }) => {
    const text = stripControls(fieldValue(filled, 'text')).trim();
    const at = Number(fieldValue(filled, 'at'));
    const problems = {
      ...(isText && text === '' ? { text: 'A note needs words. To delete it, press Remove in the list.' } : {}),
      ...(at > 0 && isAhead(fromSeconds(at), now) ? { at: 'That is in the future: give a time that has passed.' } : {}),
    };
    return Object.keys(problems).length > 0 ? { problems } : { value: { text, at } };
  },
  submit: (ctx, { text, at }, state) =>
    onListed(ctx, state, async item => {
      const { incidentID, activityItemID } = state;
      const sentences: string[] = [];
      const notDone: Submitted<Written>[] = [];
      const change = async <P>(intent: IntentKind<P, Written>, payload: P, hasMore: boolean) => {
        const outcome = await ctx.submit(intent, payload, { incidentID, hasMore });
        if (outcome.state === 'done') sentences.push((await receiptWords(ctx, intent, payload, outcome)).text);
        else notDone.push(outcome);
      };
      // Slack's field holds minutes. A note's time is finer, and stays when its minute is unchanged.
      const isMoved = at === 0 || Math.floor(at / 60) !== Math.floor(Date.parse(state.eventTime) / 60_000);
      if (state.isText && text !== splitNoteBody(item.body).text) {
        const body = await rewritten(ctx, item, text);
        await change(rewordNote, { incidentID, activityItemID, body }, isMoved);
      }
      if (isMoved) {
        const eventTime = at === 0 ? '' : fromSeconds(at).toISOString();
        await change(retimeNote, { incidentID, activityItemID, eventTime }, false);
      }
      if (sentences.length > 0) {
        const wanted = { incidentID, ...(state.page ?? newestNotes) };
        await ctx.replaceKept(state.place, await pageWords(ctx, wanted, sentence(sentences.join(' '))));
      }
      if (sentences.length + notDone.length === 0)
        await ctx.answer(sentence('You changed nothing, so the note stays as it is.'));
      for (const outcome of notDone) await outcome.tell();
    }),
});

const editListed = defineButton({
  ...faces.edit,
  value: ListedNote,
  run: (ctx, { value }) =>
    onListed(ctx, value, async ({ body, eventTime, fieldValues }) => {
      const { text } = splitNoteBody(body);
      const isText = text.length <= slackLimits.inputText && typeof fieldValues.saidBy !== 'string';
      const at = String(Math.floor(Date.parse(eventTime) / 1000));
      const state = { ...value, eventTime, isText, place: ctx.keepMessage() };
      await ctx.openForm(editForm, state, { ...(isText ? { text } : {}), at });
    }),
});

/** Marks one of the listed notes as important, or as usual again. */
const markListed = defineButton({
  ...faces.mark,
  value: ListedNote.extend({ important: z.boolean() }),
  run: (ctx, { value: { important, page, ...address } }) =>
    onListed(ctx, address, async item => {
      const { incidentID } = address;
      const body = await rewritten(ctx, item, withImportance(splitNoteBody(item.body).text, important));
      // Its words are there already.
      const { words } = await ctx.perform(rewordNote, { ...address, body }, { incidentID, isExamined: true });
      if (words) await showPage(ctx, { incidentID, ...(page ?? newestNotes) }, words);
    }),
});

const removeListed = defineButton({
  ...faces.remove,
  value: ListedNote,
  run: (ctx, { value: { page, ...address } }) =>
    onListed(ctx, address, async item => {
      const { incidentID, activityItemID } = address;
      const mark = notedMessage(item);
      const { addedBy } = item.fieldValues;
      const adder = typeof addedBy === 'string' && addedBy !== '' ? addedBy : item.user.name;
      const payload = {
        ...address,
        text: cap(splitNoteBody(item.body).text, maxQuote),
        ...(mark ? { mark } : {}),
        ...((await isOwn(ctx, item)) ? {} : { whose: adder }),
      };
      const { words } = await ctx.perform(removeNote, payload, {
        incidentID,
        key: removalKey(incidentID, activityItemID),
      });
      if (words) await showPage(ctx, { incidentID, ...(page ?? newestNotes) }, words);
    }),
});

const listedButtons = [editListed, markListed, removeListed] as Button[];

/** Adds a note and answers. `at` is when it happened (RFC 3339), `""` for now. */
async function add(
  ctx: Context,
  incidentID: string,
  text: string,
  at: string,
  more: Partial<Note> = {},
): Promise<void> {
  const eventTime = at || ctx.now.toISOString();
  const timed = at ? { isTimed: true } : {};
  const note = { incidentID, text, eventTime, ...wordsOf(ctx.actor), ...more, ...timed, source: 'note' };
  await ctx.carryOut(addNote, note, { incidentID });
}

const noteForm = defineModal({
  id: 'note.add',
  state: OnIncident,
  view: (_state, filled) => ({
    title: 'Add a note',
    submit: 'Add',
    blocks: [
      textField({ id: 'text', label: 'What happened?', multiline: true }, filled),
      momentField({ id: 'at', label: 'When', optional: true, hint: 'In your own time zone. Empty: now' }, filled),
    ],
  }),
  check: (filled, _state, { now }) => {
    const text = stripControls(fieldValue(filled, 'text')).trim();
    const typed = fieldValue(filled, 'at');
    const at = typed === '' ? undefined : fromSeconds(Number(typed));
    const problems = {
      ...(text === '' ? { text: 'A note needs words.' } : {}),
      ...(at && isAhead(at, now) ? { at: 'That is in the future: give a time that has passed.' } : {}),
    };
    return Object.keys(problems).length > 0 ? { problems } : { value: { text, at: at?.toISOString() ?? '' } };
  },
  submit: (ctx, { text, at }, { incidentID }) => add(ctx, incidentID, text, at),
});

/** Opens the form from an incident's card. */
const noteButton = incidentButton(faces.add, (ctx, incidentID) => ctx.openForm(noteForm, { incidentID }));

/** A note's time. Without one it is now; `notice` says in mrkdwn what the person did not type. */
interface NoteTime {
  readonly time: TypedTime | undefined;
  readonly notice: string;
}

/** Reads the time of a note: the one after `--at`, else one that its text begins or ends with. The text keeps its words. */
function readNoteTime(
  ctx: Context,
  now: Date,
  typed: string | undefined,
  text: string,
): NoteTime | { readonly problem: string } {
  const isKnown = wasAsked(ctx);
  const reading = { now, timeZone: ctx.actor.timeZone };
  const lead = typed === undefined && !isKnown ? leadingTime(text, reading) : undefined;
  const tail = typed === undefined && !isKnown && !lead ? trailingTime(text, reading) : undefined;
  const found = lead ?? tail;
  const words = typed ?? found?.typed;
  const shown = `“${toMrkdwn(words ?? '', 80)}”`;
  if (found?.isNot === 'ahead') return { time: undefined, notice: `Its time is now: ${shown} is still to come.` };
  if (found?.isNot === 'zoneless')
    return { time: undefined, notice: `Its time is now: I do not know in which time zone ${shown} is.` };
  if (words === undefined && !isKnown) return { time: undefined, notice: '' };
  const time = readTypedTime(ctx, 'at', words ?? '', { now });
  if ('problem' in time) return { problem: `Nothing was added: ${time.problem}` };
  const doubt = [time.doubt, found?.doubt].filter(Boolean).join(' ');
  const mayBeNone = tail !== undefined || (lead !== undefined && lead.doubt !== '');
  return { time: { ...time, doubt, mayBeNone }, notice: words === undefined ? '' : `I took the time from ${shown}.` };
}

/** Reads a typed note, or yields a sentence of mrkdwn on what is wrong with it. A time counts from `now`. */
function readNote(
  ctx: Context,
  args: Args,
  now: Date,
): (NoteTime & { readonly text: string }) | { readonly problem: string } {
  const text = stripControls(args.text).trim();
  const time = readNoteTime(ctx, now, flagText(args, 'at'), text);
  if ('problem' in time) return time;
  if (text === '')
    return { problem: 'The note is empty. Write it after the command, for example `/note add rolled back to v41`.' };
  if (text.length > maxNote) {
    return {
      problem: `A note has at most ${maxNote} characters, and this one has ${text.length}. Split it, or link to the full text.`,
    };
  }
  return { text, ...time };
}

/** How long before its incident began a note may lie without a word on it, in seconds. */
const usualLead = 3600;

/** Says that a time lies long before its incident began; `""` when it does not, or that is not known. */
async function beforeStart(ctx: Context, incidentID: string, at: Date): Promise<string> {
  if (isProvisional(incidentID)) return '';
  try {
    const { incidentStart } = await readKnown(ctx.deps, incidentID);
    const lead = (Date.parse(incidentStart) - at.getTime()) / 1000;
    if (!(lead > usualLead)) return '';
    return `That is ${formatDuration(lead)} before the incident began (${toSlackDate(new Date(incidentStart))}).`;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return '';
  }
}

/** `/note add`. Without words it opens a form. */
async function runAdd(ctx: Context, args: Args, incidentID: string): Promise<void> {
  if (args.raw === '') return ctx.openForm(noteForm, { incidentID });
  const typed = readNote(ctx, args, ctx.now);
  if ('problem' in typed) return ctx.reject(typed.problem);
  const { text, time } = typed;
  const at = time?.at;
  const early = at ? await beforeStart(ctx, incidentID, at) : '';
  if (time && !wasAsked(ctx)) {
    const doubt = [time.doubt, early].filter(Boolean).join('\n');
    if (await askTimes(ctx, { times: [{ ...time, doubt }], does: 'Add', incidentID })) return;
  }
  if (at && wantsToChange(ctx)) {
    if (text.length > slackLimits.inputText) {
      return ctx.reject(
        `A form holds ${slackLimits.inputText} characters, and your note has ${text.length}. Type it with another time.`,
      );
    }
    return ctx.openForm(noteForm, { incidentID }, { text, at: String(Math.floor(at.getTime() / 1000)) });
  }
  const notice = early || typed.notice;
  await add(ctx, incidentID, text, at?.toISOString() ?? '', {
    typedIn: messageOfKey(ctx.key),
    ...(notice ? { notice } : {}),
  });
}

/** Brings the note of an edited message up to date. */
async function runCorrect(ctx: Context, args: Args, first: string): Promise<boolean> {
  const owner = toOwner(ctx.actor);
  const named = flagText(args, 'incident')?.replace(/^#/, '').trim();
  // The newest one: the person may have been asked which incident they meant, or whether to do an edited command too.
  const message = messageOfKey(first);
  const added = (message ? await ctx.deps.messageNotes.of(addNote.kind, message) : []).findLast(
    each => each.owner === owner && !isGivenUp(each) && (named === undefined || named === each.subject),
  );
  if (!added) return false;
  const { incidentID } = Note.parse(added.payload);
  const typed = readNote(ctx, args, added.askedAt);
  if ('problem' in typed) {
    await ctx.reject(`${typed.problem} The note stays as it was before you edited your message.`);
    return true;
  }
  const { text, time } = typed;
  // A time that may mean two moments was asked about when the note was added.
  const eventTime = time && time.doubt === '' ? time.at.toISOString() : '';
  const notice =
    time && eventTime === '' ? `Its time stays as it was: “${toMrkdwn(time.typed, 80)}” may mean another one.` : '';
  const payload = { incidentID, note: added.id, owner, text, eventTime, ...(notice ? { notice } : {}) };
  await ctx.carryOut(correctNote, payload, { incidentID });
  return true;
}

/** Notes: adding, undoing, and correcting them; and the timeline, which they are part of. */
export const note: Feature = {
  verbs: [
    {
      noun: 'note',
      verb: 'add',
      example: '`/note add rolled back to v41` goes on the timeline',
      aliases: ['write', 'log', 'record', 'post', 'new', 'create'],
      managed: { words: [...writingVerbs, 'log', 'record'] },
      fallback: 'text',
      argumentKind: 'prose',
      usage: '<text> [--at 20m ago]',
      summary: 'Put a note on the incident’s timeline, at the time it speaks of.',
      flags: { at: { kind: 'phrase', length: timeLength, hint: 'when it happened: 20m ago, 14:05' } },
      run: runAdd,
      correct: runCorrect,
    },
    {
      noun: 'note',
      verb: 'list',
      aliases: ['show', 'ls', 'view'],
      textVerb: 'add',
      bare: true,
      argumentKind: 'nothing',
      summary: 'Show the notes, newest first, with buttons that change, move, mark or remove each.',
      reads: true,
      run: (ctx, _args, incidentID) => showPage(ctx, { incidentID, ...newestNotes }),
    },
    {
      noun: 'incident',
      verb: 'timeline',
      argumentKind: 'nothing',
      usage: '[notes|changes] [@user] [important] [since 20m ago]',
      summary: 'Show the timeline, newest first, page by page; each note can be changed, marked or removed.',
      reads: true,
      run: runTimeline,
    },
  ],
  modals: [editForm, noteForm] as Modal[],
  buttons: [...listedButtons, ...timelineButtons, noteButton] as Button[],
  onCard: ({ incidentID }) => [onCard('note', noteButton, { incidentID })],
  intents: [addNote, correctNote, removeNote, rewordNote, retimeNote],
};
