import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { faultKinds } from './failing-api.ts';
import { runOutages } from './outages.ts';
import { type ChaosReport, runChaos } from './run.ts';
import { violations } from './verdict.ts';

/*
 * `npm run chaos -- --actions 1000 --seconds 60`: two processes on one Postgres under load, one of them killed, stopped or frozen
 * every second, and an API that fails half of the time. `--engine sqlite` runs one process on SQLite. `--log <file>` keeps what the
 * processes log; `--failing 0` leaves the API alone. `--outage 'Postgres stands still' --seconds 40` is one trouble of ./outages.ts alone, with
 * what was answered with 200 and became of it. Exits 1 when something does not hold.
 */

const { values } = parseArgs({
  options: {
    actions: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    incidents: { type: 'string', default: '8' },
    failing: { type: 'string', default: '0.5' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'postgres' },
    outage: { type: 'string' },
    log: { type: 'string' },
  },
});
const { log, outage } = values;
const onLine = log ? (line: string) => appendFileSync(log, `${line}\n`) : undefined;

if (outage !== undefined) {
  const report = await runOutages(Number(values.seconds), [outage], onLine);
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  process.exit([...report.untold, ...report.unstored, ...report.doubled].length + report.unfinished > 0 ? 1 : 0);
}

const report = await runChaos({
  actions: Number(values.actions),
  seconds: Number(values.seconds),
  incidents: Number(values.incidents),
  seed: Number(values.seed),
  failing: Number(values.failing),
  engine: values.engine === 'sqlite' ? 'sqlite' : 'postgres',
  ...(onLine ? { onLine } : {}),
});
process.stdout.write(`${toLines(report).join('\n')}\n`);
// Postgres's package ends the process with 0 when nothing is left to do, whatever `process.exitCode` says.
process.exit(Object.values(violations(report)).flat().length + report.late + report.unfinished > 0 ? 1 : 0);

function toLines(report: ChaosReport): readonly string[] {
  const { acts, accepted, kills, stops, freezes, requests, faults, errors, seconds } = report;
  const acting = Math.round(seconds.acting);
  const journal = Math.round(seconds.journal);
  const settling = Math.round(seconds.settling);
  const kinds = faultKinds.map(kind => `${kind} ${faults[kind]}`).join(', ');
  const named = ['lost', 'doubled', 'outOfOrder', 'overtaken', 'unstored'] as const;
  return [
    ...named.flatMap(name => report[name].map(each => `${name}: ${each}`)),
    ...[...errors].map(([words, times]) => `logged as an error ${times} times: ${words}`),
    `${accepted} actions accepted (${acts.length - accepted} more not acknowledged, ${report.silent} of them took effect), ${report.doneMeanwhile} done meanwhile, ${kills} kills, ${stops} stops, ${freezes} freezes, ${requests} requests to the failing API, of which failed: ${kinds}`,
    `${report.lost.length} lost, ${report.doubled.length} doubled, ${report.outOfOrder.length} out of order, ${report.overtaken.length} overtaken when taken up from a dead process, ${report.unstored.length} gone with a process killed before it could store them, ${report.late} late, ${report.unfinished} unfinished; ${report.takenUp} were taken up from dead processes; ${acting} s of acting, ${journal} s until the journal was empty, ${settling} s until everything was answered`,
  ];
}
