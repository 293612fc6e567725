import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { toCause } from '../../../src/operations/log.ts';
import { openCut } from '../../support/cut.ts';
import { execute } from '../../support/databases/execute.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

/** A database behind a port that can be taken away, as a process that serves people opens it. */
async function openBehindCut({ connections = 6, linger = 0 } = {}) {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const cut = await openCut(Number(new URL(fresh.url).port), linger);
  onTestFinished(() => cut[Symbol.asyncDispose]());
  const url = fresh.url.replace(/:\d+\//, `:${cut.port}/`);
  const database = await openDatabase(url, { connections, namesStatements: true, limitsStatements: true });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return { database, cut, name: new URL(fresh.url).pathname.slice(1) };
}

const why = async (work: Promise<unknown>): Promise<Error> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('It worked.');
  return error;
};

const isAsleep = (name: string) => `from pg_stat_activity where datname = '${name}' and wait_event = 'PgSleep'`;

const sleeping = async (name: string, count: number) => {
  const asleep = `select count(*)::int as n ${isAsleep(name)}`;
  await expect.poll(async () => (await execute(inject('postgres').url, asleep))[0]?.n).toBe(count);
};

const end = (name: string) => execute(inject('postgres').url, `select pg_terminate_backend(pid) ${isAsleep(name)}`);

test('whatever the driver says while Postgres is away, the log knows it as one cause', async () => {
  const { database, cut, name } = await openBehindCut();
  const db = database.as();
  const sleep = sql`select pg_sleep(20)`;
  const ended = why(sleep.execute(db));
  await sleeping(name, 1);
  await end(name);
  const errors = [await ended];

  const broken = [
    why(sleep.execute(db)),
    why(database.withLock('x', async trx => await sleep.execute(trx))),
    why(database.single(single => sleep.execute(single.withTables()))),
    why(sleep.execute(database.forSearches())),
  ];
  // In a transaction the next statement on the dead connection has words of its own.
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  const begun = Promise.withResolvers<void>();
  const late = why(
    database.withLock('y', async trx => {
      begun.resolve();
      await held.promise;
      await sql`select 1`.execute(trx);
    }),
  );
  await begun.promise;
  await sleeping(name, 4);
  await cut.cut();
  errors.push(...(await Promise.all(broken)));
  // Postgres notices only when it wakes that they are gone.
  await end(name);
  held.resolve();
  errors.push(await late);
  errors.push(
    await why(sql`select 1`.execute(db)),
    await why(database.withLock('x', async () => {})),
    await why(database.single(single => sql`select 1`.execute(single.withTables()))),
    await why(sql`select 1`.execute(database.forSearches())),
  );

  const texts = new Set(errors.map(each => each.message));
  expect(texts.size, [...texts].join('; ')).toBeGreaterThan(2);
  expect(new Set(errors.map(err => toCause({ err })))).toEqual(new Set(['the database is away']));
  expect(toCause({ err: new Error('a call failed', { cause: errors[0] }) })).toBe('the database is away');
});

test('a connection that Postgres has ended serves no other statement, though its end is not heard of yet', async () => {
  const { database, name } = await openBehindCut({ linger: 500 });
  const ways = [
    () => sql`select pg_sleep(20)`.execute(database.as()),
    () => database.withLock('x', async trx => await sql`select pg_sleep(20)`.execute(trx)),
    () => database.single(single => sql`select pg_sleep(20)`.execute(single.withTables())),
    () => sql`select pg_sleep(20)`.execute(database.forSearches()),
  ];
  const after = [
    () => sql`select 1`.execute(database.as()),
    () => database.withLock('x', async trx => await sql`select 1`.execute(trx)),
    () => database.single(single => sql`select 1`.execute(single.withTables())),
    () => sql`select 1`.execute(database.forSearches()),
  ];
  for (const [at, way] of ways.entries()) {
    const ended = why(way());
    await sleeping(name, 1);
    await end(name);
    expect(await ended).toMatchObject({ code: '57P01' });
    await expect(after[at]?.()).resolves.toBeDefined();
  }
});

test('a full disk is another cause, and a lock that does not come is none of both', async () => {
  const { database } = await openBehindCut();
  const raise = (code: string, words: string) =>
    why(
      sql
        .raw(`do $$ begin raise exception using errcode = '${code}', message = '${words}'; end $$`)
        .execute(database.as()),
    );
  expect(toCause({ err: await raise('53100', 'could not extend file "base/5/16384": No space left') })).toBe(
    'the database is full',
  );
  for (const code of ['57P01', '57P02', '57P03', '25006', '08006', '08003', '53300', '53200', '53400'])
    expect([code, toCause({ err: await raise(code, `as ${code}`) })]).toEqual([code, 'the database is away']);
  for (const code of ['55P03', '40001', '23505', '42P01', '22P02', '25P03'])
    expect([code, toCause({ err: await raise(code, `as ${code}`) })]).toEqual([
      code,
      expect.stringMatching(`^${code}`),
    ]);
});
