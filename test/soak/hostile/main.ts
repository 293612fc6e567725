import { parseArgs } from 'node:util';
import { fuzz, toTable } from './fuzz.ts';

/*
 * `npm run fuzz -- --minutes 10`: throws generated inputs at a running Muster and prints a table. `--seed 7` makes the inputs of
 * that run again. Exits 1 when something is wrong.
 */

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: String(Date.now() % 1e9) } },
});
const seed = Number(values.seed);
process.stdout.write(`seed ${seed}, ${values.minutes} minutes\n`);
const report = await fuzz({ seed, seconds: Number(values.minutes) * 60 });
process.stdout.write(toTable(report));
process.exit(report.wrong.length === 0 ? 0 : 1);
