import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { isUnavailable } from '../../../src/db/failure.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { StepTables } from '../../../src/db/steps.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { execute } from '../../support/databases/execute.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { patient } from '../../support/deadlines.ts';
import { call, openService, request, tokens } from '../../support/service.ts';

const often = { interval: 10 };

/** Ends connections to a database, as a failover would: those of the processes that `which` says. */
async function cutConnections(url: string, which: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const own = `select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  await execute(inject('postgres').url, `${own} and ${which}`);
}

test('a call whose connection is cut fails as unavailable, is undone, and the next calls work', async () => {
  await using opened = await openService();
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = opened.database.withLock('service', async () => {
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const waiting = request(opened, 'IncidentsService.CreateIncident', { title: 'lost' });
  const waits = `select 1 from pg_locks join pg_database on pg_database.oid = database
    where locktype = 'advisory' and not granted and datname = current_database()`;
  await expect.poll(async () => (await execute(opened.url, waits)).length, often).toBe(1);
  await cutConnections(opened.url, "wait_event_type = 'Lock'");
  const { status, body } = await waiting;
  held.resolve();
  await holding;
  expect(status).toBe(503);
  expect(body).toMatchObject({ code: 'common.unavailable', retryable: true });
  expect(opened.errors.splice(0).map(each => each.msg)).toEqual([
    'service: a call failed, because the database is unavailable',
  ]);
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'kept' });
  expect(incident.incidentID).toBe('1');
});

test('idle connections that are cut are replaced', async () => {
  await using opened = await openService();
  await Promise.all([1, 2, 3].map(() => call(opened, 'RolesService.GetRoles')));
  await cutConnections(opened.url, 'true');
  await expect.poll(async () => (await request(opened, 'RolesService.GetRoles')).status, often).toBe(200);
  opened.errors.splice(0);
  expect((await request(opened, 'RolesService.GetRoles')).status).toBe(200);
});

test('a turn that does not come is given up as unavailable', async () => {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  await using database = await openDatabase(fresh.url);
  const late = await database.withLock('x', async () => {
    const other = database.withLock('x', async () => {}, { timeout: 20 });
    return await other.then(
      () => undefined,
      (error: unknown) => error,
    );
  });
  expect(isUnavailable(late)).toBe(true);
  await database.withLock('x', () => database.withLock('y', async () => {}));
});

test('what is sent ahead of a lock waits for it, and is undone where the lock is not got', async () => {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  await using database = await openDatabase(fresh.url);
  const step = (name: string) => ({ part: 'trial', name, applied_at: '' });
  const put = (name: string, timeout?: number) =>
    database.withLock<StepTables, unknown>(
      'x',
      db =>
        Promise.all([
          db
            .insertInto('schema_migration')
            .values(step(`${name} 1`))
            .execute(),
          db
            .insertInto('schema_migration')
            .values(step(`${name} 2`))
            .execute(),
        ]),
      { sendsAhead: true, ...(timeout === undefined ? {} : { timeout }) },
    );
  const names = async () =>
    (
      await database
        .as<StepTables>()
        .selectFrom('schema_migration')
        .select('name')
        .where('part', '=', 'trial')
        .execute()
    )
      .map(each => each.name)
      .toSorted();
  onTestFinished(() => execute(fresh.url, "delete from schema_migration where part = 'trial'").then(() => {}));
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = database.withLock('x', async () => {
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const refused = await put('refused', 20).then(
    () => undefined,
    (error: unknown) => error,
  );
  // The error of the lock, and not that of a statement in a transaction that has failed.
  expect(refused).toMatchObject({ code: '55P03' });
  const waiting = put('kept');
  expect(await names()).toEqual([]);
  held.resolve();
  await Promise.all([holding, waiting]);
  expect(await names()).toEqual(['kept 1', 'kept 2']);
});

test('a statement that takes too long is ended and counts as an outage; a migration takes what it needs', async () => {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  await using database = await openDatabase(fresh.url, {
    connections: 2,
    limitsStatements: true,
    deadlines: patient({ database: { statement: 100 } }),
  });
  const sleep = sql`select pg_sleep(0.3)`;
  const error = await sleep.execute(database.as()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: 'The database took longer than 0.1 seconds over a statement.' });
  expect(isUnavailable(error)).toBe(true);
  await database.withLock('schema', async db => await sleep.execute(db), { timeout: 200 });
  await expect(sleep.execute(database.as()), 'the limit is back').rejects.toThrow('0.1 seconds');
  await using unlimited = await openDatabase(fresh.url);
  await sleep.execute(unlimited.as());
});

test('a process opens as many connections for its work as it may', async () => {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  await using database = await openDatabase(fresh.url, { connections: 2 });
  const backends = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.02)`.execute(
        database.as(),
      );
      return rows[0]?.pid;
    }),
  );
  expect(new Set(backends).size).toBe(2);
});

