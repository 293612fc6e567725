import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { openTaking, takingSecret } from '../../support/pagers/taking.ts';
import { patience } from '../../support/patience.ts';
import { actOn } from '../chaos/people.ts';
import { query } from '../chaos/query.ts';
import { settle } from '../chaos/settle.ts';
import { openStand } from '../chaos/stand.ts';
import { judge, type Verdict } from '../chaos/verdict.ts';
import { findDoubled } from '../drill/rooms.ts';
import { type GaugesReport, watchGauges } from './gauges.ts';
import { judgePages, type PagesVerdict } from './pages.ts';
import { type Moment, moments, openTap } from './tap.ts';

/** How often processes are killed. */
export interface KillsOptions {
  /** Each moment has its turn. */
  readonly kills: number;
  readonly incidents: number;
  readonly onLine?: ((line: string) => void) | undefined;
}

/** What came of it. */
export interface KillsReport extends Verdict {
  /** How often a process was killed at each moment. */
  readonly kills: Readonly<Record<Moment, number>>;
  readonly accepted: number;
  /** The most intents that waited for the API, before they drained. */
  readonly backlog: number;
  readonly pages: PagesVerdict;
  readonly gauges: GaugesReport;
  /** Rows that were unfinished in the end. */
  readonly unfinished: number;
  /** What Slack shows twice. */
  readonly shownTwice: readonly string[];
  readonly errors: readonly string[];
  readonly seconds: number;
}

/**
 * An incident whose intent a killed process ran rests for a lease, so people act on each seldom, and there are many: most have work
 * that goes on. How long the API is away before a round of kills, how often each incident's people act, and how often the gauges are read,
 * in milliseconds.
 */
const pace = { away: 1500, every: 6000, look: 1000 } as const;
/** As many as a team may have: a second page to one of them about an incident within ten minutes is a question. */
const pagers = Array.from({ length: 20 }, (_, index) => `team-${index}`);

/** More deliveries than that wait before processes are killed. */
export const leastBacklog = 5;

/** Lets a backlog drain on Postgres again and again while commands come, and kills one of two processes at a moment each time. */
export async function runKills({ kills, incidents, onLine }: KillsOptions): Promise<KillsReport> {
  await using stack = new AsyncDisposableStack();
  const began = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'muster-kills-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const databaseUrl = stack.use(await startPostgres()).url('postgres');
  const taking = await openTaking();
  const restarts: number[] = [];
  let isAway = false;
  let wanted: Moment | undefined;
  let struck = Promise.withResolvers<number>();
  const stand = stack.use(
    await openStand({
      ...{ folder, databases: [databaseUrl, databaseUrl], incidents, seed: 1 },
      settings: async (_slack, apiUrl, index) => {
        const strike = () => {
          wanted = undefined;
          killing = stand.replicas[index]?.kill();
          struck.resolve(index);
        };
        const isWanted = (moment: Moment) => wanted === moment;
        const tap = await openTap({
          ...{ databaseUrl, apiUrl, pagerUrl: taking.url, isAway: () => isAway, isWanted, strike },
        });
        stack.use(tap);
        const PAGERS = pagers.map(each => `${each}=webhook:${tap.pagerUrl}/page|${takingSecret}`).join(',');
        return { DATABASE_URL: tap.databaseUrl, GRAFANA_URL: tap.apiUrl, PAGERS };
      },
      onLine,
    }),
  );
  const { crowd, stages, service, replicas, errors } = stand;
  let killing: Promise<void> | undefined;
  let isOver = false;
  const acting = Promise.all(stages.map(stage => actOn({ ...crowd, pagers }, stage, pace.every, () => isOver)));
  const watching = watchGauges(replicas, databaseUrl, pace.look, () => isOver);
  const count = Object.fromEntries(moments.map(each => [each, 0])) as Record<Moment, number>;
  let backlog = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const moment = moments[(kill + 2) % moments.length] ?? moments[0];
    if (kill % moments.length === 0) {
      isAway = true;
      // A busy machine takes longer until enough waits.
      for (let open = 0, looks = 0; open <= leastBacklog && looks < 5; looks += 1) {
        await wait(pace.away);
        open = await countOpen(databaseUrl);
        backlog = Math.max(backlog, open);
      }
      isAway = false;
    }
    struck = Promise.withResolvers();
    wanted = moment;
    const index = await within(patience, struck.promise, moment);
    await killing;
    count[moment] += 1;
    await replicas[index]?.start();
    restarts.push(Date.now());
  }
  isOver = true;
  const acts = (await acting).flat();
  const gauges = await watching;
  const { unfinished } = await settle(databaseUrl, performance.now());
  const verdict = await judge({ acts, serviceUrl: service.url, token: service.token, databaseUrl });
  return {
    ...verdict,
    ...{
      kills: count,
      backlog,
      gauges,
      pages: await judgePages(acts, taking.heard, { databaseUrl, restarts, slack: stand.slack }),
      unfinished,
      shownTwice: findDoubled(stand),
      errors: [...errors.keys()],
    },
    accepted: acts.filter(each => each.acknowledged).length,
    seconds: (performance.now() - began) / 1000,
  };
}

async function countOpen(databaseUrl: string): Promise<number> {
  const [row] = await query(databaseUrl, "select count(*) as n from bot_intent where state in ('pending', 'running')");
  return Number(row?.n);
}

async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const late = wait(ms, undefined, { ref: false }).then(() => {
    throw new Error(`In ${ms} ms there was no moment ${what}.`);
  });
  return await Promise.race([work, late]);
}
