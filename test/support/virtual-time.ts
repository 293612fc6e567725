import FakeTimers from '@sinonjs/fake-timers';
import { onTestFinished } from 'vitest';

/** Replaces the global timers and clocks until the test ends; time then passes only when it is told to. */
export function openVirtualTime(now = Date.parse('2026-03-14T02:00:00Z')) {
  const clock = FakeTimers.install({
    now,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  const close = () => clock.uninstall();
  onTestFinished(close);
  return {
    /** Brings the real ones back before the test ends. */
    close,
    /** Lets that many milliseconds pass, with everything that becomes due on the way. */
    advance: async (ms: number): Promise<void> => void (await clock.tickAsync(ms)),
    now: () => clock.now,
  };
}