test('a deadlock is got over', async () => {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  await using database = await openDatabase(fresh.url);
  type Counters = { counter: { name: string; value: number } };
  let arrived = 0;
  const both = Promise.withResolvers<void>();
  const raise = (turn: string, names: readonly [string, string]) =>
    database.withLock<Counters, void>(turn, async db => {
      const raiseOne = (name: string) =>
        db
          .updateTable('counter')
          .set(({ eb }) => ({ value: eb('value', '+', 1) }))
          .where('name', '=', name)
          .execute();
      await raiseOne(names[0]);
      arrived += 1;
      if (arrived === 2) both.resolve();
      await both.promise;
      await raiseOne(names[1]);
    });
  await Promise.all([raise('one', ['task', 'role']), raise('other', ['role', 'task'])]);
  const values = await database
    .as<Counters>()
    .selectFrom('counter')
    .select('value')
    .where('name', 'in', ['task', 'role'])
    .execute();
  expect(values).toEqual([{ value: 2 }, { value: 2 }]);
  expect(arrived).toBeGreaterThan(2);
});

test.each([
  ['postgres://postgres:SECRET@127.0.0.1:1/x', 'ECONNREFUSED'],
  ['postgres://SECRET:SECRET@host:port:x/y', 'Invalid URL'],
])('a database that cannot be used is said, without its password', async (url, reason) => {
  const error = await openDatabase(url).catch((thrown: unknown) => thrown);
  expect(inspect(error)).toContain(reason);
  expect(inspect(error)).not.toContain('SECRET');
});

test('a wrong password and an encoding that cannot hold every text are said', async () => {
  const { url } = inject('postgres');
  const wrong = new URL(url);
  wrong.password = 'SECRET';
  const refused = await openDatabase(wrong.href).catch((thrown: unknown) => thrown);
  expect(inspect(refused)).toContain('password authentication failed');
  expect(inspect(refused)).not.toContain('SECRET');

  const name = 'latin';
  await execute(
    url,
    `create database ${name} encoding 'LATIN1' locale_provider libc locale 'C' template template0 strategy file_copy`,
  );
  onTestFinished(async () => {
    await execute(url, `drop database ${name}`);
  });
  await expect(openDatabase(url.replace(/[^/]+$/, name))).rejects.toThrow('encoding is LATIN1');
});

test('a start on a database with tables of another program says so, and names the setting', async () => {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  await execute(fresh.url, 'create table incident (name text)');
  await using database = await openDatabase(fresh.url);
  await expect(migrate(database, 'service', serviceMigrations, new Date(0))).rejects.toThrow(
    'The database of DATABASE_URL cannot be used: relation "incident" already exists. It has tables of another program',
  );
});

