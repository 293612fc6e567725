import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../src/db/database.ts';
import type { Migration } from '../../../src/db/migrate.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { findUses, lastLanding } from '../../support/landings/landings.ts';
import { findNarrowings } from '../../support/landings/narrowing.ts';

async function narrowingsOf(part: string, steps: readonly Migration[]) {
  await using empty = await makeDatabase('no tables');
  await using database = await openDatabase(empty.url);
  return await findNarrowings(database, part, steps);
}

/** Steps after the last one that the last landing knows. */
function newSteps(steps: readonly Migration[], last: string): ReadonlySet<string> {
  return new Set(steps.slice(steps.findIndex(each => each.name === last) + 1).map(each => each.name));
}

test.each([
  ['bot', botMigrations, lastLanding.bot],
  ['service', serviceMigrations, lastLanding.service],
] as const)('steps of the %s take nothing from the code of the last landing', async (part, steps, last) => {
  expect(steps.map(each => each.name)).toContain(last);
  const found = await narrowingsOf(part, steps);
  const later = newSteps(steps, last);
  const harmful: string[] = [];
  for (const { step, what, gone } of found.filter(each => later.has(each.step))) {
    const users = gone === undefined ? [] : await findUses(lastLanding, gone);
    if (gone === undefined || users.length > 0) harmful.push(`${step}: ${what} ${users.slice(0, 3).join(' ')}`);
  }
  expect(harmful, 'CONTRIBUTING.md, A step of the schema').toEqual([]);
});

const first: Migration = {
  name: '1',
  up: async db => {
    const table = db.schema.createTable('thing').addColumn('id', 'integer', column => column.notNull().primaryKey());
    await table
      .addColumn('words', 'text', column => column.notNull())
      .addColumn('more', 'text')
      .execute();
    await db.schema.createTable('other').addColumn('id', 'integer').execute();
  },
};

test.each<[what: string, up: Migration['up'], found: readonly string[]]>([
  [
    'a new table',
    db =>
      db.schema
        .createTable('new')
        .addColumn('id', 'integer', it => it.notNull())
        .execute(),
    [],
  ],
  ['a column that may be absent', db => db.schema.alterTable('thing').addColumn('a', 'text').execute(), []],
  [
    'a column with a default',
    db =>
      db.schema
        .alterTable('thing')
        .addColumn('a', 'text', it => it.notNull().defaultTo(''))
        .execute(),
    [],
  ],
  ['an index', db => db.schema.createIndex('i').on('thing').column('words').execute(), []],
  ['rows', db => sql`insert into thing (id, words) values (1, 'a')`.execute(db).then(() => {}), []],
  ['a table less', db => db.schema.dropTable('other').execute(), ['other is gone']],
  ['a column less', db => db.schema.alterTable('thing').dropColumn('more').execute(), ['thing.more is gone']],
  ['a table renamed', db => db.schema.alterTable('other').renameTo('o').execute(), ['other is gone']],
  [
    'a column renamed',
    db => db.schema.alterTable('thing').renameColumn('words', 'w').execute(),
    ['thing.words is gone', 'thing.w is required'],
  ],
  [
    'what may stand once',
    db => db.schema.createIndex('i').unique().on('thing').column('words').execute(),
    [expect.stringMatching(/^thing has \(?words\)? once$/)],
  ],
  [
    'a table made anew, with a column that is required',
    async db => {
      await db.schema.dropTable('other').execute();
      const other = db.schema.createTable('other').addColumn('id', 'integer');
      await other.addColumn('a', 'text', it => it.notNull()).execute();
    },
    ['other.a is required'],
  ],
  [
    'a table made anew, with another type',
    async db => {
      await db.schema.dropTable('other').execute();
      await db.schema.createTable('other').addColumn('id', 'text').execute();
    },
    ['other.id has another type'],
  ],
])('a step with %s: what it takes is found', async (_what, up, found) => {
  const narrowings = await narrowingsOf('toy', [first, { name: '2', up }]);
  expect(narrowings.map(each => each.what)).toEqual(found);
  expect(narrowings.every(each => each.step === '2')).toBe(true);
});

test('the code of the last landing is searched for what it names', async () => {
  expect(await findUses(lastLanding, 'bot_delivery')).not.toEqual([]);
  expect(await findUses(lastLanding, 'bot_nothing')).toEqual([]);
});
