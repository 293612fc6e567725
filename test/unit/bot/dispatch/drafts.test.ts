import { addDays } from 'date-fns/addDays';
import { expect, test } from 'vitest';
import { createDrafts } from '../../../../src/bot/dispatch/drafts.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';

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
