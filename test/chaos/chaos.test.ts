import { expect, test } from 'vitest';
import { runChaos } from './run.ts';

test('what is acknowledged takes effect once and in order, though processes are killed and the API fails half of the time', async () => {
  const report = await runChaos({
    actions: 60,
    seconds: 10,
    incidents: 4,
    failing: 0.5,
    seed: 1,
    waitsForLeases: false,
  });
  expect(report.accepted).toBeGreaterThanOrEqual(60);
  expect(report.kills).toBeGreaterThanOrEqual(5);
  expect(Object.values(report.faults).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(10);
  const { unfinished, lost, doubled, outOfOrder } = report;
  expect({ unfinished, lost, doubled, outOfOrder }).toEqual({ unfinished: 0, lost: [], doubled: [], outOfOrder: [] });
  // The moment between an acknowledgement and storing is milliseconds, and each kill meets at most one per incident.
  expect(report.unstored.length).toBeLessThanOrEqual(report.kills);
  expect([...report.errors.keys()]).toEqual([]);
}, 120_000);