test('searches wait in a line of their own, and one that takes too long is ended and said', async () => {
  const deadlines = patient({ database: { search: 2000 } });
  await using opened = await openService({ pages: 'open' }, { deadlines });
  const fetchPage = () => opened.service.fetch(new Request('http://test/incidents'));
  const search = () =>
    request(opened, 'IncidentsService.QueryIncidentPreviews', { query: {} }, { token: tokens.Viewer });
  const begun = Promise.withResolvers<void>();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const holding = opened.database.withLock('any', async db => {
    await sql`lock table incident in access exclusive mode`.execute(db);
    begun.resolve();
    await promise;
  });
  await begun.promise;
  const ended = Array.from({ length: 3 }, search);
  const waiting = Array.from({ length: 12 }, fetchPage);
  await call(opened, 'RolesService.GetRoles');
  for (const { status, body } of await Promise.all(ended)) {
    expect([status, body.retryable]).toEqual([503, false]);
    expect(body.error).toContain('The search took the database too long.');
  }
  await call(opened, 'RolesService.GetRoles');
  release();
  await holding;
  const statuses = await Promise.all(waiting.map(async each => (await each).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});

/** Two processes on one database with a table. */
async function openTwo(options: Parameters<typeof openDatabase>[1] = {}) {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const open = async () => {
    const database = await openDatabase(fresh.url, options);
    onTestFinished(() => database[Symbol.asyncDispose]());
    return database;
  };
  const [one, other] = [await open(), await open()];
  await sql`create table thing (id bigint, name text)`.execute(one.as());
  await sql`insert into thing values (1, 'one')`.execute(one.as());
  return { one, other, url: fresh.url };
}

test('parts of a whole are held beside each other; a part twice, and the whole beside a part, are not', async () => {
  const { one, other } = await openTwo();
  const part = (...parts: string[]) => ({ of: 'all', parts });
  const isFree = (lock: Parameters<typeof other.withLock>[0]) =>
    other
      .withLock(lock, async () => {}, { timeout: 50 })
      .then(
        () => true,
        error => {
          if (!isUnavailable(error)) throw error;
          return false;
        },
      );
  await one.withLock(part('a', 'b', 'a'), async () => {
    expect(await isFree(part('c', 'd'))).toBe(true);
    expect(await isFree(part())).toBe(true);
    expect(await isFree('b')).toBe(true);
    expect(await isFree(part('b'))).toBe(false);
    expect(await isFree(part('c', 'a'))).toBe(false);
    expect(await isFree('all')).toBe(false);
  });
  await one.withLock('all', async () => expect(await isFree(part('c'))).toBe(false));
  // However the parts are named, nobody waits for each other in a circle.
  const both = [part('a', 'b', 'c'), part('c', 'b', 'a')].flatMap(lock =>
    [one, other].map(each => each.withLock(lock, async trx => void (await sql`select 1`.execute(trx)))),
  );
  await Promise.all(Array.from({ length: 5 }, () => Promise.all(both)));
});

test('a single statement waits for nobody who waits for a lock', async () => {
  const { one } = await openTwo({ connections: 2 });
  const held = Promise.withResolvers<void>();
  const all = Array.from({ length: 6 }, () => one.withLock('x', () => held.promise));
  await one.single(db => sql`insert into thing values (2, 'two')`.execute(db));
  held.resolve();
  await Promise.all(all);
});

test('a statement whose table was changed meanwhile is made again, and a transaction is run again', async () => {
  const { one, url } = await openTwo({ namesStatements: true });
  const read = (db: Parameters<Parameters<typeof one.single>[0]>[0]) =>
    sql`select * from thing where id = ${1}`.execute(db);
  const within = () => one.withLock('x', read);
  for (let turn = 0; turn < 4; turn += 1) {
    await read(one.as());
    await within();
  }
  const named = sql<{
    n: string;
  }>`select count(*) as n from pg_prepared_statements where statement like 'select * from thing%'`;
  expect(Number((await named.execute(one.as())).rows[0]?.n)).toBe(1);
  await execute(url, 'alter table thing add column size bigint');
  expect((await within()).rows).toEqual([{ id: 1, name: 'one', size: null }]);
  await execute(url, 'alter table thing drop column name');
  expect((await read(one.as())).rows).toEqual([{ id: 1, size: null }]);
});

test('a word reaches the other processes, where its condition holds, and again after the connection was cut', async () => {
  const { one, other, url } = await openTwo();
  const heard: string[] = [];
  other.words.hear(word => heard.push(word));
  await expect.poll(() => other.words.isHeard(), often).toBe(true);
  one.words.say('never', sql<boolean>`exists (select 1 from thing where id = 7)`);
  one.words.say('now', sql<boolean>`exists (select 1 from thing where id = 1)`);
  await expect.poll(() => heard, often).toEqual(['now']);
  await cutConnections(url, "query like 'select pg_notify%' or query like 'listen%'");
  await expect.poll(() => other.words.isHeard(), often).toBe(false);
  await expect.poll(() => other.words.isHeard(), often).toBe(true);
  one.words.say('again', sql<boolean>`true`);
  await expect.poll(() => heard, often).toEqual(['now', 'again']);
});

/** A database that is another role's, and the address by which a role without rights of its own reaches it. */
async function openLeastPrivileged(grants: readonly string[] = []) {
  const fresh = await makeDatabase();
  const role = `least_${randomUUID().replaceAll('-', '')}`;
  await execute(inject('postgres').url, `create role ${role} login password 'hidden-password'`);
  const name = new URL(fresh.url).pathname.slice(1);
  onTestFinished(async () => {
    await execute(fresh.url, `drop owned by ${role}`);
    await fresh[Symbol.asyncDispose]();
    await execute(inject('postgres').url, `drop role ${role}`);
  });
  const url = new URL(fresh.url);
  Object.assign(url, { username: role, password: 'hidden-password' });
  const grant = async () => {
    for (const each of grants) await execute(fresh.url, `${each} to ${role}`);
  };
  return { owner: fresh.url, url: url.href, name, role, grant };
}

test('a role that may make no tables in a new database is told the cure', async () => {
  const { owner, url, name, role } = await openLeastPrivileged();
  for (const each of ['drop schema public cascade', 'create schema public', 'grant usage on schema public to public'])
    await execute(owner, each);
  await using database = await openDatabase(url);
  const why = String(await migrate(database, 'service', serviceMigrations, new Date()).catch(error => error));
  expect(why).toContain('permission denied for schema public');
  expect(why).toContain(`alter database "${name}" owner to "${role}"`);
  expect(why).not.toContain('hidden-password');
});

test('a role that may only read and change rows works on a whole schema, and can tell whether there is room', async () => {
  const { owner, url, grant } = await openLeastPrivileged([
    'grant select, insert, update, delete on all tables in schema public',
  ]);
  await using first = await openDatabase(owner);
  const whole = { service: serviceMigrations, bot: botMigrations };
  for (const [part, steps] of Object.entries(whole)) await migrate(first, part, steps, new Date());
  await grant();
  await using database = await openDatabase(url);
  for (const [part, steps] of Object.entries(whole)) await migrate(database, part, steps, new Date());
  await database.tryRoom();
  const { rows } = await sql<{ n: number }>`select count(*) as n from schema_migration where part = 'room'`.execute(
    database.as(),
  );
  expect(rows).toEqual([{ n: 0 }]);
  const more = [
    ...serviceMigrations,
    { name: '999-more', up: (db: Kysely<never>) => sql`create table x ()`.execute(db) },
  ];
  const why = String(await migrate(database, 'service', more as never, new Date()).catch(error => error));
  expect(why).toContain('owner');
});
