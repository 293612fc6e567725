import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../src/db/database.ts';
import type { Migration } from '../../../src/db/migrate.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { findUses, lastLanding } from '../../support/landings/landings.ts';
import { findNarrowings } from '../../support/landings/narrowing.ts';
import { readTable } from '../../support/table.ts';

/*
 * A landing starts next to the code of the landing before it, on the same tables. So a step of the schema may add, and takes nothing away
 * that the older code names (CONTRIBUTING.md, A step of the schema). Git has the older code: test/support/landings.
 */

/** All losses that the steps of a part bring to older code. */
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

/** A step of SQL statements, with `;` between them. */
const toStep = (name: string, statements: string): Migration => ({
  name,
  up: async db => {
    for (const statement of statements.split('; ')) await sql.raw(statement).execute(db);
  },
});

const first = toStep(
  '1',
  'create table thing (id integer not null primary key, words text not null, more text); create table other (id integer)',
);

test.each(
  readTable(
    'step | statements | found',
    `
    a new table                                      | create table new (id integer not null)
    a column that may be absent                      | alter table thing add column a text
    a column with a default                          | alter table thing add column a text not null default ''
    an index                                         | create index i on thing (words)
    rows                                             | insert into thing (id, words) values (1, 'a')
    a table less                                     | drop table other                                               | other is gone
    a column less                                    | alter table thing drop column more                             | thing.more is gone
    a table renamed                                  | alter table other rename to o                                  | other is gone
    a column renamed                                 | alter table thing rename column words to w                     | thing.words is gone, thing.w is required
    a value that a column has once                   | create unique index i on thing (words)                         | thing has words once
    a table made again, with a column that is required | drop table other; create table other (id integer, a text not null) | other.a is required
    a table made again, with another type            | drop table other; create table other (id text)                 | other.id has another type
`,
  ),
)('a step with $step: the losses are found', async ({ statements, found }) => {
  const narrowings = await narrowingsOf('toy', [first, toStep('2', statements)]);
  // Postgres puts the columns of an index in brackets.
  expect(narrowings.map(each => each.what.replaceAll(/[()]/g, '')).join(', ')).toBe(found);
  expect(narrowings.every(each => each.step === '2')).toBe(true);
});

test('the code of the last landing is searched for what it names', async () => {
  expect(await findUses(lastLanding, 'bot_delivery')).not.toEqual([]);
  expect(await findUses(lastLanding, 'bot_nothing')).toEqual([]);
});
