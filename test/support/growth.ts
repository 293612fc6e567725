import { expect } from 'vitest';

/**
 * How often each work is done, at least and at most, before its growth is judged: the first time warms it up, and others share
 * the machine.
 */
const rounds = { least: 3, most: 10 };
/** Milliseconds below which a time is mostly noise. */
const noise = 2;

/**
 * Expects that work on four times the length takes less than eight times the processor's time, on whatever machine: it takes four
 * times as long when it grows with the length, and sixteen times when it grows with its square. The quickest times count.
 */
export async function expectSteadyGrowth(length: number, work: (length: number) => unknown): Promise<void> {
  let short = Number.POSITIVE_INFINITY;
  let long = Number.POSITIVE_INFINITY;
  const isSteady = () => long < 8 * Math.max(short, noise);
  // However little time the short length takes.
  const isSurelySteady = () => long < 8 * noise;
  for (let round = 0; round < rounds.most && !isSurelySteady(); round += 1) {
    if (round >= rounds.least && isSteady()) break;
    short = Math.min(short, await cpuOf(() => work(length)));
    long = Math.min(long, await cpuOf(() => work(4 * length)));
  }
  expect(isSteady(), `${short} ms became ${long} ms`).toBe(true);
}

/** The processor's time that work takes, in milliseconds. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = spentByProcess();
  await work();
  return spentByProcess() - before;
}

/** The processor's time that this process has taken so far, in milliseconds. */
function spentByProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Characters of the texts that {@link expectLinear} tries. */
const lengths = [5000, 10_000, 20_000, 40_000];
const longest = 40_000;
/** How often each of them is read at most, before its growth is judged. A reading takes milliseconds, which vary more than seconds do. */
const mostReadings = 30;

/**
 * Expects that a piece repeated to twice the length takes at most 2.5 times the processor's time, at each step. Where a step took more, each
 * length is read until as many characters are read as the longest has: so the memory is cleaned as often for each, and a step tells of the reader
 * alone. The quickest of several times counts, since others share the machine. `first`: the length that is tried first. What takes next to nothing
 * there ends the trial: had it grown with the square of the length, 40,000 characters would take 16 times as long as 10,000, which is harmless then.
 * `spent`: the processor's time so far, in milliseconds.
 */
export function expectLinear(
  read: (text: string) => unknown,
  piece: string,
  first: number,
  spent: () => number = spentByProcess,
): void {
  const costOf = (length: number, times = 1) => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    const before = spent();
    for (let time = 0; time < times; time += 1) read(text);
    return (spent() - before) / times;
  };
  if (costOf(first) <= noise || costOf(first) <= noise) return;
  let costs = lengths.map(length => costOf(length));
  const grows = () => costs.some((cost, at) => cost > 2.5 * Math.max(costs[at - 1] ?? cost, 2 * noise));
  for (let round = 0; round < mostReadings && grows(); round += 1)
    costs = lengths.map((length, at) => Math.min(costs[at] ?? 0, costOf(length, longest / length)));
  expect(grows(), `${JSON.stringify(piece)}: ${costs.join(' ms, ')} ms`).toBe(false);
}
