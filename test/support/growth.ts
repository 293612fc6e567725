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
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
