import { expect, test } from 'vitest';
import type { ActivityItem } from '../../../../src/contract/activity.ts';
import { changeWords } from '../../../../src/service/pages/timeline.ts';

const nobody = { userID: '', name: '', photoURL: '' };

/** What the page says of a task that was added. */
async function added(subject: string, text: string): Promise<string> {
  const item = {
    ...{ activityKind: 'taskAdded', body: 'Task added: check the disk', url: '', eventTime: '2026-09-19T09:00:00Z' },
    ...{ fieldValues: text === '' ? {} : { text }, subjectUser: { ...nobody, name: subject } },
  };
  return String(await changeWords(item as unknown as ActivityItem, false)).replace(/<[^>]*>/g, '');
}

test.each([
  ['with an assignee and its words', 'Ben', 'check the disk', 'Task added for Ben: check the disk'],
  ['for nobody', '', 'check the disk', 'Task added: check the disk'],
  ['whose words are not told', 'Ben', '', 'Task added: check the disk'],
])('a task %s is told so', async (_, subject, text, words) => {
  expect(await added(subject, text)).toBe(words);
});
