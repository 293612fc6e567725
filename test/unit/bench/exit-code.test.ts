import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const support = new URL('../../support/databases/postgres-server.ts', import.meta.url).href;

test('a program that starts a Postgres ends with its own exit code, so a missed limit behind one is told', async () => {
  const program = `const { loadEmbeddedPostgres } = await import('${support}'); await loadEmbeddedPostgres(); process.exitCode = 3;`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  await expect(ended).rejects.toMatchObject({ code: 3, stderr: '' });
});
