import { expect, test } from 'vitest';
import type { Database } from '../../../../src/db/database.ts';
import type { Lock } from '../../../../src/db/engine.ts';
import { execute } from '../../../support/databases/execute.ts';
import { openJournals, type Process } from '../../../support/journal-world.ts';

/** A way to the database on which the journal takes other locks than it should. */
const locking =
  (toLock: (lock: Lock) => Lock) =>
  (database: Database): Database => ({
    ...database,
    withLock: (lock, ...rest) => database.withLock(toLock(lock), ...rest),
  });
/** No lane is locked. */
const withoutLanes = locking(lock =>
  typeof lock === 'object' && lock.of === 'journal' ? { ...lock, parts: [] } : lock,
);
/** One lock for all lanes. */
const withOne = locking(lock => (typeof lock === 'object' && lock.of === 'journal' ? lock.of : lock));

/** Transactions that wait at this moment for the lock of the whole journal. */
const waiting = `select count(*)::int as n from pg_locks join pg_database on pg_database.oid = database
  where locktype = 'advisory' and not granted and datname = current_database()
    and classid = ${0x6d757374} and objid::bigint = hashtext('journal')::bigint & 4294967295`;

/** Three processes work on 100 incidents; yields how often somebody was seen to wait for the whole journal, and of how many looks. */
async function countWaits(wrap?: (database: Database) => Database) {
  const { world, start, url } = await openJournals();
  const processes = await Promise.all([1, 2, 3].map(() => start(wrap ? { wrap } : {})));
  let isOver = false;
  const seen = { looks: 0, waits: 0 };
  const looking = (async () => {
    while (!isOver) {
      const [row] = await execute(url, waiting);
      seen.looks += 1;
      seen.waits += Number(row?.n);
    }
  })();
  const lanes = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
  // Where another process has carried it out, a message tells it.
  await Promise.allSettled(
    lanes.flatMap(subject =>
      processes.map(({ write }, index) => write(`${subject}/${index}`, `${subject}/${index}`, { subject })),
    ),
  );
  await expect.poll(() => world.effects.length).toBe(300);
  isOver = true;
  await looking;
  expect(new Set(world.effects).size).toBe(300);
  return seen;
}

test('three processes that work on 100 incidents never wait for a lock of the whole journal', async () => {
  const { looks, waits } = await countWaits();
  expect(looks).toBeGreaterThan(5);
  expect(waits).toBe(0);
  // One lock for all lanes would be seen.
  expect((await countWaits(withOne)).waits).toBeGreaterThan(0);
});

/** Two processes are asked for something in the same empty lane at once, again and again; yields how many lanes two then run. */
async function countSharedLanes(wrap?: (database: Database) => Database): Promise<number> {
  const { world, start, url } = await openJournals();
  const both = await Promise.all([1, 2].map(() => start(wrap ? { wrap } : {})));
  const go = Promise.withResolvers<void>();
  const asked: Promise<unknown>[] = [];
  for (let round = 0; round < 20; round += 1) {
    const ask = ({ write }: Process, index: number) => {
      const text = `${round}/${index}`;
      world.script.set(text, [go.promise]);
      return write(text, text, { subject: `lane ${round}` });
    };
    asked.push(...both.map(ask));
    const stored = async () => (await execute(url, `select lane from bot_intent where lane = 'lane ${round}'`)).length;
    await expect.poll(stored, { interval: 5 }).toBe(2);
  }
  const shared = await execute(
    url,
    "select lane from bot_intent where state = 'running' group by lane having count(*) > 1",
  );
  go.resolve();
  await Promise.allSettled(asked);
  return shared.length;
}

test('one lane has one runner, and without its lock it would have two', async () => {
  expect(await countSharedLanes()).toBe(0);
  expect(await countSharedLanes(withoutLanes)).toBeGreaterThan(0);
});
