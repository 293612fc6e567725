import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { canMount, type IllName, ills } from './ills.ts';
import { brokenPromises } from './promises.ts';
import { type BreakdownReport, runBreakdown } from './run.ts';

/*
 * `npm run breakdown`: one process under load, from which one thing after the other is taken away: its database for 30 s, the room on
 * its disk for 30 s (root alone may mount the small disk), Slack's word on its token for 60 s, and Slack itself at the start for 30 s.
 * `--ill token` breaks one alone, `--seconds 5` sets how long, `--log <file>` keeps what the processes log. Exits 1 when something does
 * not hold.
 */

/** How long each is away, in seconds. */
const usual: Readonly<Record<IllName, number>> = { database: 30, disk: 30, token: 60, slack: 30 };
const { values } = parseArgs({
  options: { ill: { type: 'string' }, seconds: { type: 'string' }, log: { type: 'string' } },
});
const { log } = values;
const chosen = ills.filter(name => values.ill === undefined || values.ill === name);
if (chosen.length === 0) throw new Error(`There is no ill ${values.ill}. There are ${ills.join(', ')}.`);

let isWell = true;
for (const ill of chosen) {
  if (ill === 'disk' && !canMount()) {
    process.stdout.write('disk: left out, since only root may mount a small one\n');
    continue;
  }
  const seconds = Number(values.seconds ?? usual[ill]);
  const report = await runBreakdown({
    ...{ ill, seconds },
    ...(log ? { onLine: (line: string) => appendFileSync(log, `${line}\n`) } : {}),
  });
  const broken = brokenPromises(ill, seconds, report);
  process.stdout.write(`${[...broken, toLine(ill, seconds, report)].join('\n')}\n`);
  isWell &&= broken.length === 0;
}
// Postgres's package ends the process with 0 when nothing is left to do, whatever `process.exitCode` says.
process.exit(isWell ? 0 : 1);

function toLine(ill: IllName, seconds: number, report: BreakdownReport): string {
  const { accepted, lost, doubled, unfinished, warned, complaints } = report;
  const { told, ready, settled } = report.seconds;
  const after = (time: number) => `${time.toFixed(1)} s`;
  return `${ill}, ${seconds} s: ${accepted} acknowledged, ${lost.length} without an effect (${warned} people were told so), ${doubled.length} doubled, ${unfinished} unfinished; told after ${after(told)}, ready ${after(ready)} after the cure, nothing open ${after(settled)} after that; ${complaints.length} lines of trouble`;
}
