import FakeTimers from '@sinonjs/fake-timers';
import { onTestFinished } from 'vitest';

type Replaced = 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'Date' | 'performance';

const all: readonly Replaced[] = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'];

/** Replaces the global timers and clocks, or some, until the test ends; time then passes only when it is told to. */
export function openVirtualTime(replaced = all) {
  const clock = FakeTimers.install({ now: Date.parse('2026-03-14T02:00:00Z'), toFake: [...replaced] });
  const close = () => clock.uninstall();
  onTestFinished(close);
  return {
    /** Brings the real ones back before the test ends. */
    close,
    /** Lets that many milliseconds pass, with everything that becomes due on the way. */
    advance: async (ms: number): Promise<void> => void (await clock.tickAsync(ms)),
    now: () => clock.now,
    /** How many timers are set. */
    timers: () => clock.countTimers(),
  };
}
