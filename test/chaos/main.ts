import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

/* `npm run chaos -- --actions 1000 --seconds 60`: the whole storm, and what came of it. */

const { values } = parseArgs({
  options: {
    actions: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    incidents: { type: 'string', default: '40' },
  },
});
const outcome = await runChaos({
  actions: Number(values.actions),
  seconds: Number(values.seconds),
  incidents: Number(values.incidents),
});
const { calls, faults } = outcome;
process.stdout.write(
  `${outcome.actions} actions, ${outcome.answered} answered; ${outcome.kills} kills; ${calls.well} calls went well and ${calls.badly} did not; ${outcome.again} events sent again; ${outcome.drained} s until nothing was left\n`,
);
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(faults.length === 0 ? 'None lost, none doubled, order kept.\n' : `${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
