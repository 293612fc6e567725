import { expect, test } from 'vitest';
import { bindOvertaken, isOvertaken, Pulse } from '../../../src/db/pulse.ts';

/** How long a process may store no heartbeat before others may take it for dead, in milliseconds. */
const longest = 15_000;

/** A process with a clock that never steps, and one that goes on while the machine sleeps. */
function openPulse() {
  const clocks = { elapsed: 0, wall: 1_800_000_000_000 };
  const pulse = new Pulse(
    () => clocks.elapsed,
    () => clocks.wall,
  );
  const pass = (ms: number) => {
    clocks.elapsed += ms;
    clocks.wall += ms;
  };
  return { pulse, pass, clocks };
}

test('work is overtaken once the process is silent for too long, and stays so', async () => {
  const { pulse, pass } = openPulse();
  await pulse.run(async () => {
    pass(longest);
    expect(isOvertaken()).toBe(false);
    pass(1);
    expect(isOvertaken()).toBe(true);
    pulse.beat();
    await Promise.resolve();
    expect(isOvertaken()).toBe(true);
  });
});

test('a process that stores its heartbeats works as long as it likes', async () => {
  const { pulse, pass } = openPulse();
  await pulse.run(async () => {
    for (let seconds = 0; seconds < 60; seconds += 15) {
      pass(longest);
      pulse.beat();
    }
    expect(isOvertaken()).toBe(false);
  });
});

test('the silence counts from the last heartbeat, or from the work’s own lease', async () => {
  const { pulse, pass } = openPulse();
  pass(longest);
  await pulse.run(async () => {
    pass(longest);
    expect(isOvertaken()).toBe(false);
    pass(1);
    expect(isOvertaken()).toBe(true);
    await pulse.run(async () => expect(isOvertaken()).toBe(false));
  });
});

test('work that begins after a silence is not overtaken by it', async () => {
  const { pulse, pass } = openPulse();
  pass(60_000);
  pulse.beat();
  await pulse.run(async () => expect(isOvertaken()).toBe(false));
});

test('work that begins between a silence and the next heartbeat keeps its lease', async () => {
  const { pulse, pass } = openPulse();
  await pulse.run(async () => {
    pass(longest + 1);
    await pulse.run(async () => {
      pulse.beat();
      expect(isOvertaken()).toBe(false);
      pass(longest);
      expect(isOvertaken()).toBe(false);
      pass(1);
      expect(isOvertaken()).toBe(true);
    });
    expect(isOvertaken()).toBe(true);
  });
});

test('a machine that sleeps is silent, though its steady clock stops', async () => {
  const { pulse, clocks } = openPulse();
  await pulse.run(async () => {
    clocks.wall -= 3_600_000;
    expect(isOvertaken()).toBe(false);
    clocks.wall += 3_600_000 + longest + 1;
    expect(isOvertaken()).toBe(true);
  });
});

test('work is overtaken once its process gives the lease up', async () => {
  const { pulse } = openPulse();
  const cutOff = new AbortController();
  await pulse.run(async () => {
    expect(isOvertaken()).toBe(false);
    cutOff.abort();
    expect(isOvertaken()).toBe(true);
  }, cutOff.signal);
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
