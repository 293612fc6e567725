import { RpcError } from '../../../contract/errors.ts';
import {
  askTimes,
  readTypedTime,
  type TypedTime,
  wantsToChange,
  wasAsked,
} from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineModal, fieldValue, momentField, textField } from '../../dispatch/forms/modal.ts';
import { incidentButton, OnIncident } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagText } from '../../grammar/grammar.ts';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { addNote } from '../../incident/notes/intents.ts';
import { maxNote, Note, wordsOf } from '../../incident/notes/notes.ts';
import { isGivenUp } from '../../incident/state/message-notes.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { slackLimits } from '../../slack/limits.ts';
import { messageOfKey } from '../../slack/source-message.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { formatDuration, fromSeconds, isAhead, toSlackDate } from '../../text/times.ts';
import { leadingTime, trailingTime } from '../../text/times-in-text.ts';
import { stripControls } from '../../text/words.ts';
import { correctNote } from './intents.ts';
import { faces } from './list.ts';

/** Adds a note and answers. `at` is when it happened (RFC 3339), `""` for now. */
async function add(
  ctx: Context,
  incidentID: string,
  text: string,
  at: string,
  more: Pick<Note, 'typedIn' | 'notice'> = {},
): Promise<void> {
  const eventTime = at || ctx.now.toISOString();
  const timed = at ? { isTimed: true } : {};
  const note = { incidentID, text, eventTime, ...wordsOf(ctx.actor), ...more, ...timed, source: 'note' };
  await ctx.carryOut(addNote, note, { incidentID });
}

/** The form that puts a note on the timeline. */
export const noteForm = defineModal({
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
export const noteButton = incidentButton(faces.add, (ctx, incidentID) => ctx.openForm(noteForm, { incidentID }));

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

/** Says that a time lies long before its incident began; `""` when it does not, or nobody knows. */
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
export async function runAdd(ctx: Context, args: Args, incidentID: string): Promise<void> {
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
export async function runCorrect(ctx: Context, args: Args, first: string): Promise<boolean> {
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
