import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { checkDatabase, whyNotOpened } from '../../../../src/bot/doctor/database.ts';
import { openSightings } from '../../../../src/bot/doctor/sightings.ts';
import { botMigrations } from '../../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../../src/db/database.ts';
import { openLog } from '../../../../src/operations/log.ts';
import { openPatient } from '../../../support/doctor.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';

const schemas = { bot: botMigrations };
const plenty = async () => 5_000_000_000;

test('a database without room: nothing can be stored, and the doctor says so', async () => {
  const database = await openBotDatabase(new Date(), 'sqlite::memory:');
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.as());
  await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(database.as());
  const [line] = await checkDatabase(database, 'sqlite::memory:', schemas, plenty);
  expect(line).toMatchObject({
    subject: 'database',
    state: 'failing',
    found: 'It is full: nothing can be written.',
    stops: expect.stringContaining('no command is stored'),
    fix: expect.stringContaining('Make room'),
  });
});

test('a database that may only be read is named', async () => {
  const database = await openBotDatabase(new Date(), 'sqlite::memory:');
  await sql`pragma query_only = on`.execute(database.as());
  const [line] = await checkDatabase(database, 'sqlite::memory:', schemas, plenty);
  expect(line).toMatchObject({ state: 'failing', found: 'It can be read and not written.' });
});

test('a disk with little room, a schema of a newer version and one that is behind', async () => {
  const database = await openBotDatabase(new Date());
  const disk = (await checkDatabase(database, 'sqlite:/data/muster.db', schemas, async () => 12_000_000)).at(-1);
  expect(disk).toMatchObject({ subject: 'disk', state: 'failing', found: 'Only 12 MB are free.' });
  const newer = { name: '999-later', up: async () => {} };
  const behind = await checkDatabase(database, '', { bot: [...botMigrations, newer] }, plenty);
  expect(behind[0]).toMatchObject({
    subject: 'database schema',
    state: 'unknown',
    fix: expect.stringContaining('Start Muster'),
  });
  const ahead = await checkDatabase(database, '', { bot: botMigrations.slice(0, -1) }, plenty);
  expect(ahead[0]).toMatchObject({ state: 'failing', fix: 'Start that version, or restore a backup.' });
});

test('a database that works leaves nothing of the probe behind', async () => {
  const patient = await openPatient();
  expect((await patient.examine()).get('database')).toMatchObject({ state: 'ok' });
  expect([...(await patient.sightings.all()).keys()]).toEqual([]);
});

test('a database that cannot be opened is a line, with the reason', async () => {
  const error = await openDatabase('sqlite:/etc/passwd/muster.db').catch(reason => reason);
  expect(whyNotOpened(error)).toMatchObject({ state: 'failing', fix: expect.stringContaining('DATABASE_URL') });
});

test('a database that goes away leaves the other lines standing', async () => {
  const patient = await openPatient();
  await patient.database[Symbol.asyncDispose]();
  const report = await patient.examine();
  expect(report.get('bot token')?.state).toBe('ok');
  expect(report.get('database')?.state).not.toBe('ok');
});

test('what has arrived is known to another process, and after a start', async () => {
  const { database, sightings } = await openPatient();
  const at = new Date('2026-11-22T12:00:00Z');
  const log = openLog('silent');
  const other = openSightings({ database, clock: () => at, log });
  other.note({ command: '/task' });
  other.note({ type: 'event_callback', event: { type: 'message', channel_type: 'im' } });
  await expect
    .poll(async () => [...(await sightings.all()).keys()].toSorted())
    .toEqual(['command /task', 'delivery', 'event message.im']);
  expect(await sightings.lastDelivery()).toEqual(at);
});

test('an intent that is tried again and again is as old as the wish for it', async () => {
  const { database, doctor } = await openPatient();
  const now = Date.now();
  const at = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  await database
    .as<BotTables>()
    .insertInto('bot_intent')
    .values({
      ...{ key: 'k', id: 'i', kind: 'task.add', payload: '{}', subject: '1', lane: '1', seq: 1, owner: 'T1/U1' },
      ...{
        origin: '{}',
        attempts: 90,
        ambiguous: 0,
        hangs: 0,
        next_at: now,
        lease_owner: '',
        heartbeat: 0,
        outcome: '',
      },
      ...{ state: 'pending', tell: 'nobody', created_at: at(25), changed_at: at(0), attachment: '', caller: '' },
    })
    .execute();
  const [line] = (await doctor().examine({ typed: false })).filter(each => each.subject === 'journal');
  expect(line).toMatchObject({ state: 'failing', found: '1 waits, the oldest for 25 min.' });
});
