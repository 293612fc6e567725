import type { ActivityItem } from '../../../contract/activity.ts';
import type { Context } from '../../dispatch/context.ts';
import { type Feature, pressable } from '../../dispatch/feature.ts';
import { type Args, flagText } from '../../grammar/grammar.ts';
import { when } from '../../incident/card-view.ts';
import { toOwner } from '../../incident/intent-kind.ts';
import { addNote, removeNote } from '../../incident/note-intents.ts';
import { listNotes, maxNote, Note, splitNoteBody } from '../../incident/notes.ts';
import { actions, context, section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { looksLikeTime } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';
import { correctNote } from './correct.ts';
import { edit, editListed, isOwn, removeListed, retimeNote, rewordNote, tidy } from './edit.ts';
import { beforeStart, readNoteTime } from './note-time.ts';

/** Notes that a list shows. */
const maxListed = 10;

/** A note as a person typed it. `at` is undefined when it names no time; `notice` is what its receipt says on the time. */
interface TypedNote {
  readonly text: string;
  readonly at: Date | undefined;
  readonly notice: string;
}

/** Reads a typed note, or yields a sentence of mrkdwn on what is wrong with it. A time counts from `now`. */
function readNote(ctx: Context, args: Args, now: Date): TypedNote | { readonly problem: string } {
  const text = tidy(args.sentence);
  const time = readNoteTime({ now, timeZone: ctx.actor.timeZone }, flagText(args, 'at'), text);
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
  const typed = readNote(ctx, args, ctx.now);
  if ('problem' in typed) return ctx.reject(typed.problem);
  const { text, at } = typed;
  const notice = [typed.notice, at ? await beforeStart(ctx, incidentID, at) : ''].filter(Boolean).join(' ');
  const note = {
    incidentID,
    text,
    eventTime: (at ?? ctx.now).toISOString(),
    saidBy: '',
    addedBy: ctx.actor.name,
    addedByUser: ctx.actor.userId,
    addedByTeam: ctx.actor.teamId,
    permalink: '',
    ...(at ? { isTimed: true } : {}),
    ...(notice ? { notice } : {}),
    source: 'note',
  };
  await ctx.carryOut(addNote, note, { incidentID });
}

/** Brings the note of an edited message up to date. */
async function runCorrect(ctx: Context, args: Args, first: string): Promise<boolean> {
  const owner = toOwner(ctx.actor);
  const named = flagText(args, 'incident')?.replace(/^#/, '').trim();
  // The newest one: the person may have been asked which incident they meant, or whether to do an edited command too.
  const added = (await ctx.deps.journal.findLike(addNote.kind, `${first}/%`)).find(
    ({ owner: adder, state, subject }) =>
      adder === owner && state !== 'failed' && state !== 'discarded' && (named === undefined || named === subject),
  );
  if (!added) return false;
  const { incidentID } = Note.parse(added.payload);
  const typed = readNote(ctx, args, added.askedAt);
  if ('problem' in typed) {
    await ctx.reject(`${typed.problem} The note stays as it was before you edited your message.`);
    return true;
  }
  const { text, at } = typed;
  const payload = { incidentID, note: added.id, owner, text, eventTime: at?.toISOString() ?? '' };
  await ctx.carryOut(correctNote, payload, { incidentID });
  return true;
}

async function runList(ctx: Context, _args: Args, incidentID: string): Promise<void> {
  const notes: ActivityItem[] = [];
  for await (const item of listNotes(ctx.deps.api, incidentID)) {
    notes.push(item);
    if (notes.length >= maxListed) break;
  }
  const incident = toMrkdwn(incidentID, 40);
  if (notes.length === 0) {
    await ctx.answer(
      sentence(
        `There are no notes on incident ${incident} yet. \`/note add …\` writes one, and *Add to timeline* in a message’s menu records the message.`,
      ),
    );
    return;
  }
  const title = `*The last ${notes.length === 1 ? 'note' : `${notes.length} notes`} on incident ${incident}*, newest first`;
  const rows = await Promise.all(
    notes.map(async item => {
      const { text, foot } = splitNoteBody(item.body);
      const who = foot.slice(2).replace(/: https?:\S+$/, '') || item.user.name || 'an integration';
      const line = `${when(item.eventTime)} ${toMrkdwn(toOneLine(text), 140)}\n_${toMrkdwn(toOneLine(who), 120)}_`;
      const address = { incidentID, activityItemID: item.activityItemID };
      const buttons = [pressable(editListed, address), pressable(removeListed, address)];
      return [section(line), ...((await isOwn(ctx, item)) ? [actions(buttons)] : [])];
    }),
  );
  await ctx.answer({
    text: title,
    blocks: [section(title), ...rows.flat(), context('You can change the notes that you added.')],
  });
}

/** Notes: adding, undoing, listing, and correcting their words and time. */
export const note: Feature = {
  name: 'note',
  verbs: [
    {
      noun: 'note',
      verb: 'add',
      aliases: ['write', 'log', 'record', 'post'],
      fallback: 'text',
      begins: 'prose',
      usage: '<text> [--at 20m ago]',
      summary: 'Put a note on the incident’s timeline, at the time it speaks of.',
      flags: { at: { kind: 'phrase', fits: looksLikeTime, hint: 'when it happened: 20m ago, 14:05' } },
      about: 'incident',
      run: runAdd,
      correct: runCorrect,
    },
    {
      noun: 'note',
      verb: 'list',
      aliases: ['show', 'ls', 'view'],
      bare: true,
      begins: 'nothing',
      usage: '',
      summary: 'Show the last ten notes; your own have buttons that change or remove them.',
      reads: true,
      about: 'incident',
      needsRegistered: true,
      run: runList,
    },
  ],
  modals: [edit],
  buttons: [removeListed, editListed],
  intents: [addNote, correctNote, removeNote, rewordNote, retimeNote],
};
