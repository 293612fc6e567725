import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { type Migration, migrate } from '../../../src/db/migrate.ts';
import { findForeign } from '../../../src/db/steps.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

const step = (name: string): Migration => ({ name, up: async () => {} });
const known = { bot: ['001-init', '002-shown', '003-people'].map(step) };
const lineOf = (...names: readonly string[]) =>
  findForeign(
    names.map(name => ({ part: 'bot', name })),
    known,
  )?.line;

test.each<[string | undefined, readonly string[]]>([
  [undefined, []],
  [undefined, ['001-init']],
  [undefined, ['001-init', '002-shown', '003-people']],
  ['newer', ['001-init', '002-shown', '003-people', '004-later']],
  ['newer', ['004-later', '003-people', '002-shown', '001-init', '005-much-later']],
  // The first landing: its one step was cut into others later.
  ['another', ['001-rooms-drafts-intents']],
  ['another', ['001-init', '002-renamed', '003-people']],
  ['another', ['001-init', '004-later']],
  ['another', ['001-init', '002-shown', '003-elsewhere', '003-people']],
  ['another', ['000-before', '001-init', '002-shown', '003-people']],
])('a database is %s by the steps %j', (line, names) => {
  expect(lineOf(...names)).toBe(line);
});

test('steps of parts that nobody asked about are nobody’s', () => {
  expect(findForeign([{ part: 'other', name: '999-x' }], known)).toBeUndefined();
});

test('whatever a database has seen: it is a beginning, newer, or another line', () => {
  const names = ['000-a', '001-init', '002-shown', '002-z', '003-people', '004-b', '005-c'];
  fc.assert(
    fc.property(fc.shuffledSubarray(names), seen => {
      const ours = known.bot.map(each => each.name);
      const strange = seen.filter(each => !ours.includes(each));
      const isWhole = ours.every(each => seen.includes(each));
      const isLater = strange.every(each => each > '003-people');
      expect(lineOf(...seen)).toBe(strange.length === 0 ? undefined : isWhole && isLater ? 'newer' : 'another');
    }),
  );
});

async function openFresh() {
  const made = await makeDatabase();
  const database = await openDatabase(made.url);
  onTestFinished(async () => {
    // Another test may get the database.
    await sql`delete from schema_migration where part = 'trial'`.execute(database.as());
    await database[Symbol.asyncDispose]();
    await made[Symbol.asyncDispose]();
  });
  return database;
}

test('a database of another line is refused with that, and a newer one with the way on', async () => {
  const another = await openFresh();
  await migrate(another, 'trial', [step('001-rooms-drafts-intents')], new Date(0));
  const why = await migrate(another, 'trial', known.bot, new Date(0)).catch(String);
  expect(why).toContain('“001-rooms-drafts-intents” of “trial”');
  expect(why).toContain('lacks “001-init”');
  expect(why).not.toContain('newer');
  const newer = await openFresh();
  await migrate(newer, 'trial', [...known.bot, step('004-later')], new Date(0));
  expect(await migrate(newer, 'trial', known.bot, new Date(0)).catch(String)).toContain('used by a newer Muster');
});

test('a database of another program is said to be that, and is left as it is', async () => {
  await using database = await openDatabase('sqlite::memory:');
  await sql`create table schema_migration (version bigint)`.execute(database.as());
  const why = await migrate(database, 'trial', known.bot, new Date(0)).catch(String);
  expect(why).toContain('tables of another program');
  expect(await sql`select * from schema_migration`.execute(database.as())).toMatchObject({ rows: [] });
});

test('once all steps are made, a start makes nothing: it needs no right to make tables', async () => {
  const database = await openFresh();
  await migrate(database, 'trial', known.bot, new Date(0));
  const made: string[] = [];
  const watched = known.bot.map(each => ({ ...each, up: async () => void made.push(each.name) }));
  await migrate(database, 'trial', watched, new Date(0));
  expect(made).toEqual([]);
});

/**
 * Steps that a version has which others run. A database names the steps that it has seen, so a step keeps its name and its place for
 * ever (CONTRIBUTING.md, How we write). Add new steps at the end of a list, and of this one.
 */
const released = {
  bot: `001-init 002-shown 003-sightings 004-people 005-team-in-message-keys 006-accounts 007-greetings 008-task-numbers
    009-channels 010-admins 011-private-rooms 012-readers-changes 013-sync 014-intent-kinds 015-linked-rooms 016-lines
    017-sources 018-updates 019-outages 020-next-steps 021-written 022-outbox 023-poll 024-message-notes 025-known-states
    026-post-refusals 027-bursts`.split(/\s+/),
  service: `001-incidents 002-dashboards 003-webhooks 004-tokens 005-import 006-private 007-webhook-retries
    008-folder-versions 009-named-links`.split(/\s+/),
};

test.each([['bot', botMigrations] as const, ['service', serviceMigrations] as const])(
  'a released step of the %s is never renamed, moved or taken out',
  (part, steps) => {
    const names = steps.map(each => each.name);
    expect(names.slice(0, released[part].length)).toEqual(released[part]);
    expect(names, 'numbers tell the order').toEqual(names.toSorted());
    expect(names.every(name => /^\d{3}-[a-z-]+$/.test(name))).toBe(true);
  },
);
