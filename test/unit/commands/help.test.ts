import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { openFolder } from '../../support/folder.ts';
import { allCommands, examplesOf, helpOf, nameOf, openProgram, openWholeProgram } from '../../support/program.ts';

const program = await openWholeProgram();
const commands = allCommands(program).map(command => [nameOf(command), command] as const);

test('help groups the subcommands', () => {
  const groups = [...helpOf(program).matchAll(/^(\w+):\n((?: {2}.*\n)+)/gm)].map(([, heading, lines = '']) => [
    heading,
    [...lines.matchAll(/^ {2}(\w+) /gm)].map(match => match[1]),
  ]);
  expect(groups).toEqual([
    ['Options', []],
    ['Run', ['start', 'service']],
    ['Operate', ['tokens', 'pages', 'webhooks', 'journal', 'erase']],
    ['Keep', ['backup', 'restore']],
    ['Move', ['move', 'export', 'import']],
    ['Check', ['doctor', 'alerts', 'pager', 'conformance']],
    ['Develop', ['openapi', 'manifest']],
    ['Help', ['help']],
    ['Example', ['muster', 'muster']],
  ]);
});

test.each(commands)('the help of %s ends with an example of it', (name, command) => {
  const examples = examplesOf(command);
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(example.startsWith(name)).toBe(true);
  expect(command.description() || name).not.toBe('');
});

/** The arguments of a command line, without the program's name and a redirection. */
function toArguments(line: string): readonly string[] {
  const [text = ''] = line.split(' > ');
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(match => match[1] ?? match[2] ?? '').slice(1);
}

test('the examples that need no other server work, one after the other', async () => {
  const folder = await openFolder();
  vi.stubEnv('DATABASE_URL', `sqlite:${join(folder, 'muster.db')}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const run = async (line: string) => {
    const { said, run } = openProgram();
    await run(...toArguments(line.replaceAll('./', `${folder}/`)));
    expect(said.exitCode).toBe(0);
    return said;
  };
  const left =
    /^muster (start|service|doctor|alerts|pager|conformance)\b|--url https:\/\/(old|new)\.grafana|journal (show|discard)|webhooks discard|erase|env:/;
  // As a start would have made it.
  await addAllTables(`sqlite:${join(folder, 'muster.db')}`);
  // Two endpoints; the second is removed.
  await run('muster webhooks add https://example.com/first');
  const ran: string[] = [];
  for (const line of new Set(commands.flatMap(([, command]) => examplesOf(command)))) {
    if (left.test(line)) continue;
    const { printed, noted } = await run(line);
    expect(printed + noted, line).not.toBe('');
    ran.push(line);
  }
  expect(ran).toHaveLength(22);
});

test.each(['demo', 'demo --watch', 'demo --port 0 now', 'demo --help'])(
  'the demo is no subcommand: `muster %s` says how it starts',
  async line => {
    const { said, run } = openProgram();
    await expect(run(...line.split(' '))).rejects.toThrow(/`npm run demo`/);
    expect(said).toEqual({ printed: '', noted: '', exitCode: 0 });
  },
);

test('`muster help demo` says how the demo starts too, and the list of commands does not have it', async () => {
  const { said, run } = openProgram();
  await expect(run('help', 'demo')).rejects.toThrow();
  expect(said.printed).toContain('`npm run demo`');
  expect(helpOf(program)).not.toContain('demo');
});
