import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { settingNames, settingOf } from '../../../src/config/settings.ts';
import { read } from '../../support/docs/files.ts';
import { allCommands, nameOf, openWholeProgram } from '../../support/program.ts';

const page = read('docs/operating.md');
const commands = new Map(allCommands(await openWholeProgram()).map(command => [nameOf(command), command]));

/** The command that a line calls, the most exact one, and the words behind it. */
function toCall(line: string): { command: Command | undefined; words: readonly string[] } {
  const words = line.split(/\s+/);
  for (let count = Math.min(3, words.length); count > 1; count -= 1) {
    const command = commands.get(words.slice(0, count).join(' '));
    if (command) return { command, words: words.slice(count) };
  }
  return { command: undefined, words };
}

/** What a line that calls Muster says wrongly; empty when such a command and its options exist. */
function toMistakes(line: string): readonly string[] {
  const { command, words } = toCall(line);
  if (!command) return [line];
  const known = new Set(command.options.map(option => option.long));
  const named = words.filter(word => word.startsWith('--')).map(word => word.split('=')[0]);
  return named.filter(name => !known.has(name ?? '')).map(name => `${line}: ${name}`);
}

/** What older versions had: the changelog alone tells of it. */
const gone = /^muster demo\b/;

test.each([
  ...['README.md', 'deploy/README.md', 'docs/operating.md', 'docs/alerts.md', 'docs/pager.md', 'docs/running.md'],
  'CHANGELOG.md',
])('%s calls only commands that exist', path => {
  const text = read(path);
  const inBlocks = [...text.matchAll(/^\s*(?:npx )?(muster [a-z].*?)(?:\s+#.*)?$/gm)].map(match => match[1] ?? '');
  const inline = [...text.matchAll(/`(?:npx )?(muster [a-z][^`|]*)`/g)].map(match =>
    (match[1] ?? '').replaceAll('\n', ' '),
  );
  const lines = [...inBlocks, ...inline].map(line => line.replace(/[.,;]$/, ''));
  if (path === 'docs/operating.md') expect(lines.length).toBeGreaterThan(30);
  const today = lines.filter(line => path !== 'CHANGELOG.md' || !gone.test(line));
  expect(today.flatMap(toMistakes)).toEqual([]);
});

test('docs/operating.md says of each secret how it is changed', () => {
  const [, section = ''] = page.split('\n## Changing a secret\n');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(match => match[1]);
  const secrets = settingNames.filter(name => settingOf(name).isSecret);
  expect(rows.toSorted()).toEqual(secrets.toSorted());
});

test('every place in docs/operating.md that it points to is there', () => {
  const anchors = [...page.matchAll(/^#{2,3} (.+)$/gm)].map(match =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(match => match[1] ?? '');
  expect(links.length).toBeGreaterThan(4);
  expect(links.filter(link => !anchors.includes(link))).toEqual([]);
});
