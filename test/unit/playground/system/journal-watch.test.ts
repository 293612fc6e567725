import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openJournalWatch } from '../../../../playground/system/journal-watch.ts';
import type { JournalView } from '../../../../playground/workspace/journal-view.ts';
import { Troubles } from '../../../../playground/workspace/troubles.ts';
import { botMigrations } from '../../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../../src/db/database.ts';
import { migrate } from '../../../../src/db/migrate.ts';
import { openFolder } from '../../../support/folder.ts';

/** The address of a database without tables. */
async function openEmpty(): Promise<string> {
  return `sqlite:${join(await openFolder(), 'bot.db')}`;
}

const now = () => new Date();

test('somebody who follows again before a look has ended begins no second round of looks', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  // A database without tables: each look fails, and is counted.
  const looks: unknown[] = [];
  const attempts = { failed: (error: unknown) => void looks.push(error), succeeded: () => undefined };
  await using watch = await openJournalWatch(await openEmpty(), now, attempts);
  const waiting = vi.getTimerCount();
  watch.follow(() => undefined)();
  watch.follow(() => undefined);
  for (const count of [1, 2, 3]) {
    await expect.poll(() => [looks.length, vi.getTimerCount() - waiting]).toEqual([count, 1]);
    vi.advanceTimersByTime(300);
  }
});

test('a watch that fails says so once, and again only after it has worked in between', async () => {
  const url = await openEmpty();
  await using database = await openDatabase(url);
  const said: string[] = [];
  let changes = 0;
  const troubles = new Troubles(
    sentence => said.push(sentence),
    () => {
      changes += 1;
    },
  );
  const { failed, succeeded } = troubles.of('journal', reason => `It cannot be read: ${reason}.`);
  const looks: ('bad' | 'good')[] = [];
  const attempts = {
    failed: (error: unknown) => {
      looks.push('bad');
      failed(error);
    },
    succeeded: () => {
      looks.push('good');
      succeeded();
    },
  };
  const untilLooked = async (how: 'bad' | 'good', times: number) => {
    const from = looks.length;
    await expect.poll(() => looks.slice(from).filter(each => each === how).length).toBeGreaterThanOrEqual(times);
  };
  const facts: JournalView[] = [];
  await using watch = await openJournalWatch(url, now, attempts);
  watch.follow(each => facts.push(each));

  await untilLooked('bad', 3);
  const words = 'It cannot be read: no such table: bot_intent.';
  expect([said, troubles.facts, changes]).toEqual([[`journal: ${words}`], { journal: words }, 1]);
  expect(facts).toEqual([]);

  await migrate(database, 'bot', botMigrations, now());
  await untilLooked('good', 2);
  expect([said.length, troubles.facts, changes]).toEqual([1, {}, 2]);
  expect(facts).toEqual([{ intents: [], deliveries: [], leases: [] }]);

  await database.as<Record<never, never>>().schema.alterTable('bot_intent').renameTo('elsewhere').execute();
  await untilLooked('bad', 3);
  expect([said, changes]).toEqual([[`journal: ${words}`, `journal: ${words}`], 3]);
});
