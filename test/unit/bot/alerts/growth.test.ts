import { CompiledQuery, type QueryResult, sql } from 'kysely';
import { expect, inject, test, vi } from 'vitest';
import { AlertReceiver } from '../../../../src/bot/alerts/alerting.ts';
import { PendingActs } from '../../../../src/bot/alerts/pending-acts.ts';
import type { AlertRules } from '../../../../src/bot/alerts/rules.ts';
import type { IncidentDeps } from '../../../../src/bot/incident/acts/intent-kind.ts';
import type { AlertGroup } from '../../../../src/bot/incident/state/alert-group.ts';
import { openAlerts, readOffers } from '../../../../src/bot/incident/state/alert-store.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import type { Database } from '../../../../src/db/database.ts';
import { withConnection } from '../../../../src/db/transaction-connection.ts';
import { toSource } from '../../../support/alerts/open-door.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';
import { openWatchedLog } from '../../../support/watched-log.ts';

/* What a notice costs while its storm grows: rows and statements are counted, and their plans are read. */

const minute = 60_000;
const day = 24 * 60 * minute;
const source = { ...toSource('prod'), channel: 'C1' };
const severities = ['minor', 'major', 'critical'];
const alertsStorm = { more: 5, within: 10 * minute };
const rules: AlertRules = { alertsEnd: 'auto', alertsAgain: 30, alertsStorm, severities };

/** A statement that was carried out, and how many rows it gave. */
interface Statement {
  readonly query: CompiledQuery;
  readonly rows: number;
}

/** Every statement that a database carries out from now on. */
async function watchStatements(database: Database): Promise<Statement[]> {
  const seen: Statement[] = [];
  const connection = await withConnection(database.as().getExecutor(), async each => Object.getPrototypeOf(each));
  const { executeQuery } = connection;
  vi.spyOn(connection, 'executeQuery').mockImplementation(async function (this: unknown, query) {
    const result: QueryResult<unknown> = await executeQuery.call(this, query);
    seen.push({ query: query as CompiledQuery, rows: result.rows.length });
    return result;
  });
  return seen;
}

/** A storm of one source, and ways to let it grow. */
async function openStorm() {
  let now = Date.parse('2026-11-20T12:15:00Z');
  const clock = () => new Date(now);
  const database = await openBotDatabase(clock());
  const ears = new AlertReceiver({ database, teamId: 'T1', rules, clock, owe: () => undefined, refresh: () => {} });
  const hear = (name: string, state: AlertGroup['state'] = 'firing', severity = 'minor') => {
    now += 1;
    const at = new Date(now).toISOString();
    const group: AlertGroup = {
      ...{ key: name, state, title: name, severity, summary: '', labels: { service: `service ${name.length}` } },
      ...{ startedAt: at, newestStartAt: at, endedAt: state === 'resolved' ? at : '', links: [], alerts: [] },
      ...{ firing: state === 'firing' ? 1 : 0, resolved: state === 'firing' ? 0 : 1, prints: [], endedPrints: [] },
    };
    return ears.hear({ source, group, severity });
  };
  const alerts = openAlerts({ database, teamId: 'T1', severities, clock });
  const storm = async () => {
    const all = await readOffers(database.as<BotTables>(), severities, of => of.where('is_storm', '=', 1));
    return all[0] ?? expect.fail('There is no storm');
  };
  let offer = '';
  const { log } = openWatchedLog({ close: async () => {} });
  const incidents = () =>
    ({ slack: { identity: { teamId: 'T1' } }, settings: { severities } }) as unknown as IncidentDeps;
  const none = async () => {};
  const acts = { declare: none, raise: none, reopen: none, resolve: none };
  const owed = new PendingActs({ database, incidents, acts, clock, log, refresh: none });
  let groups = 0;
  return {
    ...{ database, hear, storm },
    grow: async (to: number) => {
      const some = Array.from({ length: to - groups }, (_, at) => hear(`group ${groups + at}`));
      groups = to;
      await Promise.all(some);
      offer = (await storm()).offer.id;
    },
    /** A new group, its repetition, an end, a return, the look of a second, and the message of the offer. */
    live: async (name: string) => {
      await hear(name);
      await hear(name);
      await hear('group 7', 'resolved');
      await hear('group 7');
      await owed.look();
      await alerts.read(offer);
    },
    /** So many offers of alerts that ended days ago. */
    addPast: async (count: number) => {
      const past = sql`
        insert into bot_alert_offer (id, source, channel, begun_at, joined_at, state, is_storm, owes, incident_id, intent, actor, muted_until, after)
        with recursive past(n) as (select 1 union all select n + 1 from past where n < ${sql.lit(count)})
        select 'past/' || n, source, channel, begun_at - ${sql.lit(day)} - n, joined_at - ${sql.lit(day)} - n, 'over', 0, '', '', '', '', 0, ''
        from bot_alert_offer, past where id = ${offer}`;
      await past.execute(database.as());
      if (inject('engine') === 'postgres') await sql`analyze`.execute(database.as());
    },
  };
}

/** How the database looks for the rows of a statement, as it says itself. */
async function planOf(database: Database, query: CompiledQuery): Promise<readonly string[]> {
  const how = inject('engine') === 'sqlite' ? 'explain query plan' : 'explain';
  const { rows } = await database
    .as()
    .executeQuery<Record<string, unknown>>(CompiledQuery.raw(`${how} ${query.sql}`, [...query.parameters]));
  return rows.map(each => String(each.detail ?? each['QUERY PLAN']));
}

/** Looks through a table, or through an index of all of its rows. */
const looksThrough = /^SCAN (?!CONSTANT)(?!.*bot_alert_offer_(?:owing|muted|unregistered)$)|Seq Scan on bot_alert/;

test('a notice of a storm of 20,000 groups reads as many rows, by as many statements, as one of 100', async () => {
  const { database, hear, grow, live, addPast, storm } = await openStorm();
  await grow(100);
  await live('warm');
  const seen = await watchStatements(database);
  const costOf = async (name: string) => {
    seen.length = 0;
    await live(name);
    return seen.map(({ query, rows }) => [query.sql, rows]);
  };
  const small = await costOf('one more');
  expect(small.filter(([statement]) => /bot_alert/.test(String(statement))).length).toBeGreaterThan(20);
  await grow(20_000);
  expect(await costOf('another one')).toEqual(small);

  const asked = new Map(seen.map(({ query }) => [query.sql, query]));
  await addPast(90_000);
  const about = [...asked.values()].filter(each => /^(?:select|update|delete).*bot_alert/s.test(each.sql));
  for (const query of about) {
    const plan = await planOf(database, query);
    expect(
      plan.filter(each => looksThrough.test(each.trim().replace(/^->\s*/, ''))),
      query.sql,
    ).toEqual([]);
  }
  // The first one that is graver speaks out of the storm, the next one joins it.
  for (const name of ['the first', 'the next']) await hear(name, 'firing', 'critical');
  const { alerts, total, firing } = await storm();
  expect([total, firing]).toEqual([20_004, 20_004]);
  // Few are read, the one of the highest severity among them, however late it came.
  expect(alerts.length).toBe(50);
  expect(alerts.map(each => each.told.title)).toContain('the next');
});
