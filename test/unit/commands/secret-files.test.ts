import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { exists } from '../../../src/db/sqlite-files.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { addIntent } from '../../support/databases/open-work.ts';
import { openFolder } from '../../support/folder.ts';
import { openProgram } from '../../support/program.ts';

/** Two databases; a file names the first. */
async function openSecret() {
  const folder = await openFolder();
  const [named, typed] = ['named', 'typed'].map(name => `sqlite:${join(folder, name, 'muster.db')}`);
  const file = join(folder, 'secret');
  await writeFile(file, `${named}\n`);
  const hasDatabase = (name: 'named' | 'typed') => exists(join(folder, name, 'muster.db'));
  return { folder, file, named: named ?? '', typed: typed ?? '', hasDatabase };
}

test.each([
  ['tokens', 'list'],
  ['journal', 'list'],
  ['webhooks', 'deliveries'],
])(
  'muster %s %s takes the database that DATABASE_URL_FILE names, and one that is typed before it',
  async (...command) => {
    const { file, named, typed, folder } = await openSecret();
    for (const url of [named, typed]) await addAllTables(url);
    const usedBy = async (...more: readonly string[]) => {
      const { said, run } = openProgram({ DATABASE_URL_FILE: file });
      await run(...command, ...more);
      return /^Database: (.*)$/m.exec(said.noted)?.[1];
    };
    expect(await usedBy()).toBe(join(folder, 'named', 'muster.db'));
    expect(await usedBy('--database', typed)).toBe(join(folder, 'typed', 'muster.db'));
  },
);

test('muster backup copies the database that DATABASE_URL_FILE names', async () => {
  const { file, named, folder } = await openSecret();
  await addAllTables(named);
  {
    await using database = await openDatabase(named);
    await database.single<BotTables, void>(db => addIntent(db, {}));
  }
  const { said, run } = openProgram({ DATABASE_URL_FILE: file });
  await run('backup', '--out', join(folder, 'copy.db'));
  expect(said.printed + said.noted).toMatch(/is a sound copy: .*\b1 intents?\b/);
});

test('muster service takes its secrets from files', async () => {
  const { file, hasDatabase, folder } = await openSecret();
  const [tokens, secret] = [join(folder, 'tokens'), join(folder, 'webhooks')];
  await writeFile(tokens, 'glsa_of_a_file_0123456789:Admin\n');
  await writeFile(secret, 'the secret of the webhooks\n');
  const { said, run } = openProgram({
    DATABASE_URL_FILE: file,
    SERVICE_TOKENS_FILE: tokens,
    WEBHOOK_SECRET_FILE: secret,
  });
  await run('service', '--port', '0', '--log-level', 'silent', '--webhook-urls', 'http://127.0.0.1:9/hook');
  expect(said.printed).toContain('listens on');
  expect(await hasDatabase('named')).toBe(true);
});
