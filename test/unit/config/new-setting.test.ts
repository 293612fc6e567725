import { execFile } from 'node:child_process';
import { appendFile, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { toSettings } from '../../../src/app.ts';
import { alertRules } from '../../../src/config/alert-settings.ts';
import { readConfig } from '../../../src/config/config.ts';
import { memberName } from '../../../src/config/setting.ts';
import { teamSettings } from '../../../src/config/team-settings.ts';
import { read } from '../../support/docs/files.ts';
import { openFolder } from '../../support/folder.ts';
import { sources } from '../../support/imports.ts';

const root = join(import.meta.dirname, '../../..');

/** The setting in its table. */
const entry = `
  WAKE_WITH: {
    default: 'words',
    meaning: 'how people are woken',
    example: 'horn',
    format: z.enum(['words', 'horn'], 'must be words or horn'),
  },
`;

/** A feature that uses it, in a file that imports little, since the compiler checks all of that. */
const feature = 'src/bot/incident/board/page-links.ts';
const use = `
/** The sound that wakes people. */
export function toSound({ wakeWith }: Settings): string {
  const known: 'words' | 'horn' = wakeWith;
  // @ts-expect-error The type is no narrower.
  const other: 'words' = wakeWith;
  return known + other;
}
`;

/** A copy of the sources; the compiler reads the feature and its imports. */
async function copySources(): Promise<string> {
  const folder = await openFolder();
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [feature] }));
  return folder;
}

test('a new setting touches the table and its use, which gets a value of its type', async () => {
  const folder = await copySources();
  const table = join(folder, 'src/config/team-settings.ts');
  const begin = 'export const teamSettings = {\n';
  const before = await readFile(table, 'utf8');
  expect(before).toContain(begin);
  await writeFile(table, before.replace(begin, `${begin}${entry}`));
  await appendFile(join(folder, feature), use);
  const said = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(error => error);
  expect(said.stdout).toBe('');
});

const given = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec' };
const bot = sources
  .filter(path => path.startsWith('src/bot/'))
  .map(read)
  .join('\n');

test.each(Object.keys({ ...teamSettings, ...alertRules }))('%s reaches the bot, which reads it', name => {
  const member = memberName(name);
  expect(toSettings(readConfig(given))).toHaveProperty(member);
  const holder = '(?:settings|rules|terms)\\b';
  const taken = `\\{[^{}]*\\b${member}\\b[^{}]*\\}(?: =|:)[^;\\n]*${holder}`;
  expect(bot).toMatch(new RegExp(`${holder}\\.${member}\\b|${taken}`, 'i'));
});
