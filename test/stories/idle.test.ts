import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openIncident } from '../support/incident-room.ts';

test('a Muster at rest has everything in its database file, and nothing in the log beside it', async () => {
  const databaseFile = join(await openFolder(), 'muster.db');
  const { type } = await openIncident({ databaseFile });
  await type('/task add fail over');
  const bytesOf = async (part: string) => (await stat(databaseFile + part)).size;
  await expect.poll(() => bytesOf('-wal')).toBe(0);
  expect(await bytesOf('')).toBeGreaterThan(100_000);
});
