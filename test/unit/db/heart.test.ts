import { expect, test } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { Heart } from '../../../src/db/heart.ts';
import { bindOvertaken } from '../../../src/db/pulse.ts';
import { openBotDatabase } from '../../support/fresh-database.ts';
import { openVirtualTime } from '../../support/virtual-time.ts';
import { openWatchedLog } from '../../support/watched-log.ts';

const hour = 3_600_000;

async function openHearts() {
  const time = openVirtualTime(['setInterval', 'clearInterval']);
  const now = { ms: 0 };
  const database = await openBotDatabase(new Date());
  const { log } = openWatchedLog({ level: 'error', close: async () => {} });
  const clock = () => new Date(now.ms);
  const open = async (owner: string, isSoleProcess = false) => {
    const heart = new Heart({ database, owner, isSoleProcess, clock, monotonicNow: () => now.ms, keptFor: hour, log });
    await heart.start();
    return heart;
  };
  const rows = async () =>
    Object.fromEntries(
      (await database.as<BotTables>().selectFrom('bot_process').selectAll().execute()).map(row => [
        row.owner,
        row.heartbeat,
      ]),
    );
  let isSilent = false;
  const pass = async (ms: number) => {
    now.ms += ms;
    if (!isSilent) await time.advance(ms);
  };
  /** No timer runs any more. */
  const silence = () => {
    isSilent = true;
  };
  const loseTable = () => database.as<BotTables>().schema.dropTable('bot_process').execute();
  return { open, rows, pass, clock, silence, loseTable };
}

test('a process changes one row as long as it lives, and takes it along when it ends', async () => {
  const { open, rows, pass } = await openHearts();
  const one = await open('one');
  const first = await rows();
  await pass(5000);
  await expect.poll(rows).toEqual({ one: Number(first.one) + 1 });
  await one[Symbol.asyncDispose]();
  expect(await rows()).toEqual({});
});

test('a process that cannot store its heartbeat notices that others may take it for dead', async () => {
  const { open, pass, loseTable } = await openHearts();
  const heart = await open('one');
  let isOver = () => false;
  await heart.pulse.run(async () => {
    isOver = bindOvertaken();
  });
  await pass(10_000);
  await heart.beat();
  expect(isOver()).toBe(false);
  await loseTable();
  await pass(16_000);
  await heart.beat();
  expect(isOver()).toBe(true);
});

test('a process knows whether others are there', async () => {
  const { open } = await openHearts();
  const one = await open('one');
  expect(one.hasOthers()).toBe(false);
  const two = await open('two');
  expect(two.hasOthers()).toBe(true);
  await one.beat();
  expect(one.hasOthers()).toBe(true);
  await two[Symbol.asyncDispose]();
  await one.beat();
  expect(one.hasOthers()).toBe(false);
});

test('the row of a dead process is deleted, and one that lives all the same begins at another number', async () => {
  const { open, rows, pass, clock, silence } = await openHearts();
  const late = await open('late');
  const before = await rows();
  silence();
  await pass(hour + 1);
  const two = await open('two');
  expect(await two.purge(clock())).toBe(1);
  expect(Object.keys(await rows())).toEqual(['two']);
  await late.beat();
  expect((await rows()).late).toBeGreaterThan(Number(before.late) + 1);
});

test('a process that is alone on its database stores no sign of life', async () => {
  const { open, rows } = await openHearts();
  const alone = await open('alone', true);
  await alone.beat();
  expect(await rows()).toEqual({});
  expect(alone.hasOthers()).toBe(false);
});
