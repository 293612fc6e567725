import { expect, test } from 'vitest';
import { runChaos } from './chaos.ts';

test('two replicas of which one is killed every second, before an API that fails half of the time: none lost, none doubled, order kept', async () => {
  const outcome = await runChaos({ actions: 60, seconds: 10, incidents: 8 });
  expect(outcome.faults).toEqual([]);
  expect(outcome.actions).toBe(60);
  expect(outcome.kills).toBeGreaterThan(8);
  expect(outcome.calls.badly).toBeGreaterThan(outcome.calls.well / 4);
}, 300_000);
