import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeEach, expect, test, vi } from 'vitest';
import { addSettings, readGiven } from '../../../src/commands/command.ts';
import { serviceSettings } from '../../../src/config/config.ts';
import { type SettingName, settingNames, settingOf } from '../../../src/config/settings.ts';
import { allCommands, openProgram, openWholeProgram } from '../../support/program.ts';

beforeEach(() => {
  for (const name of settingNames) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

const refusalOf = (...args: readonly string[]) =>
  openProgram()
    .run(...args)
    .then(
      () => 'it worked',
      (error: Error) => error.message,
    );

test('every option of a setting has its name, default and meaning from the list', async () => {
  const program = await openWholeProgram();
  const isSetting = (name: string | undefined): name is SettingName => settingNames.some(each => each === name);
  const seen = new Set<string>();
  for (const command of allCommands(program)) {
    for (const { envVar, flags, defaultValue, description } of command.options) {
      if (!isSetting(envVar)) continue;
      const { option, meaning, default: fallback } = settingOf(envVar);
      expect([flags, description, defaultValue]).toEqual([option, meaning.replaceAll('`', ''), fallback]);
      seen.add(envVar);
    }
  }
  expect([...seen].toSorted()).toEqual(settingNames.filter(name => settingOf(name).option !== undefined).toSorted());
  const service = program.commands.find(each => each.name() === 'service');
  expect(service?.options.map(each => each.envVar)).toEqual([...serviceSettings]);
});

test('an option is checked as its setting is, and the complaint names what the caller wrote', async () => {
  expect(await refusalOf('service', '--port', 'x', '--pages', 'maybe', '--log-level', 'loud')).toMatch(
    /^The settings cannot be used:\n {2}--port must be a number\.\n {2}--pages must be off, slack or open\.\n {2}--log-level must be one of /,
  );
  vi.stubEnv('PORT', 'x');
  expect(await refusalOf('service')).toContain('  PORT must be a number.');
  expect(await refusalOf('tokens', 'list', '--database', 'mysql://x')).toContain('  --database must be sqlite:');
});

test.each([
  [',', 'must name something, or be left out'],
  ['a,A', 'must not name one twice'],
])('severities %j are refused by every command that takes them', async (severities, problem) => {
  for (const command of [
    ['service', '--port', '0'],
    ['import', join(tmpdir(), 'nowhere')],
  ]) {
    expect(await refusalOf(...command, '--severities', severities)).toContain(`--severities ${problem}.`);
  }
});

test('an option of a list may be given twice, or hold commas', async () => {
  expect(await refusalOf('service', '--token', `${'a'.repeat(20)}:Admin`, '--token', 'b,c')).toMatch(
    /^The settings cannot be used:\n {2}--token token 2 must be .*\n {2}--token token 3 must be .*\ndocs/,
  );
});

test('a blank variable means the default', async () => {
  vi.stubEnv('LOG_LEVEL', ' ');
  vi.stubEnv('PORT', '');
  const command = addSettings(new Command(), ['LOG_LEVEL', 'PORT']);
  await command.action(() => undefined).parseAsync([], { from: 'user' });
  expect(readGiven(command, ['LOG_LEVEL', 'PORT']).given).toEqual({ LOG_LEVEL: 'info', PORT: '3000' });
});

test('an address goes with a database of the environment, but not with one that is typed too', async () => {
  vi.stubEnv('DATABASE_URL', 'sqlite::memory:');
  const out = ['export', '--out', join(tmpdir(), 'never'), '--url', 'http://127.0.0.1:1'];
  expect(await refusalOf(...out)).toContain('--url needs a token');
  expect(await refusalOf(...out, '--database', 'sqlite::memory:')).toBe('Name either --url or --database, not both.');
  expect(await refusalOf('export', '--out', join(tmpdir(), 'never'), '--dashboard', 'x')).toMatch('--dashboard is for');
  const into = ['import', join(tmpdir(), 'never'), '--url', 'http://127.0.0.1:1'];
  expect(await refusalOf(...into, '--severities', 'low,high')).toMatch(
    '--severities is for an import into the database',
  );
});
