import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openCut } from '../../support/cut.ts';
import { execute } from '../../support/databases/execute.ts';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { canMount, fill, mountSmallDisk } from '../breakdown/ills.ts';
import { readWarnings } from '../breakdown/run.ts';
import { findDoubled } from '../drill/rooms.ts';
import { type Act, actOn } from './people.ts';
import { settle } from './settle.ts';
import { openStand } from './stand.ts';
import { judge, type Verdict } from './verdict.ts';

/** What two processes on one Postgres live through, one after the other. */
export const outages = [
  'process killed',
  'Postgres restarted',
  'connections cut',
  'Postgres stands still',
  ...(canMount() ? ['disk full'] : []),
];

/** What came of it. */
export interface OutagesReport extends Verdict {
  /** Acts that were answered with 200: all, and those of them while each trouble lasted. */
  readonly accepted: number;
  readonly meanwhile: Readonly<Record<string, number>>;
  /** Those of the lost whose person reads no answer that says so and has their words. */
  readonly untold: readonly string[];
  /** How many answers said that an act did not happen, or may not have. */
  readonly warned: number;
  /** Rows that were unfinished a lease and five seconds after the end of each trouble, after a standstill twice that. */
  readonly late: Readonly<Record<string, number>>;
  readonly unfinished: number;
  /** What Slack shows twice. */
  readonly shownTwice: readonly string[];
  readonly errors: readonly string[];
}

/** A lease and five seconds, in milliseconds. */
const promptness = 25_000;
/** So long a database stands still at least, in seconds: processes then take each other for dead, and stop what they do. */
const standstill = 20;
/** How long people act between two troubles, and how often each incident's do, in milliseconds. */
const pace = { between: 1500, every: 700 } as const;

/** Lets people act while each of these troubles lasts for so many seconds, and waits each time until everything is done. */
export async function runOutages(
  seconds: number,
  names: readonly string[] = outages,
  onLine?: (line: string) => void,
): Promise<OutagesReport> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-outages-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = stack.use(await startPostgres());
  const filler = canMount() ? await makeSmallDatabase(postgres.url('postgres'), stack) : undefined;
  const beyond = postgres.url(filler === undefined ? 'postgres' : 'bot');
  const cut = stack.use(await openCut(Number(new URL(beyond).port)));
  const url = beyond.replace(/:\d+\//, `:${cut.port}/`);
  const stand = stack.use(await openStand({ folder, databases: [url, url], incidents: 3, seed: 1, onLine }));
  const { slack, crowd, stages, service, replicas, errors } = stand;
  // Somebody whom Slack has never described may change nothing while it does not answer.
  for (const person of crowd.people) for (const { room } of stages) await person.command(room, '/task add be there');

  const ills: Readonly<Record<string, readonly [begin: () => Promise<unknown>, end: () => Promise<unknown>]>> = {
    'process killed': [async () => await replicas[0]?.kill(), async () => await replicas[0]?.start()],
    'Postgres restarted': [postgres.stop, postgres.start],
    'connections cut': [cut.cut, cut.fix],
    'Postgres stands still': [async () => postgres.freeze(), async () => postgres.resume()],
    'disk full': [async () => await fill(filler ?? ''), async () => await rm(filler ?? '')],
  };
  const acts: Act[] = [];
  const late: Record<string, number> = {};
  const meanwhile: Record<string, number> = {};
  let unfinished = 0;
  for (const name of names) {
    const ill = ills[name];
    if (!ill) throw new Error(`There is no trouble ${name}: choose ${outages.join(', ')}`);
    const [begin, end] = ill;
    let isOver = false;
    const from = acts.length;
    const acting = Promise.all(stages.map(stage => actOn(crowd, stage, pace.every, () => isOver, `${from}-`)));
    await wait(pace.between);
    const began = Date.now();
    await begin();
    // What was being done ends with an error after it, and is left for a lease then.
    const isStandstill = name === 'Postgres stands still';
    await wait(1000 * (isStandstill ? Math.max(seconds, standstill) : seconds));
    await end();
    const [cured, ended] = [performance.now(), Date.now()];
    await wait(pace.between);
    isOver = true;
    acts.push(...(await acting).flat());
    meanwhile[name] = acts.filter(({ acknowledged: { at } = { at: 0 } }) => at >= began && at < ended).length;
    const settled = await settle(beyond, cured + (isStandstill ? 2 : 1) * promptness, 120_000);
    late[name] = settled.late;
    unfinished += settled.unfinished;
  }
  const verdict = await judge({ acts, serviceUrl: service.url, token: service.token, databaseUrl: beyond });
  const warnings = readWarnings(slack).map(each => JSON.stringify([each.text, each.blocks]));
  const isTold = (lost: string) => warnings.some(each => each.includes(/\/(\S+)/.exec(lost)?.[1] ?? lost));
  return {
    ...verdict,
    ...{
      meanwhile,
      late,
      unfinished,
      warned: warnings.length,
      shownTwice: findDoubled(stand),
      errors: [...errors.keys()],
    },
    untold: verdict.lost.filter(each => !isTold(each)),
    accepted: acts.filter(each => each.acknowledged !== undefined).length,
  };
}

/** Makes the database `bot` on a small disk of its own. Returns the name of a file that may fill it. */
async function makeSmallDatabase(url: string, stack: AsyncDisposableStack): Promise<string> {
  const [row] = await execute(url, 'show data_directory');
  const { uid, gid } = await stat(String(row?.data_directory));
  const disk = await mkdtemp(join(tmpdir(), 'muster-small-'));
  stack.defer(() => rm(disk, { recursive: true, force: true }));
  await mountSmallDisk(disk, stack, '64m');
  const space = join(disk, 'space');
  await mkdir(space);
  await chown(space, uid, gid);
  await chmod(disk, 0o755);
  await execute(url, `create tablespace small location '${space}'`);
  await execute(url, 'create database bot tablespace small');
  return join(disk, 'filler');
}
