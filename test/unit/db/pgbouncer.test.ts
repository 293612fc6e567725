import { type Kysely, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { isDatabaseAway } from '../../../src/db/failure.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { explainPostgres } from '../../../src/db/postgres.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { openPgbouncer } from '../../support/databases/pgbouncer.ts';
import { lacks } from '../../support/deploy/tool.ts';

const limits = { limitsStatements: true, connections: 3 };

async function openThrough(more: Readonly<Record<string, string>>, options = {}) {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const url = await openPgbouncer(fresh.url, more);
  const warnings: string[] = [];
  const log = { warn: (_facts: object, words: string) => void warnings.push(words) };
  const database = await openDatabase(url, { ...limits, ...options, log: log as never });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return { url, database, warnings };
}

type Things = { thing: { name: string } };

/** Work of each kind that Muster does: a schema, locks, single statements, searches, each more often than a name takes. */
async function work(database: Awaited<ReturnType<typeof openThrough>>['database']): Promise<number> {
  await migrate(database, 'service', serviceMigrations, new Date());
  await database.withLock('schema', db => sql`create table if not exists thing (name text)`.execute(db));
  const put = (name: string) => (db: Kysely<Things>) => db.insertInto('thing').values({ name }).execute();
  for (let time = 0; time < 8; time += 1) {
    await Promise.all([
      ...[1, 2, 3].map(each => database.single<Things, unknown>(put(`single ${each}`))),
      ...[1, 2, 3].map(each => database.withLock<Things, unknown>(`lock ${each}`, put(`locked ${each}`))),
    ]);
  }
  const found = await database.forSearches<Things>().selectFrom('thing').select('name').execute();
  await database.withLock('schema', db => sql`drop table thing`.execute(db));
  return found.length;
}

describe.skipIf(lacks('pgbouncer'))('behind a PgBouncer', () => {
  test('with its usual settings, work is done, and a warning says that no statement has a limit there', async () => {
    const { database, warnings } = await openThrough({ pool_mode: 'session' }, { namesStatements: true });
    expect(await work(database)).toBe(48);
    expect(warnings).toEqual([expect.stringContaining('statement_timeout')]);
  });

  test('in transaction mode, unnamed statements work, and words between processes are not heard', async () => {
    const { database } = await openThrough({ pool_mode: 'transaction', default_pool_size: '2' });
    database.words.hear(() => undefined);
    expect(await work(database)).toBe(48);
    expect(database.words.isHeard()).toBe(false);
  });

  test('in transaction mode, names that the pooler does not know fail with the setting that helps', async () => {
    const { database, url } = await openThrough(
      { pool_mode: 'transaction', default_pool_size: '2' },
      { namesStatements: true },
    );
    const failure = await work(database).catch(error => error);
    // PgBouncer from 1.21 on knows names.
    if (typeof failure === 'number') return;
    expect(explainPostgres(failure, url).message).toContain('DATABASE_STATEMENTS=unnamed');
  });

  test.each([
    ['a wrong password', (url: URL) => Object.assign(url, { password: 'wrong-password' }), /authentication failed/],
    ['an unknown role', (url: URL) => Object.assign(url, { username: 'nobody-here' }), /no such user|authentication/],
    [
      'a parameter that it does not pass on',
      (url: URL) => Object.assign(url, { search: '?options=-c%20geqo%3Doff' }),
      /ignore_startup_parameters/,
    ],
  ])('%s ends a start with a sentence: waiting does not help', async (_name, change, words) => {
    const fresh = await makeDatabase();
    onTestFinished(() => fresh[Symbol.asyncDispose]());
    const url = change(new URL(await openPgbouncer(fresh.url))).href;
    const error = await openDatabase(url, limits).catch(reason => reason);
    expect(isDatabaseAway(error)).toBe(false);
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain('wrong-password');
  });
});
