import { addDays } from 'date-fns/addDays';
import { expect, test } from 'vitest';
import { createDrafts } from '../../../../../src/bot/dispatch/feature/drafts.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';

const now = new Date('2026-03-02T14:00:00Z');

test('a draft is its owner’s for a week', async () => {
  const drafts = createDrafts(await openBotDatabase(now));
  const owner = { teamId: 'T1', userId: 'U1' };
  const draft = { kind: 'command', root: 'incident', text: 'declare “Übersicht” \u0000 💥' } as const;
  const id = await drafts.keep(owner, draft, 'command/1', now);
  expect(await drafts.find(owner, id, addDays(now, 7))).toEqual(draft);
  expect(await drafts.find({ ...owner, userId: 'U2' }, id, now)).toBeUndefined();
  expect(await drafts.keep(owner, draft, 'command/1', addDays(now, 1))).toBe(id);
  expect(await drafts.keep(owner, draft, 'command/2', now)).not.toBe(id);
  expect(await drafts.find(owner, id, addDays(now, 8))).toBeUndefined();
});

test('a draft that is removed takes its owner’s other drafts of the same words with it, and nobody else’s', async () => {
  const drafts = createDrafts(await openBotDatabase(now));
  const owner = { teamId: 'T1', userId: 'U1' };
  const other = { ...owner, userId: 'U2' };
  const typed = (text: string) => ({ kind: 'command', root: 'note', text }) as const;
  const words = 'swörd\n"fish"';
  const removed = await drafts.keep(owner, typed('anything'), 'command/1', now);
  const same = await drafts.keep(owner, typed(`say ${words} to bob`), 'command/2', now);
  const left = await drafts.keep(owner, typed('say fish to bob'), 'command/3', now);
  const theirs = await drafts.keep(other, typed(words), 'command/4', now);
  await drafts.remove(other, removed, []);
  expect(await drafts.find(owner, removed, now)).toEqual(typed('anything'));

  await drafts.remove(owner, removed, [words]);
  expect(await drafts.find(owner, removed, now)).toBeUndefined();
  expect(await drafts.find(owner, same, now)).toBeUndefined();
  expect(await drafts.find(owner, left, now)).toEqual(typed('say fish to bob'));
  expect(await drafts.find(other, theirs, now)).toEqual(typed(words));
  await drafts.remove(owner, removed, [words]);
});
