import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { documents, filesBelow, read } from '../../support/docs/files.ts';
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
const named = sources.flatMap(path =>
  [...present(path).matchAll(/\\?`(?:npx )?muster ([^`\\]+)\\?`/g)].map(match => ({ path, line: match[1] ?? '' })),
);

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
