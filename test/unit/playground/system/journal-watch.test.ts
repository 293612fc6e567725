import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openJournalWatch } from '../../../../src/playground/system/journal-watch.ts';
import { openFolder } from '../../../support/folder.ts';

test('somebody who follows again before a look has ended begins no second round of looks', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  // A database without tables: each look fails, and is counted.
  const looks: unknown[] = [];
  const url = `sqlite:${join(await openFolder(), 'bot.db')}`;
  await using watch = await openJournalWatch(
    url,
    () => new Date(),
    error => looks.push(error),
  );
  const waiting = vi.getTimerCount();
  watch.follow(() => undefined)();
  watch.follow(() => undefined);
  for (const count of [1, 2, 3]) {
    await expect.poll(() => [looks.length, vi.getTimerCount() - waiting]).toEqual([count, 1]);
    vi.advanceTimersByTime(300);
  }
});
