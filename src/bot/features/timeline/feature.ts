import type { Modal } from '../../dispatch/feature/context.ts';
import type { Button, Feature } from '../../dispatch/feature/feature.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { writingVerbs } from '../../grammar/verb.ts';
import { addNote, removeNote } from '../../incident/notes/intents.ts';
import { timeLength } from '../../text/times.ts';
import { noteButton, noteForm, runAdd, runCorrect } from './add.ts';
import { editForm, listedButtons } from './edit.ts';
import { correctNote, retimeNote, rewordNote } from './intents.ts';
import { newestNotes, runTimeline, showPage, timelineButtons } from './list.ts';

/** Notes: adding, undoing, and correcting them; and the timeline, which they are part of. */
export const note: Feature = {
  name: 'note',
  verbs: [
    {
      noun: 'note',
      verb: 'add',
      aliases: ['write', 'log', 'record', 'post', 'new', 'create'],
      managed: { words: [...writingVerbs, 'log', 'record'] },
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
      run: (ctx, _args, incidentID) => showPage(ctx, { incidentID, ...newestNotes }),
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
  modals: [editForm, noteForm] as Modal[],
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
