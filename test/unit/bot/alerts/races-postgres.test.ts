import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { AlertReceiver } from '../../../../src/bot/alerts/alerting.ts';
import { PendingActs } from '../../../../src/bot/alerts/pending-acts.ts';
import { readAlertmanager } from '../../../../src/bot/alerts/read/alertmanager.ts';
import type { AlertRules } from '../../../../src/bot/alerts/rules.ts';
import type { IncidentDeps } from '../../../../src/bot/incident/acts/intent-kind.ts';
import { type Offered, openAlerts, readOffers, takeOffer } from '../../../../src/bot/incident/state/alert-store.ts';
import { makeBoardRow } from '../../../../src/bot/incident/state/burst-store.ts';
import { laneLock } from '../../../../src/bot/journal/rows.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { type Database, openDatabase, type TableShapes } from '../../../../src/db/database.ts';
import type { Lock, LockOptions, NoTables } from '../../../../src/db/engine.ts';
import { withConnection } from '../../../../src/db/transaction-connection.ts';
import { toSource } from '../../../support/alerts/open-door.ts';
import { execute } from '../../../support/databases/execute.ts';
import { makeFresh, openBotDatabase } from '../../../support/fresh-database.ts';
import { openWatchedLog } from '../../../support/watched-log.ts';

/* Two processes on one database: one stores notices about an offer, on which the other one acts at that moment. */

const source = { ...toSource('prod'), channel: 'C1' };
const hour = 3_600_000;

/** Where a transaction stops: once it has read the offers, or once it has changed one. */
type Stop = 'read' | 'written';

/** A way to the database on which the first transaction stops until `go` is called. */
function stopping(database: Database, stop: Stop) {
  const there = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let isFirst = true;
  const stopped: Database = {
    ...database,
    withLock: <Tables extends TableShapes, T>(
      lock: Lock,
      work: (trx: Kysely<Tables>) => Promise<T>,
      how?: LockOptions,
    ) => {
      const isIt = isFirst;
      isFirst = false;
      const stops = async (trx: Kysely<Tables>) => {
        using _ = await watchStatements(trx, async statement => {
          if (!isWanted(statement, stop)) return;
          there.resolve();
          await gone.promise;
        });
        return await work(trx);
      };
      return database.withLock<Tables, T>(lock, isIt ? stops : work, how);
    },
  };
  return { database: stopped, there: there.promise, go: gone.resolve };
}

/** Calls `after` once each statement of a transaction is carried out, prepared ones too; until it is disposed. */
async function watchStatements<Tables>(
  trx: Kysely<Tables>,
  after: (statement: string) => Promise<void>,
): Promise<Disposable> {
  return await withConnection(trx.getExecutor(), async connection => {
    const { executeQuery } = connection;
    connection.executeQuery = async <R>(query: CompiledQuery) => {
      const result = await executeQuery.call(connection, query);
      await after(query.sql);
      return result as QueryResult<R>;
    };
    return {
      [Symbol.dispose]: () => {
        connection.executeQuery = executeQuery;
      },
    };
  });
}

function isWanted(statement: string, stop: Stop): boolean {
  return statement.startsWith(stop === 'read' ? 'select' : 'update') && statement.includes('"bot_alert_offer"');
}

