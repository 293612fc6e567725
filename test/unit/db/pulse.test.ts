import { expect, test } from 'vitest';
import { bindOvertaken, isOvertaken, Pulse } from '../../../src/db/pulse.ts';

/** A process whose clock is ours. */
function openPulse() {
  let now = 0;
  const pulse = new Pulse(() => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { pulse, pass };
}

test('work that began before its process stood still is overtaken, for good', async () => {
  const { pulse, pass } = openPulse();
  await pulse.run(async () => {
    pass(10_000);
    expect(isOvertaken()).toBe(false);
    pass(10_001);
    expect(isOvertaken()).toBe(true);
    pulse.beat();
    await Promise.resolve();
    expect(isOvertaken()).toBe(true);
  });
});

test('work that begins after a standstill is not overtaken', async () => {
  const { pulse, pass } = openPulse();
  pass(60_000);
  await pulse.run(async () => {
    expect(isOvertaken()).toBe(false);
    await pulse.run(async () => expect(isOvertaken()).toBe(false));
  });
});

test('a standstill that a sign of life noticed counts for the work that was under way', async () => {
  const { pulse, pass } = openPulse();
  await pulse.run(async () => {
    pass(10_001);
    pulse.beat();
    expect(isOvertaken()).toBe(true);
  });
});

test('a process that shows signs of life works as long as it likes', async () => {
  const { pulse, pass } = openPulse();
  await pulse.run(async () => {
    for (let seconds = 0; seconds < 60; seconds += 5) {
      pass(5000);
      pulse.beat();
    }
    expect(isOvertaken()).toBe(false);
  });
});

test('a standstill counts that only one of its clocks saw', async () => {
  const clocks = { steady: 0, wall: 0 };
  const pulse = new Pulse(
    () => clocks.steady,
    () => clocks.wall,
  );
  await pulse.run(async () => {
    clocks.wall -= 3_600_000;
    expect(isOvertaken()).toBe(false);
    clocks.wall += 10_001;
    expect(isOvertaken()).toBe(true);
  });
});

test('what is sent later is judged as the work that asked for it; without work nothing is overtaken', async () => {
  const { pulse, pass } = openPulse();
  expect(isOvertaken()).toBe(false);
  const isWorkOvertaken = await pulse.run(async () => bindOvertaken());
  const isAnythingOvertaken = bindOvertaken();
  pass(20_000);
  expect(isWorkOvertaken()).toBe(true);
  expect(isAnythingOvertaken()).toBe(false);
});
