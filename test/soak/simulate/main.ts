import { parseArgs } from 'node:util';
import type { Run } from './run.ts';
import { WorldProcess } from './world-process.ts';

/*
 * `npm run simulate -- --seeds 1000`: lives through the worlds of that many seeds, on both cores.
 * `npm run simulate -- --seed 7`: replays one, with its history.
 * With `--digests`, each world says by which name its history goes.
 * With `--until <invariant>`, no further world begins once one has broken that invariant.
 * `npm run simulate -- --find-seeds`: writes seeds.json, with a seed for each variant whose world shows it.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    variant: { type: 'string' },
    until: { type: 'string' },
    digests: { type: 'boolean', default: false },
    'find-seeds': { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
  },
});

/** Worlds lived through by one process: what they leave behind in memory adds up. */
const perWorker = 100;

const print = (text: string) => process.stdout.write(`${text}\n`);

if (values['find-seeds']) await findSeeds();
else if (values.seed === undefined) await simulateMany();
else await replay(Number(values.seed));

async function replay(seed: number): Promise<void> {
  const { runSeed } = await import('./run.ts');
  const { findVariant } = await import('./variants/all.ts');
  const run = await runSeed(seed, findVariant(values.variant));
  tell(run, true);
  if (run.violations.length > 0) process.exitCode = 1;
}

async function simulateMany(): Promise<void> {
  const began = performance.now();
  const from = Number(values.from);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => from + index);
  const count = { worlds: 0, acts: 0, kills: 0, failed: [] as number[] };
  let shown = 0;
  const take = (run: Run) => {
    count.worlds += 1;
    count.acts += run.acts;
    count.kills += run.kills;
    if (values.digests) print(`seed ${run.seed}: history ${run.digest}`);
    if (count.worlds % 500 === 0) print(`${count.worlds} worlds, ${count.failed.length} of them failed`);
    if (run.violations.length === 0) return;
    if (run.violations.some(each => each.invariant === values.until)) seeds.length = 0;
    count.failed.push(run.seed);
    tell(run, shown === 0);
    shown += 1;
  };
  await Promise.all(
    Array.from({ length: Number(values.workers) }, async () => {
      while (seeds.length > 0) await liveThrough(seeds, take);
    }),
  );
  const seconds = Math.round((performance.now() - began) / 1000);
  const lived = `${count.worlds} worlds, ${count.acts} acts, ${count.kills} replicas ended, ${seconds} s`;
  print(count.failed.length === 0 ? `${lived}: all invariants hold` : `${lived}: ${count.failed.length} worlds failed`);
  if (count.failed.length === 0) return;
  print(`Replay one with: npm run simulate -- --seed ${Math.min(...count.failed)}`);
  print(`Failed: ${count.failed.toSorted((a, b) => a - b).join(' ')}`);
  process.exitCode = 1;
}

/** Lives through the first of these worlds in a process of its own, and takes them off the list. */
async function liveThrough(seeds: number[], take: (run: Run) => void): Promise<void> {
  await using worlds = new WorldProcess();
  for (let begun = 0; begun < perWorker; begun += 1) {
    const seed = seeds.shift();
    if (seed === undefined) return;
    take(await worlds.live(seed, values.variant));
  }
}

/** Finds a seed for each variant and writes them down. */
async function findSeeds(): Promise<void> {
  const { findSeed, readSeeds, writeSeeds } = await import('./seeds.ts');
  const { variants } = await import('./variants/all.ts');
  const known = readSeeds();
  const found = new Map<string, number>();
  const left = Object.keys(variants);
  const search = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await using worlds = new WorldProcess();
      const seed = await findSeed(name, known[name], (...which) => worlds.live(...which));
      print(`${seed ?? 'no seed'}: ${name}`);
      if (seed === undefined) process.exitCode = 1;
      else found.set(name, seed);
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, search));
  await writeSeeds(found);
}

function tell(run: Run, isWhole: boolean): void {
  if (isWhole) for (const line of run.history) print(line);
  for (const { invariant, complaint } of run.violations) print(`seed ${run.seed} · ${invariant}: ${complaint}`);
  if (isWhole) print(`seed ${run.seed}: ${run.violations.length} violations, history ${run.digest}`);
}
