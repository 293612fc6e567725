import { expect, test } from 'vitest';
import type { IntentContext } from '../../../../../src/bot/incident/acts/intent-kind.ts';
import { addNote } from '../../../../../src/bot/incident/notes/intents.ts';
import { type Note, noteBody } from '../../../../../src/bot/incident/notes/notes.ts';
import { ActivityItem } from '../../../../../src/contract/activity.ts';

const note: Note = {
  incidentID: '7',
  text: 'Rolled back',
  eventTime: '2026-03-02T14:00:00Z',
  saidBy: '',
  addedBy: 'Anna',
  permalink: '',
  source: 'note',
};

test('looking for a note again keeps to the budget of its intent, and only its id is stored', async () => {
  const call = { budget: 500 };
  const pages = [
    [{ activityItemID: 'a1', body: 'Something else' }],
    [{ activityItemID: 'a2', body: noteBody(note), eventTime: note.eventTime }],
  ];
  const asked: unknown[] = [];
  const QueryActivity = async (input: { cursor?: { nextValue: string } }, options: unknown) => {
    asked.push(options);
    const page = Number(input.cursor?.nextValue || '0');
    const cursor = { nextValue: `${page + 1}`, hasMore: page + 1 < pages.length };
    return { activityItems: pages[page]?.map(item => ActivityItem.parse(item)), cursor };
  };
  const context = { api: { ActivityService: { QueryActivity } }, call } as unknown as IntentContext;
  expect(await addNote.reconcile?.(context, note)).toEqual({ activityItemID: 'a2' });
  expect(asked).toEqual([call, call]);
});
