import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { type Migration, migrate } from '../../../src/db/migrate.ts';
import { findForeign } from '../../../src/db/steps.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { landings, nameOf, readPackage } from '../../support/landings/landings.ts';

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
  // What was a step of its own once is a part of the first now.
  [undefined, ['000-before', '001-init', '002-shown', '003-people']],
  ['newer', ['000-before', '001-init', '002-shown', '003-people', '004-later']],
  ['another', ['000-before', '001-init', '004-later']],
  ['older', ['000-before']],
  ['older', ['000-before', '000-long-before']],
  ['another', ['000-before', '002-shown']],
])('a database is %s by the steps %j', (line, names) => {
  expect(lineOf(...names)).toBe(line);
});

test('steps of parts that nobody asked about are nobody’s', () => {
  expect(findForeign([{ part: 'other', name: '999-x' }], known)).toBeUndefined();
});

test('whatever a database has seen: it is a beginning, older, newer, or another line', () => {
  const names = ['000-a', '001-init', '002-shown', '002-z', '003-people', '004-b', '005-c'];
  fc.assert(
    fc.property(fc.shuffledSubarray(names), seen => {
      const ours = known.bot.map(each => each.name);
      const isPast = (name: string) => name < '001-init';
      const isOlder = seen.length > 0 && seen.every(isPast);
      const strange = seen.filter(each => !ours.includes(each) && !(isPast(each) && seen.includes('001-init')));
      const isWhole = ours.every(each => seen.includes(each));
      const isLater = strange.every(each => each > '003-people');
      const line = strange.length === 0 ? undefined : isWhole && isLater ? 'newer' : 'another';
      expect(lineOf(...seen)).toBe(isOlder ? 'older' : line);
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
 * Steps that a version has which others run. A database names the steps that it has seen, so a step keeps its name and its place
 * (CONTRIBUTING.md, A step of the schema). Add new steps at the end of a list, and of this one.
 */
const released = { bot: ['035-visits'], service: ['011-readers'] };

test.each([['bot', botMigrations] as const, ['service', serviceMigrations] as const])(
  'a released step of the %s is never renamed, moved or taken out',
  (part, steps) => {
    const names = steps.map(each => each.name);
    expect(names.slice(0, released[part].length)).toEqual(released[part]);
    expect(names, 'numbers tell the order').toEqual(names.toSorted());
    expect(names.every(name => /^\d{3}-[a-z-]+$/.test(name))).toBe(true);
  },
);

test('a database from before the baseline stays as it is, and the start says which version leads on, and how', async () => {
  const database = await openFresh();
  await migrate(database, 'trial', ['000-a', '000-b'].map(step), new Date(0));
  const why = await migrate(database, 'trial', known.bot, new Date(0)).catch(String);
  const [baseline] = landings;
  if (!baseline) throw new Error('no baseline');
  const { version } = JSON.parse(await readPackage(baseline));
  expect(why).toContain(`Start Muster ${version} on it once`);
  expect(why).toContain(`git checkout ${nameOf(baseline)} && npm ci && npm start`);
  const { rows } = await sql<{
    name: string;
  }>`select name from schema_migration where part = 'trial' order by name`.execute(database.as());
  expect(rows.map(each => each.name)).toEqual(['000-a', '000-b']);
});