/** Transactions that wait at this moment for another one. */
const waiting = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Two processes on one database with the same rules, and a clock. */
async function openBoth(rules: Partial<AlertRules> = {}) {
  const url = await makeFresh();
  let now = new Date('2026-11-20T12:15:00Z').getTime();
  const clock = () => new Date(now);
  const home = await openBotDatabase(clock(), url);
  const away = await openDatabase(url);
  onTestFinished(() => away[Symbol.asyncDispose]());
  const all: AlertRules = { alertsEnd: 'ask', alertsAgain: 30, alertsStorm: undefined, severities: [], ...rules };
  const { log } = openWatchedLog({ close: async () => {} });
  const openEars = (database: Database) =>
    new AlertReceiver({ database, teamId: 'T1', rules: all, clock, owe: () => undefined, refresh: () => {} });
  /** Stores notices as one process does. */
  const tell = async (database: Database, notices: readonly (readonly [name: string, status?: 'resolved'])[]) => {
    const ears = openEars(database);
    const all = notices.flatMap(([name, status]) => readAlertmanager(toBody(name, clock(), status)));
    return await Promise.all(all.map(group => ears.hear({ source, group, severity: 'minor' })));
  };
  return {
    ...{ url, home, away, clock, tell },
    pass: (ms: number) => {
      now += ms;
    },
    mute: (database: Database, offer: string) =>
      openAlerts({ database, teamId: 'T1', severities: [], clock }).mute(
        offer,
        new Date(now + hour),
        'U1',
        async () => true,
      ),
    take: (database: Database, offer: string) =>
      database.withLock<NoTables, boolean>(laneLock(['incident']), trx =>
        takeOffer(trx, { offer, intent: 'of bob', incidentID: '7', actor: 'U1' }),
      ),
    /** The look of a second. */
    look: (database: Database) => {
      const incidents = () => ({ slack: { identity: { teamId: 'T1' } } }) as unknown as IncidentDeps;
      const none = async () => {};
      const acts = { declare: none, raise: none, reopen: none, resolve: none };
      return new PendingActs({ database, incidents, acts, clock, log, refresh: none }).look();
    },
    /** The offers that stand, with their groups. */
    offers: async () => {
      const all = await readOffers(home.as<BotTables>(), [], of => of.where('state', '!=', 'gone'));
      return all.map(each => toFacts(each, now)).toSorted();
    },
    lines: async () => (await home.as<BotTables>().selectFrom('bot_line').select('incident_id').execute()).length,
  };
}

type Both = Awaited<ReturnType<typeof openBoth>>;

/** What Alertmanager sends of a group. */
function toBody(name: string, now: Date, status: 'firing' | 'resolved' = 'firing'): object {
  const [startsAt, endsAt] = ['2026-11-20T12:10:00Z', status === 'firing' ? '' : now.toISOString()];
  const alert = { status, labels: { alertname: name }, startsAt, endsAt, fingerprint: name };
  return { version: '4', groupKey: name, status, groupLabels: { alertname: name }, alerts: [alert] };
}

function toFacts({ offer, alerts }: Offered, now: number): string {
  const { state, incident_id, intent, is_storm } = offer;
  const groups = alerts.map(({ told, state, times, muted_until }) =>
    [told.title, state, times, ...(muted_until > now ? ['muted'] : [])].join(' '),
  );
  const of = [...(is_storm === 1 ? ['storm'] : []), state, ...(intent === '' ? [] : [intent, incident_id])];
  return `${of.join(' ')}: ${groups.toSorted().join(', ')}`;
}

/** A person, or the clock, acts on the offer. */
type Act = 'take' | 'mute' | 'look';

/** Each act together with each notice. `then`: the state in the end, by which of them comes first. */
const cases: readonly {
  readonly act: Act;
  readonly notice: readonly [name: string, status?: 'resolved'];
  readonly rules?: Partial<AlertRules>;
  /** Stored before. */
  readonly groups?: readonly string[];
  readonly actFirst: readonly string[];
  readonly noticeFirst?: readonly string[];
}[] = [
  { act: 'take', notice: ['A', 'resolved'], actFirst: ['taken of bob 7: A ended 1'] },
  { act: 'take', notice: ['A'], actFirst: ['taken of bob 7: A firing 2'] },
  {
    act: 'take',
    notice: ['C'],
    rules: { alertsStorm: { more: 2, within: hour } },
    groups: ['A', 'B'],
    actFirst: ['storm open: B firing 1, C firing 1', 'taken of bob 7: A firing 1'],
    // The groups of an offer that went over are its storm's: there is nothing to take up any more.
    noticeFirst: ['storm open: A firing 1, B firing 1, C firing 1'],
  },
  { act: 'mute', notice: ['A', 'resolved'], actFirst: ['over: A ended 1 muted'] },
  { act: 'mute', notice: ['A'], actFirst: ['muted: A firing 2 muted'] },
  { act: 'look', notice: ['A'], actFirst: ['open: A firing 2'] },
  { act: 'look', notice: ['A', 'resolved'], actFirst: ['over: A ended 1'] },
];

