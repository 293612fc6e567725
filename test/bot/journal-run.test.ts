import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Desk } from '../../src/bot/desk.ts';
import { defineIntent } from '../../src/bot/journal/intent.ts';
import { createJournal } from '../../src/bot/journal/journal.ts';
import type { MemoryTables } from '../../src/bot/memory/tables.ts';
import { createClient } from '../../src/client/client.ts';
import type { Database } from '../../src/db/database.ts';
import { alice, createWorld, down, openFresh, openProcess } from './journal-world.ts';

test('of several that are tried in one go, each knows what those before it did, however long that takes to store', async () => {
  const { database } = await openProcess(await openFresh(), createWorld());
  const slow: Database = {
    ...database,
    inTurn: async (...turn) => {
      await pause(20);
      return database.inTurn(...turn);
    },
  };
  const find = defineIntent({
    kind: 'test.find',
    payload: z.object({}),
    result: z.object({ others: z.number() }),
    run: () => Promise.reject(down),
    reconcile: async ({ others }) => ({ others: (await others()).length }),
    aim: () => 'find it',
    done: () => ({ text: 'found' }),
  });
  const journal = createJournal({
    database: slow,
    api: createClient({ transport: () => Promise.reject(down) }),
    intents: [find],
    desk: () => ({}) as Desk,
    budget: 2000,
    clock: () => new Date(),
    log: pino({ enabled: false }),
  });
  onTestFinished(() => journal.stop(0));
  for (const key of ['1', '2', '3']) {
    const terms = { key, renew: false, people: {}, ...alice, channelId: 'C1', threadTs: '', incidentID: '1' };
    await journal.submit(find, { ...terms, payload: {} });
  }
  const intents = database.as<MemoryTables>();
  await intents.updateTable('bot_intent').set({ doubt: 1 }).execute();
  await journal.hurry();
  await journal.idle();
  const rows = await intents.selectFrom('bot_intent').select('outcome').orderBy('key').execute();
  expect(rows.map(row => JSON.parse(row.outcome))).toEqual([{ others: 0 }, { others: 1 }, { others: 2 }]);
});
