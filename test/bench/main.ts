import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAck } from './ack.ts';
import { benchAnswer } from './answer.ts';
import { benchClient } from './client.ts';
import { benchJournal } from './journal.ts';
import { keepsLimit, type Row } from './measure.ts';
import { benchScale } from './scale.ts';
import { benchService } from './service.ts';
import { benchStart } from './start.ts';

/*
 * `npm run bench -- [name …] [--json]`: ratios of Muster to the least that does the same, measured next to each other in one
 * run. Exits 1 when a limit is missed.
 */

const benches: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  client: async () => [{ ...(await benchClient()), bound: 'at most', unit: 'µs CPU' }],
  ack: benchAck,
  answer: benchAnswer,
  start: benchStart,
  service: benchService,
  journal: benchJournal,
  scale: benchScale,
};

/** Take minutes, and so are run only when they are named. */
const onlyByName = ['scale', 'journal'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
const unknown = positionals.filter(name => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  const known = Object.keys(benches).join(', ');
  process.stderr.write(`There is no measurement called ${unknown.join(' or ')}. There are: ${known}.\n`);
  process.exitCode = 2;
} else {
  await run(
    positionals.length > 0 ? positionals : Object.keys(benches).filter(name => !onlyByName.includes(name)),
    values.json ?? false,
  );
}

async function run(names: readonly string[], asJson: boolean): Promise<void> {
  if (!asJson) process.stdout.write(`${heading()}\n`);
  for (const name of names) {
    for (const row of (await benches[name]?.()) ?? []) {
      const ok = keepsLimit(row);
      if (!ok) process.exitCode = 1;
      process.stdout.write(`${asJson ? toJson(row, ok) : toLine(row, ok)}\n`);
    }
  }
}

function heading(): string {
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model.trim() || process.arch}`;
  return `${machine}\n${columns('measured', 'ratio', 'limit', 'baseline', 'Muster', '')}`;
}

function toLine(row: Row, ok: boolean): string {
  const amount = (value: number) => `${format(value)} ${row.unit}`;
  return columns(
    row.name,
    `${row.ratio.toFixed(2)}×`,
    row.limit === undefined ? '' : `${row.bound} ${row.limit}×`,
    amount(row.baseline),
    amount(row.subject),
    row.limit === undefined ? '' : ok ? 'ok' : 'MISSED',
  );
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

function columns(name: string, ratio: string, limit: string, baseline: string, subject: string, ok: string): string {
  return `${name.padEnd(26)}${ratio.padStart(7)}  ${limit.padEnd(15)}${baseline.padStart(14)}${subject.padStart(14)}  ${ok}`.trimEnd();
}

function toJson(row: Row, ok: boolean): string {
  return JSON.stringify({ name: row.name, ratio: row.ratio, limit: row.limit, ok });
}
