import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { quantile } from '../../support/quantile.ts';
import { overHttp } from '../fuzz/over-http.ts';
import { heldUp } from './held-up.ts';
import { type Input, type Kind, kinds, toInputs } from './inputs.ts';
import { openStand } from './stand.ts';

/** What came of a run. */
export interface FuzzReport {
  readonly seed: number;
  readonly rows: Readonly<Record<Kind, FuzzRow>>;
  /** How long a bystander waited for each answer, in milliseconds. */
  readonly waits: readonly number[];
  /** MiB. */
  readonly peakMemory: number;
  /** What is wrong, one sentence each; empty when nothing is. */
  readonly wrong: readonly string[];
}

/** How the inputs of one kind ended. */
interface FuzzRow {
  inputs: number;
  /** Answers that tell when to try again. */
  busy: number;
  failures: number;
}

const perBatch = 200;
const atOnce = 8;
/** Milliseconds after which an input has no answer. */
const patience = 30_000;
const mostMemory = 500;
const mostComplaints = 20;

/** Throws generated inputs at a Muster in a process of its own until the time is over. A seed gives the same inputs again. */
export async function fuzz({ seed, seconds }: { seed: number; seconds: number }): Promise<FuzzReport> {
  await using stand = await openStand();
  const agent = new Agent({ keepAlive: true });
  const rows = Object.fromEntries(kinds.map(kind => [kind, { inputs: 0, busy: 0, failures: 0 }])) as Record<
    Kind,
    FuzzRow
  >;
  const wrong: string[] = [];
  const until = performance.now() + seconds * 1000;
  const inputs = toInputs(stand);

  async function send(input: Input): Promise<void> {
    const row = rows[input.kind];
    row.inputs += 1;
    const { statuses, answered } = await answersTo(input, stand.port, agent);
    row.busy += statuses.filter(each => each === 503).length;
    const failures = statuses.filter(each => each >= 500 && each !== 503);
    row.failures += failures.length;
    if (failures.length > 0) wrong.push(`${input.kind}: answered ${failures}: ${show(input)}`);
    if (!answered) wrong.push(`${input.kind}: no answer: ${show(input)}`);
  }

  for (let batch = 0; performance.now() < until && wrong.length < mostComplaints; batch += 1) {
    const waiting = fc.sample(inputs, { seed: seed + batch, numRuns: perBatch }).values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const input of waiting) {
          if (performance.now() > until) return;
          await send(input);
        }
      }),
    );
  }
  agent.destroy();
  const { failures, waits } = stand.bystander;
  wrong.push(...[...failures, ...heldUp(waits)].map(each => `the bystander: ${each}`));
  const peakMemory = stand.peakMemory();
  if (peakMemory > mostMemory) wrong.push(`the process took ${peakMemory} MiB, and at most ${mostMemory} are right`);
  wrong.push(...(await stand.errors()).map(line => `the log: ${line.slice(0, 500)}`));
  return { seed, rows, waits, peakMemory, wrong: wrong.slice(0, mostComplaints) };
}

interface Answers {
  readonly statuses: readonly number[];
  /** False when the connection was still open, and silent, after a long time. */
  readonly answered: boolean;
}

async function answersTo(input: Input, port: number, agent: Agent): Promise<Answers> {
  const late = pause(patience, { statuses: [], answered: false }, { ref: false });
  if (input.kind !== 'calls and pages') return await Promise.race([overWire(port, input.bytes), late]);
  const call = overHttp(agent, port, input.request).then(
    ({ status }) => ({ statuses: [status], answered: true }),
    // The server ends the connection of a request that it does not read to its end.
    () => ({ statuses: [], answered: true }),
  );
  return await Promise.race([call, late]);
}

/** Sends bytes, says that no more will come, and waits until the server has closed the connection. */
function overWire(port: number, bytes: Buffer): Promise<Answers> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket.on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => undefined);
  socket.end(bytes);
  return new Promise(resolve => {
    socket.once('close', () => {
      const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
      resolve({ statuses, answered: true });
    });
  });
}

function show(input: Input): string {
  const text =
    'bytes' in input
      ? input.bytes.toString('latin1')
      : JSON.stringify({ ...input.request, body: String(input.request.body) });
  return JSON.stringify(text.slice(0, 300));
}

/** The report as a table. */
export function toTable({ seed, rows, waits, peakMemory, wrong }: FuzzReport): string {
  const line = (...cells: readonly (string | number)[]) =>
    cells.map((each, at) => (at === 0 ? String(each).padEnd(18) : String(each).padStart(10))).join('');
  const all = Object.values(rows);
  const share = (of: number) => Math.round(quantile(waits, of));
  const sum = (of: keyof FuzzRow) => all.reduce((total, row) => total + row[of], 0);
  return [
    line('kind', 'inputs', '503', 'other 5xx'),
    ...kinds.map(kind => line(kind, rows[kind].inputs, rows[kind].busy, rows[kind].failures)),
    line('all', sum('inputs'), sum('busy'), sum('failures')),
    '',
    `a bystander waited up to ${share(0.99)} ms for 99 answers in 100 and ${share(1)} ms for the last; peak memory: ${peakMemory} MiB`,
    ...wrong.map(each => `wrong: ${each}`),
    wrong.length === 0 ? 'nothing is wrong' : `again: npm run fuzz -- --seed ${seed}`,
    '',
  ].join('\n');
}
