import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAck } from './ack.ts';
import { benchAlerts } from './alerts.ts';
import { benchAnswer } from './answer.ts';
import { benchClient } from './client.ts';
import { onPostgres } from './databases.ts';
import { diskTime } from './disk-time.ts';
import { benchJournal } from './journal.ts';
import { keepsLimit, type Row } from './measure.ts';
import { benchPages } from './pages.ts';
import { benchPlayground } from './playground.ts';
import { benchReplicas } from './replicas.ts';
import { benchScale } from './scale.ts';
import { benchService } from './service.ts';
import { benchStart } from './start.ts';

/*
 * `npm run bench -- [name …] [--json] [--seconds n]`: ratios of Muster to the least that does the same, measured next to each other in one
 * run. Exits 1 when a limit is missed.
 */

interface Bench {
  /** What is compared, in a line. */
  readonly summary: string;
  /** Its rows, together or one by one. */
  run(): Promise<readonly Row[]> | AsyncIterable<Row>;
  /** Takes many minutes, and so runs only when it is named. */
  readonly onlyByName?: boolean;
}

const benches: Readonly<Record<string, Bench>> = {
  client: {
    summary: 'CPU of a call through the client, over bare undici',
    run: benchClient,
  },
  ack: { summary: 'acknowledging a command, over a bare Bolt app', run: benchAck },
  alerts: {
    summary: 'storing and acknowledging 200 alerts a second, over a bare Hono app that stores the body',
    run: () => benchAlerts(seconds),
  },
  answer: { summary: 'answering a note, over a bare Bolt app that makes the same calls', run: benchAnswer },
  start: { summary: 'time and memory of a start, over a bare Bolt app', run: benchStart },
  service: { summary: 'the embedded service, over bare Hono and bare SQLite', run: benchService },
  pages: { summary: 'the web pages: longer incidents over short ones, and against their bars', run: benchPages },
  journal: {
    summary: 'acknowledging under a backlog, and working it off, over none and the bare calls',
    run: benchJournal,
  },
  postgres: {
    summary: 'ack, answer, journal and service on a Postgres here, and behind lines of 1 ms and 2.5 ms',
    run: benchPostgres,
  },
  replicas: {
    summary: 'a backlog worked off by three processes on one Postgres, over one process',
    run: benchReplicas,
    onlyByName: true,
  },
  playground: { summary: 'the page of the playground, in Chromium', run: benchPlayground, onlyByName: true },
  scale: { summary: 'the service with 1,000,000 timeline items, over one with few', run: benchScale, onlyByName: true },
};

const usualSeconds = 12;
const help = `npm run bench -- [name …] [--json] [--seconds n]

Measures Muster next to the least that does the same, and prints ratios. Exits 1 when a limit is missed.
alerts takes so many seconds for each side: ${usualSeconds} unless told otherwise.
Databases are made in TMPDIR: a folder in memory shows what is left without the disk.

${Object.entries(benches)
  .map(([name, { summary, onlyByName }]) => `  ${name.padEnd(10)}${summary}${onlyByName ? ' (only when named)' : ''}`)
  .join('\n')}
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, seconds: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const seconds = Number(values.seconds ?? usualSeconds);
const unknown = positionals.filter(name => !Object.hasOwn(benches, name));
if (values.help) {
  process.stdout.write(help);
} else if (unknown.length > 0) {
  process.stderr.write(`There is no measurement called ${unknown.join(' or ')}.\n\n${help}`);
  process.exitCode = 2;
} else {
  await run(
    positionals.length > 0 ? positionals : Object.keys(benches).filter(name => !benches[name]?.onlyByName),
    values.json ?? false,
  );
}

/** Four measurements with the limits that they have on SQLite, on a Postgres here and on one so many milliseconds away. */
async function* benchPostgres(): AsyncIterable<Row> {
  for (const roundTrip of [0, 1, 2.5]) {
    for (const bench of [benchAck, benchAnswer, benchJournal, benchService]) {
      for await (const row of onPostgres(roundTrip, bench)) yield { ...row, name: `${row.name}, pg ${roundTrip} ms` };
    }
  }
}

async function run(names: readonly string[], asJson: boolean): Promise<void> {
  if (!asJson) process.stdout.write(`${await heading()}\n`);
  for (const name of names) {
    for await (const row of (await benches[name]?.run()) ?? []) {
      const ok = keepsLimit(row);
      if (!ok) process.exitCode = 1;
      process.stdout.write(`${asJson ? toJson(row, ok) : toLine(row, ok)}\n`);
    }
  }
}

async function heading(): Promise<string> {
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model.trim() || process.arch}`;
  const disk = `the disk takes ${format(await diskTime())} ms for a commit`;
  return `${machine}, ${disk}\n${columns('measured', 'ratio', 'limit', 'baseline', 'Muster', '')}`;
}

function toLine(row: Row, ok: boolean): string {
  const amount = (value: number) => `${format(value)} ${row.unit}`;
  return columns(
    row.name,
    `${row.ratio.toFixed(2)}×`,
    limitOf(row),
    amount(row.baseline),
    amount(row.subject),
    verdict(row, ok),
  );
}

function limitOf(row: Row): string {
  if (row.limit === undefined) return 'none';
  const number = Number(row.limit.toFixed(2));
  return row.bound === 'within' ? `1 ± ${number}` : `${row.bound} ${number}×`;
}

function verdict(row: Row, ok: boolean): string {
  if (row.limit === undefined) return row.reason;
  if (ok) return 'ok';
  return row.whenMissed === undefined ? 'MISSED' : `MISSED: ${row.whenMissed}`;
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

function columns(name: string, ratio: string, limit: string, baseline: string, subject: string, ok: string): string {
  return `${name.padEnd(34)}${ratio.padStart(7)}  ${limit.padEnd(15)}${baseline.padStart(14)}${subject.padStart(14)}  ${ok}`.trimEnd();
}

function toJson(row: Row, ok: boolean): string {
  return JSON.stringify({ ...row, ok });
}
