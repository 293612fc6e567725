import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { severities } from '../../soak/chaos/people.ts';
import { execute } from '../../support/databases/execute.ts';
import { engine, makeDatabase } from '../../support/databases/fresh.ts';
import { patientSlack } from '../../support/deadlines.ts';
import { grants } from '../../support/grants.ts';
import { isKept, readKept } from '../../support/landings/kept.ts';
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

const kept = landings.filter(each => isKept(each, engine)).map(landing => [nameOf(landing), landing] as const);

test('every landing is kept, and says which steps it knows', async () => {
  const names = kept.map(([name]) => name);
  if (engine === 'sqlite') expect(names).toEqual(landings.map(nameOf));
  else expect(names).toEqual(expect.arrayContaining(['7bf1e635', 'b18f6cab']));
  for (const [name, landing] of kept) {
    const { sql } = await readKept(landing, engine);
    expect([name, lastSteps(sql)]).toEqual([name, { bot: landing.bot, service: landing.service }]);
  }
});

function lastSteps(sql: string): Omit<Landing, 'commit'> {
  const applied = [...sql.matchAll(/^insert into "schema_migration" .* values \('(\w+)', '([^']+)'/gm)];
  const lastOf = (part: string) => applied.findLast(each => each[1] === part)?.[2] ?? '';
  return { bot: lastOf('bot'), service: lastOf('service') };
}

test.each(kept)(
  'the database that landing %s left is brought up to date, and each open intent in it is carried out once',
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
    const before = await open();
    expect(before).toBeGreaterThanOrEqual(8);
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
      ...{ slack, clock, steady: () => performance.now() + ahead },
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
    expect(await stepsOf(url)).toEqual({ bot: botMigrations.length, service: serviceMigrations.length });
    const isTakenUp = ({ msg }: { readonly msg: string }) => msg === 'inbox: takes up a delivery that a process left';
    expect(place.troubles.filter(each => !isTakenUp(each)).map(each => each.msg)).toEqual([]);
  },
);

async function stepsOf(url: string) {
  await using database = await openDatabase(url);
  const db = database.as<{ schema_migration: { part: string } }>();
  const rows = await db.selectFrom('schema_migration').select('part').execute();
  const count = (part: string) => rows.filter(each => each.part === part).length;
  return { bot: count('bot'), service: count('service') };
}
