import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startRetention } from '../../../src/bot/retention.ts';
import { openVirtualTime } from '../../support/virtual-time.ts';

test('once an hour old rows are deleted until none is left, and then their room is given back', async () => {
  const time = openVirtualTime();
  const done: string[] = [];
  let old = 3;
  const store = {
    purge: async () => {
      done.push(`${old} left`);
      return Math.max(0, old--);
    },
  };
  const database = { shrink: async (how: 'some' | 'all') => void done.push(`shrink ${how}`) };
  const log = pino({ level: 'silent' });
  using _ = startRetention({ stores: [store], database, clock: () => new Date(), log });
  await time.advance(3_599_000);
  expect(done).toEqual([]);
  await time.advance(1000);
  expect(done).toEqual(['3 left', '2 left', '1 left', '0 left', 'shrink some']);
});
