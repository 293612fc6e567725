import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DeliveryStore } from '../../../src/bot/inbox/delivery-store.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { takeHung } from '../../../src/db/hang-watch.ts';
import { Heart } from '../../../src/db/heart.ts';
import { openFolder } from '../../support/folder.ts';
import { makeFresh, openBotDatabase } from '../../support/fresh-database.ts';
import { openWatchedLog } from '../../support/watched-log.ts';

/** Milliseconds that a process may compute. */
const hung = 300;

/** A process that watches itself, and then computes until it is ended. */
const program = (url: string, owner: string) => `
  const { watchForHang } = await import(${JSON.stringify(import.meta.resolve('../../../src/db/hang-watch.ts'))});
  watchForHang({ ...${JSON.stringify({ hung, url, owner })}, log: console });
  setTimeout(() => { for (;;); }, 10);
`;

async function compute(url: string, owner: string): Promise<string | undefined> {
  const file = join(await openFolder(), 'hang.mjs');
  await writeFile(file, program(url, owner));
  const child = spawn(process.execPath, [file], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, signal] = await once(child, 'close');
  return signal;
}

const body = {
  actor: { teamId: 'T1', userId: 'U1' },
  location: { channelId: 'C1', threadTs: '' },
  act: { kind: 'command', root: 'note', text: 'poison' },
} as const;

test('a process that hangs leaves word, which the next one reads once and counts with what it held', async () => {
  const url = await makeFresh();
  const clock = () => new Date('2026-03-02T14:00:00Z');
  const database = await openBotDatabase(clock(), url);
  const db = database.as<BotTables>();
  const { log } = openWatchedLog({ level: 'error', close: async () => {} });
  const isSoleProcess = url.startsWith('sqlite:');
  const ofAll = { database, isSoleProcess, clock, monotonicNow: () => 0, keptFor: 3_600_000, log };
  for (const owner of ['anne', 'bert']) {
    await new Heart({ ...ofAll, owner }).start();
    await new DeliveryStore({ database, owner }).keep({ key: owner, ...body }, true, clock());
  }
  expect(await compute(url, 'anne')).toBe('SIGKILL');

  const left = takeHung(url);
  expect(left).toBe(isSoleProcess ? 'anne' : '');
  expect(takeHung(url)).toBe('');
  await using next = new Heart({ ...ofAll, owner: 'carl', hung: left });
  await next.start();
  await new DeliveryStore({ database, owner: 'carl' }).freeOthers();
  const rows = db.selectFrom('bot_delivery').select(['key', 'hangs']).orderBy('key');
  expect(await rows.execute()).toEqual([
    { key: 'anne', hangs: 1 },
    { key: 'bert', hangs: 0 },
  ]);
});
