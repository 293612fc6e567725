import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { StepTables } from '../../../src/db/steps.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { severities } from '../../soak/chaos/people.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { execute } from '../../support/databases/execute.ts';
import { engine, makeDatabase } from '../../support/databases/fresh.ts';
import { patientSlack } from '../../support/deadlines.ts';
import { grants } from '../../support/grants.ts';
import { readSchema } from '../../support/landings/dump.ts';
import { readKept } from '../../support/landings/kept.ts';
import { type Landing, landings, nameOf } from '../../support/landings/landings.ts';
import { openWorkplace } from '../../support/workplace.ts';

/** Makes the database that a landing left; it is there until the test ends. */
async function restore(sql: string): Promise<string> {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  if (engine === 'postgres') await execute(fresh.url, sql);
  else {
    using database = new DatabaseSync(fresh.url.slice('sqlite:'.length));
    database.exec(sql);
  }
  return fresh.url;
}

const kept = landings.map(landing => [nameOf(landing), landing] as const);

test('that of the baseline is kept, and at most three others', () => {
  expect(landings[0]).toMatchObject({ bot: botMigrations[0]?.name, service: serviceMigrations[0]?.name });
  expect(landings.length).toBeLessThanOrEqual(4);
});

test.each(kept)('the database that landing %s left says which steps it knows', async (_name, landing) => {
  const { sql } = await readKept(landing, engine);
  expect(lastSteps(sql)).toEqual({ bot: landing.bot, service: landing.service });
});

test('a new database as its first steps make it is that of the baseline, to the letter', async () => {
  const [baseline] = landings;
  if (!baseline) throw new Error('no baseline');
  await using fresh = await makeDatabase('no tables');
  await using database = await openDatabase(fresh.url);
  await migrate(database, 'bot', botMigrations.slice(0, 1), new Date(0));
  await migrate(database, 'service', serviceMigrations.slice(0, 1), new Date(0));
  expect(await readSchema(fresh.url)).toEqual(await readSchema(await restore((await readKept(baseline, engine)).sql)));
});

test.each(kept)('landing %s: its database brought up to date is a new one, to the letter', async (_name, landing) => {
  const url = await restore((await readKept(landing, engine)).sql);
  await addAllTables(url);
  await using fresh = await makeDatabase('no tables');
  await addAllTables(fresh.url);
  expect(await readSchema(url)).toEqual(await readSchema(fresh.url));
  expect(await newStepsOf(url)).toEqual(await newStepsOf(fresh.url));
});

/** The steps that a database has seen, from the baseline on. */
async function newStepsOf(url: string): Promise<readonly string[]> {
  await using database = await openDatabase(url);
  const rows = await database.as<StepTables>().selectFrom('schema_migration').select(['part', 'name']).execute();
  const first: Record<string, string | undefined> = {
    bot: botMigrations[0]?.name,
    service: serviceMigrations[0]?.name,
  };
  return rows.flatMap(({ part, name }) => (name >= (first[part] ?? '') ? [`${part} ${name}`] : [])).toSorted();
}

function lastSteps(sql: string): Omit<Landing, 'commit'> {
  const applied = [...sql.matchAll(/^insert into "schema_migration" .* values \('(\w+)', '([^']+)'/gm)];
  const lastOf = (part: string) => applied.findLast(each => each[1] === part)?.[2] ?? '';
  return { bot: lastOf('bot'), service: lastOf('service') };
}

test.each(kept)(
  'the database that landing %s left is brought up to date: each open intent in it is carried out once, its duties and calls go on',
  async (_name, landing) => {
    const { at, acts, title, slack: state, sql } = await readKept(landing, engine);
    const url = await restore(sql);
    await using database = await openDatabase(url);
    const open = async () => {
      const db = database.as<BotTables>();
      const intents = db.selectFrom('bot_intent').select('id').where('state', 'in', ['pending', 'running']).execute();
      const deliveries = db.selectFrom('bot_delivery').select('key').where('state', '=', 'open').execute();
      return (await intents).length + (await deliveries).length;
    };
    const readDuties = () =>
      database.as<BotTables>().selectFrom('bot_duty').select(['id', 'incident_id', 'kind', 'due']).execute();
    const calls = () =>
      database.as<BotTables>().selectFrom('bot_called').select(['call_id', 'answer']).orderBy('call_id').execute();
    const [before, duties, called] = [await open(), await readDuties(), await calls()];
    expect(before).toBeGreaterThanOrEqual(8);
    expect(duties.length).toBeGreaterThan(0);
    expect(called.map(each => each.answer)).toEqual(['none', 'none']);
    // A minute later. The leases of the killed process are over 20 seconds after they were first seen.
    let ahead = 60_000;
    const clock = () => new Date(Date.parse(at) + ahead);
    await using slack = await openFakeSlack({
      ...grants,
      deadlines: patientSlack,
      now: clock,
      signatureNow: clock,
      state,
    });
    await using place = await openWorkplace({
      ...{ slack, clock, monotonicNow: () => performance.now() + ahead },
      settings: { DATABASE_URL: url, SEVERITIES: severities.join(',') },
    });
    await expect
      .poll(async () => {
        ahead += 5000;
        await place.quiet();
        return await open();
      })
      .toBe(0);
    await place.quiet();

    const items: { incidentID: string; body: string }[] = [];
    for (const incidentID of new Set(acts.map(each => each.incidentID))) {
      const query = { incidentID, limit: 100 };
      items.push(...(await place.api.ActivityService.QueryActivity({ query })).activityItems);
    }
    const timesOf = (act: (typeof acts)[number]) =>
      items.filter(each => each.incidentID === act.incidentID && each.body.includes(act.token)).length;
    expect(acts.filter(act => timesOf(act) !== 1)).toEqual([]);
    const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
    expect(incidentPreviews.filter(each => each.title === title)).toHaveLength(1);
    expect(await readDuties()).toEqual(expect.arrayContaining(duties));
    const [frank] = slack.people.filter(each => each.name === 'frank');
    if (!frank) throw new Error('nobody was called');
    for (const question of place.messages(frank, slack.openDm(frank).id).slice(-2))
      await frank.press(question, 'Coming in 5 min');
    await place.quiet();
    expect(await calls()).toEqual(called.map(each => ({ ...each, answer: 'coming' })));
    const isTakenUp = ({ msg }: { readonly msg: string }) => msg === 'inbox: takes up a delivery that a process left';
    expect(place.troubles.filter(each => !isTakenUp(each)).map(each => each.msg)).toEqual([]);
  },
);
