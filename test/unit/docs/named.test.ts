import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { allVerbs } from '../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../src/bot/features.ts';
import { parseCommand } from '../../../src/bot/grammar/grammar.ts';
import { toManifest } from '../../../src/bot/manifest.ts';
import { settingNames } from '../../../src/config/settings.ts';
import { documents, filesBelow, read, root } from '../../support/docs/files.ts';
import { openWholeProgram } from '../../support/program.ts';

/*
 * Every `muster …` that prose or a page names can be typed: its command and its options are there, and a line that names an argument names all that
 * the command needs.
 */

const sources = [
  ...documents(),
  'deploy/README.md',
  ...filesBelow('src/service/pages', /\.ts$/),
  ...filesBelow('src/bot', /\.ts$/),
];
/** Older versions had other commands. */
const present = (path: string) => (path === 'CHANGELOG.md' ? (read(path).split(/^## /m)[1] ?? '') : read(path));
const prose = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'deploy/README.md', ...filesBelow('docs', /\.md$/)];
const named = sources.flatMap(path =>
  [...present(path).matchAll(/\\?`(?:npx )?muster ([^`\\]+)\\?`/g)].map(match => ({ path, line: match[1] ?? '' })),
);

const verbs = allVerbs(features);

/** Why a line cannot be typed; `""` when it can. */
function whyNot(program: Command, line: string): string {
  const words = line.match(/"[^"]*"|<[^>]*>|\S+/g) ?? [];
  let command = program;
  let at = 0;
  for (;;) {
    const next = command.commands.find(each => [each.name(), ...each.aliases()].includes(words[at] ?? ''));
    if (!next) break;
    command = next;
    at += 1;
  }
  if (at === 0 && !['…', 'help', '--version'].includes(words[0] ?? '')) return `there is no command ${words[0]}`;
  if (at === 0) return '';
  const rest = words.slice(at).filter(word => !['…', '...'].includes(word));
  const typed = rest.filter(word => word.startsWith('--')).map(word => word.replace(/=.*/, ''));
  const unknown = typed.find(word => !command.options.some(each => [each.long, each.short].includes(word)));
  if (unknown) return `${command.name()} has no ${unknown}`;
  const takesWord = (word: string) =>
    command.options.some(each => each.long === word && (each.required || each.optional));
  const values = rest.filter((word, place) => !word.startsWith('--') && !takesWord(rest[place - 1] ?? ''));
  if (values.length > 0 && command.registeredArguments.length === 0) return `${command.name()} takes no ${values[0]}`;
  if (values.length === 0) return '';
  const missing = command.options.find(each => each.mandatory && !typed.includes(each.long ?? ''));
  return missing ? `${command.name()} needs ${missing.flags}` : '';
}

test('every command that a document or a page names can be typed', async () => {
  const program = await openWholeProgram();
  expect(named.length).toBeGreaterThan(100);
  expect(
    named.flatMap(({ path, line }) =>
      whyNot(program, line) === '' ? [] : [`${path}: muster ${line}: ${whyNot(program, line)}`],
    ),
  ).toEqual([]);
});

test.each([
  ['tokens make ci', 'tokens'],
  ['tokens create <name>', '--role'],
  ['journal list --none', '--none'],
  ['nothing', 'nothing'],
])('`muster %s` is noticed', async (line, why) => {
  expect(whyNot(await openWholeProgram(), line)).toContain(why);
});

test('every path that a document names is there', () => {
  const paths = [...prose, 'test/faults.md'].flatMap(document =>
    [...read(document).matchAll(/`((?:src|test|docs|deploy|bench|playground|bin|\.ci)\/[\w/.-]*)`/g)].map(
      ([, path = '']) => path,
    ),
  );
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter(path => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.ts`)))).toEqual([]);
});

test('every setting that a document names is one, or is read by a command', async () => {
  const options = (command: Command): readonly string[] => [
    ...command.options.flatMap(each => each.envVar ?? []),
    ...command.commands.flatMap(options),
  ];
  const others = ['NAME', 'NEW_DATABASE_URL', 'CHROMIUM_PATH', 'NODE_EXTRA_CA_CERTS'];
  const known = new Set([...settingNames, ...options(await openWholeProgram()), ...others]);
  const settings = prose.flatMap(document =>
    [...read(document).matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name),
  );
  expect(settings.length).toBeGreaterThan(100);
  expect([...new Set(settings)].filter(name => !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
});

test('every scope that the manifest asks for has its use in docs/slack.md', () => {
  const manifest = JSON.stringify(toManifest(features, { commandRoot: 'muster', publicUrl: '' }));
  const scopes = [...new Set([...manifest.matchAll(/"([a-z_]+:[a-z.]+)"/g)].map(([, scope = '']) => scope))];
  expect(scopes.length).toBeGreaterThan(20);
  expect(scopes.filter(scope => !read('docs/slack.md').includes(`\`${scope}\``))).toEqual([]);
});

test('every line for Slack that a document names is a command', () => {
  const lines = prose.flatMap(document =>
    [...read(document).matchAll(/`\/(incident|task|role|note|dash|muster)( [^`]+)?`/g)].map(
      ([line, root = '', rest = '']) => {
        // What a line leaves open is a word of its own.
        const text = rest
          .replace(/\[[^\]]*\]|…/g, ' ')
          .replace(/<[^>]*>/g, 'words')
          .trim();
        return {
          document,
          line,
          parsed: parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text }),
        };
      },
    ),
  );
  expect(lines.length).toBeGreaterThan(100);
  // A document says of these that they are none, or adds one as an example.
  const none = ['`/task count`', '`/incident delete 1`', '`/incident status we roll back`', '`/note list of hosts`'];
  const unknown = lines.filter(
    ({ line, parsed }) => !['verb', 'help', 'bare'].includes(parsed.kind) && !none.includes(line),
  );
  expect(unknown.map(({ document, line, parsed }) => `${document}: ${line}: ${parsed.kind}`)).toEqual([]);
});
