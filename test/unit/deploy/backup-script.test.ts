import { spawnSync } from 'node:child_process';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkSqlite } from '../../../src/db/sqlite-copy.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { engine } from '../../support/databases/fresh.ts';
import { root } from '../../support/docs/files.ts';
import { openFolder } from '../../support/folder.ts';
import { makeBare } from '../../support/fresh-database.ts';

/** A database, a folder with a copy of three weeks ago and a file of somebody else's, and the script that the timers run. */
async function openNight(given?: string) {
  const folder = await openFolder();
  const [backups, temporary] = [join(folder, 'backups'), join(folder, 'tmp')];
  await Promise.all([mkdir(backups), mkdir(temporary)]);
  const [database, old, others] = ['data.db', 'backups/muster-old.db', 'backups/notes.txt'].map(name =>
    join(folder, name),
  );
  const longAgo = new Date(Date.now() - 21 * 86_400_000);
  for (const file of [old ?? '', others ?? '']) {
    await writeFile(file, 'x');
    await utimes(file, longAgo, longAgo);
  }
  const url = given ?? `sqlite:${database}`;
  const run = () =>
    // Some other folder than Muster's, from which the path of the copies begins.
    spawnSync('sh', [join(root, 'bin/backup.sh'), './backups', '14'], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        TMPDIR: temporary,
        DATABASE_URL: url,
      },
    });
  return { url, backups, temporary, run };
}

test('a copy each night is tried, and takes the place of those of long ago', async () => {
  const { url, backups, temporary, run } = await openNight(engine === 'postgres' ? await makeBare() : undefined);
  await addAllTables(url);
  const { status, stderr } = run();
  expect(stderr).toContain('/muster.db is what');
  expect(status).toBe(0);
  const [copy = '', ...others] = (await readdir(backups)).toSorted();
  expect(copy).toMatch(/^muster-\d{8}T\d{6}Z\.db$/);
  expect(others).toEqual(['notes.txt']);
  expect(checkSqlite(join(backups, copy), {}).get('incidents')).toBe(0);
  expect((await readdir(temporary)).filter(name => name.startsWith('tmp.'))).toEqual([]);
});

test('a night without a copy fails, and deletes none', async () => {
  const { backups, run } = await openNight();
  const { status, stderr } = run();
  expect(stderr).toContain('There is no database at');
  expect(status).not.toBe(0);
  expect((await readdir(backups)).toSorted()).toEqual(['muster-old.db', 'notes.txt']);
});
