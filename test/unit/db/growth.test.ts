import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { engine, makeDatabase } from '../../support/databases/fresh.ts';
import { watchStatements } from '../../support/databases/statements.ts';
import { fillYears } from '../../support/databases/years.ts';
import { readList } from '../../support/table.ts';
import { openInstalledSlack, openWorkplace } from '../../support/workplace.ts';

/** A statement as it was asked, and who asked it: timers, or pages and lists by their names. */
interface Asked {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly by: Set<string>;
}

/** The most rows that a statement may look at without an index that leads to those it wants. */
const mostRows = 1000;

/** A piece of a walk (src/service/incidents/in-pieces.ts): it takes incidents by an order and a limit alone, and then picks among them. */
const isPiece = (sql: string) => /\(select \* from "incident" .*limit \S+\) as "incident"| as "key0"/.test(sql);

/** Statements that may look at all that is kept of something, and why. */
const may: readonly RegExp[] = [
  // /metrics counts the intents of 30 days.
  /count\(\*\) as "count", min\("changed_at"\) as "since" from "bot_intent"/,
];

/** Parts of statements of all work that timers begin: cards, inbox, journal, alerts, webhooks, changes elsewhere, and what is deleted. */
const workOfTimers = [
  ...readList(`
    "rendered_version" | "bot_delivery" where state | "ranked" | "offer"."owes" | "webhook_endpoint" | "bot_poll"
  `),
  ...['delete from "bot_visit"', '"bot_room" where "created_at" <', '"incident" where "status" <>'],
];

const pages = readList(`
  /incidents | /incidents?page=2 | /incidents?status=resolved | /incidents?status=active&severity=minor
  /incidents?drills=only | /incidents?q=slow | /incidents?q=person:%22Person%203%22 | /incidents?q=worst:critical
  /incidents?q=notes:errors | /incidents?q=label:service-3 | /incidents/figures | /incidents.csv?q=declared:9d
  /a/grafana-irm-app/incidents/99999 | /dashboards | /metrics | /readyz
`);

test('nothing that a timer or a page asks takes longer as there is more of what there ever was', async () => {
  await using filled = await makeDatabase();
  const { asked: all, cpuOfList } = await watchMuster(filled.url);
  const asked = all.filter(({ sql }) => !may.some(each => each.test(sql)));
  if (engine === 'postgres') {
    expect(await findFaultsOnPostgres(filled.url, asked)).toEqual([]);
    return;
  }
  using database = new DatabaseSync(filled.url.replace('sqlite:', ''));
  const planned = asked.map(each => ({ ...each, plan: readPlan(database, each) }));
  const dear = asked.flatMap(each => {
    if (each.sql.startsWith('insert')) return [];
    const cpu = cpuOf(database, each);
    return cpu > (each.by.has('timers') ? 1 : 5) ? [{ cpu, ...each }] : [];
  });
  // How many rows an index leads to. Muster’s databases have no such statistics, so nothing is planned by them.
  database.exec('analyze');
  expect(planned.filter(each => isFault(database, each))).toEqual([]);
  expect(dear).toEqual([]);
  expect(cpuOfList).toBeLessThan(15);
});

