import { expect, test } from 'vitest';
import { isOfNote, itemText } from '../../../../../src/bot/incident/notes/timeline-words.ts';
import { ActivityItem } from '../../../../../src/contract/activity.ts';

/** The fields of a change of a task, and what a reader reads of it. */
const changes = [
  [{ status: 'progress' }, 'Task started: Fail over'],
  [{ status: 'todo' }, 'Task opened again: Fail over'],
  [{ userID: 'u2' }, 'Task given to bob: Fail over'],
  [{ userID: '' }, 'Task unassigned: Fail over'],
  [{}, 'Task reworded: Fail over'],
] as const;

function itemOf(fieldValues: Record<string, unknown>, activityKind = 'taskUpdated') {
  const subjectUser = { userID: 'u2', name: 'bob', photoURL: '' };
  return ActivityItem.parse({ activityKind, body: 'Task updated: Fail over', fieldValues, subjectUser });
}

test.each(changes)('a change of %j reads “%s”', (fields, words) => {
  expect(itemText(itemOf({ taskID: 't1', text: 'Fail over', ...fields }))).toBe(words);
});

test('what is no such change, or has no fields, reads as the API says it', () => {
  expect(itemText(itemOf({}))).toBe('Task updated: Fail over');
  expect(itemText(itemOf({ text: 'Fail over', status: 'done' }, 'taskCompleted'))).toBe('Task updated: Fail over');
});

test.each([
  ['see https://a.example/x', true],
  ['(https://a.example/x).', true],
  ['<https://a.example/x|the graph>', true],
  ['https://a.example/x/long', false],
  ['https://a.example/xy', false],
  ['nothing', false],
])('a link to https://a.example/x belongs to the note “%s” of that moment: %s', (body, isIts) => {
  const createdTime = '2026-11-20T12:00:00Z';
  const link = ActivityItem.parse({ activityKind: 'contextAttached', url: 'https://a.example/x', createdTime });
  const note = ActivityItem.parse({ activityKind: 'userNote', body, createdTime });
  expect(isOfNote(link, [note, link])).toBe(isIts);
});
