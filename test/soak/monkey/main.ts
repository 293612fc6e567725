import { parseArgs } from 'node:util';
import { runMonkey } from './run.ts';

/*
 * `npm run monkey -- --seed 7 --minutes 10`: five people click at random in a playground, each in a page of a real browser. It
 * prints what they do, and at the end what went wrong. Exits 1 when anything did. `--data folder` keeps what the playground stored.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    data: { type: 'string' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
const report = await runMonkey({ seed, seconds: Number(values.minutes) * 60, dataFolder: values.data, onAct: print });
const { done, missed, broken, errors, differences, declared, compared } = report;
for (const each of [...errors, ...differences]) print(`✗ ${each}`);
print(
  `seed ${seed}: ${done} acts, ${missed} missed, ${broken} times broken, ${compared} of ${declared} incidents compared, ` +
    `${errors.length} errors, ${differences.length} differences`,
);
process.exit(errors.length + differences.length > 0 ? 1 : 0);