const runs = cases.flatMap(each =>
  (['act', 'notice'] as const).flatMap(first => (['read', 'written'] as const).map(stop => ({ ...each, first, stop }))),
);

test.each(runs)('$act beside $notice: the $first is first and stopped once it has $stop; both are kept', async run => {
  const both = await openBoth(run.rules);
  const { home, away, tell, offers, pass, mute, url } = both;
  await tell(
    home,
    (run.groups ?? ['A']).map(each => [each]),
  );
  const offer = await offerOf(both, 'A');
  if (run.act === 'look') {
    await mute(home, offer);
    pass(2 * hour);
  }
  const act = (database: Database) => both[run.act](database, offer);
  const hear = (database: Database) => tell(database, [run.notice]);
  const [one, other] = run.first === 'act' ? [act, hear] : [hear, act];
  const stopped = stopping(home, run.stop);
  const first = one(stopped.database);
  // Some write no offer.
  await Promise.race([stopped.there, first]);
  let isOver = false;
  const second = other(away).finally(() => {
    isOver = true;
  });
  const waits = async () => isOver || Number((await execute(url, waiting))[0]?.n) > 0;
  await expect.poll(waits, { interval: 5 }).toBe(true);
  stopped.go();
  await Promise.all([first, second]);
  // The look of the next second finds nothing more to do.
  await both.look(home);
  const allowed = [run.actFirst, run.noticeFirst ?? run.actFirst];
  expect(allowed).toContainEqual(await offers());
});

async function offerOf({ home }: Both, title: string): Promise<string> {
  const all = await readOffers(home.as<BotTables>(), [], of => of.where('state', '!=', 'gone'));
  const found = all.find(each => each.alerts.some(({ told }) => told.title === title));
  return found?.offer.id ?? expect.fail(`Nothing offers ${title}`);
}

test('the end of an alert that a person takes up meanwhile is told to the room of its incident', async () => {
  const both = await openBoth();
  const { home, away, clock, tell, take, lines } = both;
  const room = { ...makeBoardRow('7', '', { teamId: 'T1', channel: 'C1' }, clock()), channel_id: 'C7' };
  await home.as<BotTables>().insertInto('bot_room').values(room).execute();
  await tell(home, [['A']]);
  const offer = await offerOf(both, 'A');
  const stopped = stopping(home, 'read');
  const end = tell(stopped.database, [['A', 'resolved']]);
  await stopped.there;
  expect(await take(away, offer)).toBe(true);
  stopped.go();
  await end;
  expect(await lines()).toBe(1);
});

test('two processes that hear the same storm at once offer it once, with each group once', async () => {
  const both = await openBoth({ alertsStorm: { more: 3, within: hour } });
  const { home, away, tell, offers } = both;
  const names = Array.from({ length: 40 }, (_, index) => `G${index + 100}`);
  const some = (from: readonly string[]) =>
    Promise.all([
      tell(
        home,
        from.map(each => [each]),
      ),
      tell(
        away,
        from.toReversed().map(each => [each]),
      ),
    ]);
  // Together, and one after the other.
  const taken = (await some(names.slice(0, 20))).flat();
  for (const each of names.slice(20)) taken.push(...(await some([each])).flat());
  expect(taken.toSorted()).toEqual([...names.map(() => 'grouped'), ...names.map(() => 'stored')]);
  expect(await offers()).toEqual([`storm open: ${names.map(each => `${each} firing 2`).join(', ')}`]);
});

test('a notice of a group that is known to fire is counted as grouped', async () => {
  const { home, tell } = await openBoth();
  const heard = async (...notices: Parameters<typeof tell>[1]) => await tell(home, notices);
  expect(await heard(['A'], ['A'], ['B'])).toEqual(['stored', 'grouped', 'stored']);
  expect(await heard(['A'], ['A', 'resolved'], ['A', 'resolved'])).toEqual(['grouped', 'stored', 'stored']);
  expect(await heard(['B', 'resolved'], ['B'])).toEqual(['stored', 'stored']);
});
