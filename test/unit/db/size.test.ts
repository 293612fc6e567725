import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { engine } from '../../support/databases/fresh.ts';
import { makeFresh } from '../../support/fresh-database.ts';

test('a database says how much room it takes, and what its disk has left where that is this machine’s', async () => {
  const url = await makeFresh();
  await using database = await openDatabase(url);
  const before = await database.size();
  const filler = 'x'.repeat(1000);
  for (let at = 0; at < 100; at += 1)
    await database.single(db =>
      sql`insert into bot_sighting (name, seen_at) values (${`${at}`}, ${filler})`.execute(db),
    );
  const after = await database.size();
  expect(after.bytes - before.bytes).toBeGreaterThan(50_000);
  if (engine === 'postgres') return expect(after.free).toBeUndefined();
  const { blocks, bsize } = await statfs(dirname(url.slice('sqlite:'.length)));
  expect(after.free).toBeGreaterThan(0);
  expect(after.free).toBeLessThanOrEqual(blocks * bsize);
});

test('a database in memory takes no room on a disk', async () => {
  await using database = await openDatabase('sqlite::memory:');
  expect(await database.size()).toEqual({ bytes: 0, free: undefined });
});
