import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runKills } from './run.ts';

/*
 * `npm run kills -- --kills 100`: two processes on one Postgres, a backlog that drains while commands come, and a kill at each moment of
 * a command's life and after a page in turn. `--log <file>` keeps what the processes log.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    incidents: { type: 'string', default: '10' },
    log: { type: 'string' },
  },
});
const { log } = values;
const report = await runKills({
  ...{ kills: Number(values.kills), incidents: Number(values.incidents) },
  ...(log ? { onLine: (line: string) => appendFileSync(log, `${line}\n`) } : {}),
});
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
// Postgres's package ends the process with 0 when nothing is left to do.
const { lost, doubled, unfinished, pages, gauges } = report;
const broken =
  [...lost, ...doubled, ...pages.lost, ...pages.doubled, ...pages.denied].length + unfinished + gauges.blind;
process.exit(broken > 0 || pages.longest.sinceRestart > 30 ? 1 : 0);
