import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Run } from './run.ts';
import { variants } from './variants/all.ts';

/** A seed for each variant whose world shows it. `npm run simulate -- --find-seeds` writes them again. */
const file = new URL('./seeds.json', import.meta.url);

/** Lives through the world of a seed and a variant. */
type Live = (seed: number, variant: string) => Promise<Run>;

/** The seeds that are known to show variants, by the variant's name. */
export function readSeeds(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Finds a seed whose world shows a variant: the known one first, then all from 1 to the highest that the variant may need.
 * Undefined where none of them does.
 */
export async function findSeed(name: string, known: number | undefined, live: Live): Promise<number | undefined> {
  const { breaks, seeds = 4 } = variants[name] ?? {};
  const others = Array.from({ length: seeds }, (_, index) => index + 1).filter(seed => seed !== known);
  for (const seed of known === undefined ? others : [known, ...others]) {
    const { violations } = await live(seed, name);
    if (violations.some(each => each.invariant === breaks)) return seed;
  }
  return undefined;
}

/** Stores the seed of each variant, in the order of the table of variants. */
export async function writeSeeds(found: ReadonlyMap<string, number>): Promise<void> {
  const inOrder = Object.keys(variants).filter(name => found.has(name));
  const seeds = Object.fromEntries(inOrder.map(name => [name, found.get(name)]));
  await writeFile(file, `${JSON.stringify(seeds, undefined, 2)}\n`);
}
