import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSecretFiles, secretNames } from '../../../src/config/secret-files.ts';
import { openFolder } from '../../support/folder.ts';

async function fileOf(text: string): Promise<string> {
  const file = join(await openFolder(), 'secret');
  await writeFile(file, text);
  return file;
}

test('every secret setting is read from the file that NAME_FILE names, without the last line break', async () => {
  const file = await fileOf(' the secret \n');
  for (const name of secretNames) expect(readSecretFiles({ [`${name}_FILE`]: file })).toEqual({ [name]: 'the secret' });
  expect(secretNames).toEqual(expect.arrayContaining(['SLACK_BOT_TOKEN', 'DATABASE_URL', 'GRAFANA_TOKEN']));
});

test('a blank variable names no file, and only secrets have one', async () => {
  expect(readSecretFiles({ SLACK_BOT_TOKEN_FILE: ' ', PORT_FILE: await fileOf('80') })).toEqual({});
});

test('every problem is told at once, with the variable and without what it holds', async () => {
  const folder = await openFolder();
  await mkdir(join(folder, 'inner'));
  const wrong = {
    SLACK_BOT_TOKEN: 'xoxb-hidden',
    SLACK_BOT_TOKEN_FILE: await fileOf('xoxb-hidden'),
    SLACK_APP_TOKEN_FILE: 'xapp-hidden',
    GRAFANA_TOKEN_FILE: await fileOf('\n'),
    WEBHOOK_SECRET_FILE: join(folder, 'inner'),
    DATABASE_URL_FILE: await fileOf('x'.repeat(100_001)),
  };
  const read = () => readSecretFiles(wrong);
  for (const sentence of [
    'SLACK_BOT_TOKEN and SLACK_BOT_TOKEN_FILE must not both be set. Take one out.',
    'SLACK_APP_TOKEN_FILE must name a file with the secret: there is no such file.',
    'GRAFANA_TOKEN_FILE must name a file with the secret: the file is empty.',
    'WEBHOOK_SECRET_FILE must name a file with the secret: it is a folder.',
    'DATABASE_URL_FILE must name a file with the secret: the file is too large to be one.',
  ]) {
    expect(read).toThrow(sentence);
  }
  expect(read).not.toThrow(/hidden/);
});
