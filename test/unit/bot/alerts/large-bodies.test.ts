import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openLargeBodies } from '../../../../src/bot/alerts/large-bodies.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';
import { openWatchedLog } from '../../../support/watched-log.ts';

const poison = Buffer.from('x'.repeat(20_000));
const never = () => new Promise<never>(() => undefined);

/** Processes on one database. `hang` says of one that it hung. */
async function severalProcesses() {
  const database = await openBotDatabase(new Date());
  const { log, records } = openWatchedLog({ expectErrors: () => true, close: async () => {} });
  const run = (statement: ReturnType<typeof sql>) => statement.execute(database.as());
  const held = async () => (await run(sql`select lease_owner from bot_delivery`)).rows;
  const start = async (owner: string) => {
    await run(sql`insert into bot_process (owner, heartbeat, beaten_at, hung) values (${owner}, 1, 0, 0)`);
    const read = openLargeBodies(database, { owner, clock: () => new Date(), log });
    return (body: Buffer, reads: () => Promise<string>) => read('prod', body, reads);
  };
  const hang = async (owner: string) => {
    void (await start(owner))(poison, never);
    await expect.poll(held).toEqual([{ lease_owner: owner }]);
    await run(sql`update bot_process set hung = 1 where owner = ${owner}`);
  };
  return { start, hang, held, records };
}

test('a large body with which two processes hung is read by no third one, which says so; others are read', async () => {
  const { start, hang, held, records } = await severalProcesses();
  await hang('first');
  await hang('second');
  const read = await start('third');
  await expect(read(poison, never)).rejects.toThrow('set aside');
  expect(records.filter(each => each.level === 'error')).toHaveLength(1);
  expect(await read(Buffer.from('y'.repeat(20_000)), async () => 'read')).toBe('read');
  expect(await held()).toHaveLength(1);
});

test('a body with which one process hung is tried once more; one that was read, or failed, counts for nothing', async () => {
  const { start, hang, held } = await severalProcesses();
  await hang('first');
  const read = await start('second');
  expect(await read(poison, async () => 'read')).toBe('read');
  await expect(read(poison, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await held()).toEqual([]);
});
