import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runKills } from './run.ts';

/*
 * `npm run kills -- --kills 100`: two processes on one Postgres, a backlog that drains while commands come, and a kill at each moment of
 * a command's life in turn. `--log <file>` keeps what the processes log.
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
process.exit(report.lost.length + report.doubled.length + report.unfinished > 0 ? 1 : 0);
