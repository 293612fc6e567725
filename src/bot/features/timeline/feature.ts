import { askTimes, type TypedTime, wantsToChange, wasAsked } from '../../dispatch/command/typed-times.ts';
import type { Context, Modal } from '../../dispatch/feature/context.ts';
import type { Button, Feature } from '../../dispatch/feature/feature.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagText } from '../../grammar/grammar.ts';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { addNote, removeNote } from '../../incident/notes/intents.ts';
import { maxNote, Note, wordsOf } from '../../incident/notes/notes.ts';
import { isGivenUp } from '../../incident/state/message-notes.ts';
import { slackLimits } from '../../slack/limits.ts';
import { messageOfKey } from '../../slack/source-message.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { timeLength } from '../../text/times.ts';
import { listedButtons } from './buttons.ts';
import { correctNote } from './correct.ts';
import { edit, retimeNote, rewordNote, tidy } from './edit.ts';
import { noteButton, noteForm } from './form.ts';
import { runNotes, runTimeline, timelineButtons } from './list.ts';
import { beforeStart, readNoteTime } from './note-time.ts';

/** A note as a person typed it. `time` is undefined when it names none; `notice` is what its receipt says on the time. */
interface TypedNote {
  readonly text: string;
  readonly time: TypedTime | undefined;
  readonly notice: string;
}

/** Reads a typed note, or yields a sentence of mrkdwn on what is wrong with it. A time counts from `now`. */
function readNote(ctx: Context, args: Args, now: Date): TypedNote | { readonly problem: string } {
  const text = tidy(args.sentence);
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
  if (at && wantsToChange(ctx)) return openNote(ctx, incidentID, text, at);
  const notice = early || typed.notice;
  const note = {
    incidentID,
    text,
    eventTime: (at ?? ctx.now).toISOString(),
    ...wordsOf(ctx.actor),
    typedIn: messageOfKey(ctx.key),
    ...(at ? { isTimed: true } : {}),
    ...(notice ? { notice } : {}),
    source: 'note',
  };
  await ctx.carryOut(addNote, note, { incidentID });
}

/** Opens the form with what was typed. */
async function openNote(ctx: Context, incidentID: string, text: string, at: Date): Promise<void> {
  if (text.length > slackLimits.inputText) {
    return ctx.reject(
      `A form holds ${slackLimits.inputText} characters, and your note has ${text.length}. Type it with another time.`,
    );
  }
  await ctx.openForm(noteForm, { incidentID }, { text, at: String(Math.floor(at.getTime() / 1000)) });
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
  const payload = {
    incidentID,
    note: added.id,
    owner,
    text,
    eventTime,
    ...(notice ? { notice } : {}),
  };
  await ctx.carryOut(correctNote, payload, { incidentID });
  return true;
}

/** Notes: adding, undoing, and correcting them; and the timeline, which they are part of. */
export const note: Feature = {
  name: 'note',
  verbs: [
    {
      noun: 'note',
      verb: 'add',
      aliases: ['write', 'log', 'record', 'post', 'new', 'create'],
      managed: { words: ['add', 'new', 'create', 'make', 'write', 'log', 'record', 'post', 'send', 'publish'] },
      fallback: 'text',
      begins: 'prose',
      usage: '<text> [--at 20m ago]',
      summary: 'Put a note on the incident’s timeline, at the time it speaks of.',
      flags: { at: { kind: 'phrase', length: timeLength, hint: 'when it happened: 20m ago, 14:05' } },
      about: 'incident',
      run: runAdd,
      correct: runCorrect,
    },
    {
      noun: 'note',
      verb: 'list',
      aliases: ['show', 'ls', 'view'],
      withWords: 'add',
      bare: true,
      begins: 'nothing',
      usage: '',
      summary: 'Show the notes, newest first, with buttons that change, move, mark or remove each.',
      reads: true,
      about: 'incident',
      run: runNotes,
    },
    {
      noun: 'incident',
      verb: 'timeline',
      begins: 'nothing',
      usage: '[notes|changes] [@user] [important] [since 20m ago]',
      summary: 'Show the timeline, newest first, page by page; each note can be changed, marked or removed.',
      reads: true,
      about: 'incident',
      run: runTimeline,
    },
  ],
  modals: [edit, noteForm] as Modal[],
  buttons: [...listedButtons, ...timelineButtons, noteButton] as Button[],
  onCard: ({ incidentID }) => [onCard('note', noteButton, { incidentID })],
  intents: [addNote, correctNote, removeNote, rewordNote, retimeNote],
  operations: {
    'ActivityService.AddActivity': ['/note add', 'form note.add', 'button note.add'],
    'ActivityService.QueryActivity': ['/incident timeline', '/note list', 'button timeline.older'],
    'ActivityService.UpdateActivityBody': ['form note.edit', 'button note.edit', 'button note.important'],
    'ActivityService.UpdateActivityEventTime': ['form note.edit', 'button note.edit'],
    'ActivityService.RemoveActivity': ['button note.remove'],
  },
};
