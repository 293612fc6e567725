import { openDatabase } from '../../../src/db/database.ts';
import { serviceLock } from '../../../src/service/store/tables.ts';
import { toViolations } from '../../support/soundness/rules.ts';
import { type AllTables, type Snapshot, takeSnapshot } from '../../support/soundness/snapshot.ts';
import { type ServiceProcess, startProcess, token } from './process.ts';
import { createRandom } from './random.ts';
import { type Answer, emptyMemory, type Memory, nextWrite, type Sent, type Write } from './writes.ts';

/** How much is written, and how often the service is killed meanwhile. */
export interface Plan {
  readonly seed: number;
  readonly writes: number;
  readonly kills: number;
  readonly connections: number;
}

/** What came of it. */
export interface Outcome {
  readonly sent: readonly Sent[];
  readonly kills: number;
  /** What was broken or half done right after a kill, or at the end. */
  readonly violations: readonly string[];
  /** Everything the processes printed. */
  readonly printed: readonly string[];
  /** All that is stored at the end. */
  readonly snapshot: Snapshot;
}

/** The longest a kill comes after the write that it is counted from, in milliseconds. */
const longestAim = 12;
/** The longest a process is let start before it is killed there, in milliseconds; it starts within about as long. */
const longestBirth = 400;

/**
 * Writes through a service that is killed again and again and restarted on the same database: twice while it starts for the
 * first time, and then while all connections write. Nothing is ever sent twice.
 */
export async function undergo(databaseUrl: string, webhookUrl: string, plan: Plan): Promise<Outcome> {
  const random = createRandom(plan.seed);
  const printed: string[] = [];
  const violations: string[] = [];
  const sent: Sent[] = [];
  let kills = 0;

  await using started = new AsyncDisposableStack();
  const start = () => {
    const starting = startProcess(databaseUrl, webhookUrl);
    starting.ready.catch(() => undefined);
    started.defer(starting.kill);
    return starting;
  };

  for (let birth = 0; birth < 2; birth += 1) {
    const starting = start();
    await new Promise(resolve => setTimeout(resolve, random() * longestBirth));
    await starting.kill();
  }

  let service = start().ready;
  const aims = chooseAims(random, plan);
  const blows: Promise<void>[] = [];

  async function strike(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, random() * longestAim));
    const victim = await service;
    const { promise, resolve, reject } = Promise.withResolvers<ServiceProcess>();
    promise.catch(() => undefined);
    service = promise;
    kills += 1;
    await victim.kill();
    printed.push(...victim.printed);
    try {
      violations.push(...toViolations(await readDatabase(databaseUrl), { plain: true }));
      resolve(await start().ready);
    } catch (error) {
      reject(error);
    }
  }

  async function connect(index: number, shared: string): Promise<void> {
    const memory = emptyMemory();
    for (;;) {
      const { url } = await service;
      if (sent.length >= plan.writes) return;
      const write = nextWrite(random, memory, `w${sent.length}c${index}`, shared);
      if (aims.has(sent.push(record(write)))) blows.push(strike());
      const entry = sent.at(-1);
      const answer = await send(url, write);
      if (!answer) forget(memory);
      else if (entry) {
        entry.acknowledged = true;
        write.learn?.(answer);
      }
    }
  }

  const first = nextWrite(random, emptyMemory(), 'shared', '');
  const shared = await send((await service).url, first);
  sent.push({ ...record(first), acknowledged: true });
  await Promise.all(Array.from({ length: plan.connections }, (_, index) => connect(index, toID(shared))));
  await Promise.all(blows);
  const last = await service;
  await last.kill();
  const snapshot = await readDatabase(databaseUrl);
  violations.push(...toViolations(snapshot, { plain: true }));
  return { sent, kills, violations, printed: [...printed, ...last.printed], snapshot };
}

/** After how many writes the service is killed: at random, once in each equal part. */
function chooseAims(random: () => number, { writes, kills }: Plan): ReadonlySet<number> {
  const part = writes / kills;
  return new Set(Array.from({ length: kills }, (_, index) => Math.floor(part * (index + 0.1 + 0.8 * random()))));
}

function record({ name, count }: Write): Sent {
  return { name, count, acknowledged: false };
}

function forget(memory: Memory): void {
  Object.assign(memory, emptyMemory());
}

function toID(answer: Answer | undefined): string {
  if (!answer?.incident) throw new Error('the first incident could not be declared');
  return answer.incident.incidentID;
}

/** The answer of a write, undefined when none came. Any answer but a success is a fault of the test. */
async function send(url: string, { path, body, name }: Write): Promise<Answer | undefined> {
  let response: { status: number; text: string };
  try {
    const answered = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    response = { status: answered.status, text: await answered.text() };
  } catch {
    return undefined;
  }
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${response.text}`);
  return JSON.parse(response.text);
}

/** Everything stored, once nobody writes any more; what the killed process began is undone by then. */
async function readDatabase(url: string): Promise<Snapshot> {
  await using database = await openDatabase(url);
  return await database.withLock<AllTables, Snapshot>(serviceLock, takeSnapshot);
}