/** What a Muster on a database asks while it rests and while people open pages and lists, and the CPU milliseconds of one list of incidents. */
async function watchMuster(url: string) {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const general = slack.addChannel({ name: 'general', members: [alice] });
  await fillYears(url, { now: new Date(), teamId: alice.teamId });
  const ticks = watchTicks();
  await using place = await openWorkplace({
    slack,
    settings: { DATABASE_URL: url, REMINDERS: 'on', INCIDENT_RETENTION_DAYS: '3000', PAGES: 'open' },
    timers: { after: (_ms, run) => ticks.add(run), monotonicNow: () => performance.now() },
  });
  await place.quiet();
  const asked = new Map<string, Asked>();
  let by = 'timers';
  watchStatements(({ sql, parameters }) => {
    asked.getOrInsertComputed(sql, () => ({ sql, parameters, by: new Set() })).by.add(by);
  });
  ticks.runAll();
  for (const work of workOfTimers)
    await expect.poll(() => [...asked.keys()].some(sql => sql.includes(work)), { message: work }).toBe(true);
  await place.quiet();
  const open = async (path: string) => {
    by = path;
    const answer = await fetch(`${place.muster.url}${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    return await answer.text();
  };
  for (const path of pages) await open(path);
  await open(/rel="next" href="([^"]+)"/.exec(await open('/incidents'))?.[1]?.replaceAll('&amp;', '&') ?? '');
  const visits: number[] = [];
  while (visits.length < 10) {
    const before = process.cpuUsage();
    await open('/incidents');
    visits.push(toMilliseconds(process.cpuUsage(before)));
  }
  // A visit pays for whatever else the process does meanwhile.
  const cpuOfList = Math.min(...visits);
  for (const [name, act] of [
    ['home', () => alice.openHome()],
    ['list', () => alice.command(general, '/incident list slow')],
  ] as const) {
    by = name;
    await act();
    await place.quiet();
  }
  return { asked: [...asked.values()], cpuOfList };
}

/** The work of all timers that are set from now on, but for those that cut something short. */
function watchTicks() {
  const set = new Set<() => void>();
  const add = (run: () => void) => {
    set.add(run);
    return () => void set.delete(run);
  };
  for (const name of ['setInterval', 'setTimeout'] as const) {
    const real = globalThis[name] as (run: () => void, ms?: number, ...rest: unknown[]) => NodeJS.Timeout;
    const spy = vi.spyOn(globalThis, name).mockImplementation(((run: () => void, ms = 0, ...rest: unknown[]) => {
      if (name === 'setInterval' || ms > 600_000) set.add(run);
      return real(run, ms, ...rest);
    }) as never);
    onTestFinished(() => spy.mockRestore());
  }
  return {
    add,
    runAll: () => {
      for (const run of [...set]) run();
    },
  };
}

function toMilliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

type Planned = Asked & { readonly plan: readonly string[] };

function readPlan(database: DatabaseSync, { sql, parameters }: Asked): readonly string[] {
  const plan = database.prepare(`explain query plan ${sql}`).all(...(parameters as SQLInputValue[]));
  return plan.map(each => String(each.detail));
}

/** Whether a statement looks at many rows that it does not want, or sorts many. */
function isFault(database: DatabaseSync, { sql, plan }: Planned): boolean {
  const wide = plan.filter(line => countLooked(database, sql, line) > mostRows);
  const scans = wide.some(line => line.startsWith('SCAN'));
  const isCut = /\blimit \S+$/.test(sql.trim());
  const sorts = plan.some(line => line.includes('TEMP B-TREE'));
  return !isPiece(sql) && (scans || (wide.length > 0 && (!isCut || sorts)));
}

/** About how many rows a line of a plan looks at, as the statistics of the database tell; a range leads to the rows that are wanted. */
function countLooked(database: DatabaseSync, sql: string, line: string): number {
  const [, way, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? [];
  if (way === undefined) return 0;
  const table = new RegExp(`"(\\w+)" as "${name}"`).exec(sql)?.[1] ?? name;
  const index = / INDEX (\w+)/.exec(line)?.[1] ?? null;
  const rows = database
    .prepare('select stat from sqlite_stat1 where tbl in (?, ?) and (idx = ? or ? is null) order by length(stat) desc')
    .all(table, name, index, index);
  const [all = 0, ...each] = String(rows[0]?.stat ?? '')
    .split(' ')
    .map(Number);
  const equal = line.match(/=\?/g)?.length ?? 0;
  if (way === 'SCAN') return all;
  return line.includes('PRIMARY KEY') || /[<>]\?/.test(line) ? 0 : (each[equal - 1] ?? 0);
}

/** Milliseconds of CPU that a statement takes at least, of some tries: other programs only ever add to it. Its changes are undone. */
function cpuOf(database: DatabaseSync, { sql, parameters }: Asked): number {
  const statement = database.prepare(sql);
  const together = 10;
  const runs = Array.from({ length: 4 }, () => {
    const before = process.threadCpuUsage();
    for (let run = 0; run < together; run += 1) {
      database.exec('begin');
      statement.all(...(parameters as SQLInputValue[]));
      database.exec('rollback');
    }
    return toMilliseconds(process.threadCpuUsage(before)) / together;
  });
  return Math.min(...runs);
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly Node[];
}

/** The statements that read a table of many rows as a whole, or sort many rows. */
async function findFaultsOnPostgres(url: string, asked: readonly Asked[]): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sizes = await client.query("select relname as name, reltuples as rows from pg_class where relkind = 'r'");
  const sizeOf = new Map(sizes.rows.map(({ name, rows }) => [name, Number(rows)]));
  const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const faults: object[] = [];
  for (const each of asked.filter(({ sql }) => !isPiece(sql))) {
    const { rows } = await client.query(`explain (format json) ${each.sql}`, [...each.parameters]);
    const wide = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter(node =>
      node['Node Type'] === 'Seq Scan'
        ? (sizeOf.get(node['Relation Name'] ?? '') ?? 0) > mostRows
        : node['Node Type'] === 'Sort' && node['Plan Rows'] > mostRows,
    );
    if (wide.length > 0) faults.push({ ...each, wide });
  }
  await client.end();
  return faults;
}
