import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/*
 * Stands in for `systemd-run` where no systemd is: runs a command as another user, in a folder, with the variables of a unit and no
 * others. It takes only the options that deploy/systemd/muster uses, and reads files of variables as systemd.exec(5) says.
 */

interface Run {
  readonly user: string;
  readonly folder: string;
  readonly umask: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

function readArguments(words: readonly string[]): Run {
  const given: Record<string, string> = {};
  const own: Record<string, string> = {};
  let files: Record<string, string> = {};
  let at = 0;
  for (; words[at]?.startsWith('--'); at += 1) {
    const [, option = '', value = ''] = /^--([\w-]+)(?:=(.*))?$/s.exec(words[at] ?? '') ?? [];
    const [, name = '', content = ''] = /^(\w+)=(.*)$/s.exec(value) ?? [];
    if (['quiet', 'pipe', 'wait', 'collect'].includes(option)) continue;
    if (['uid', 'gid', 'working-directory'].includes(option)) given[option] = value;
    else if (option === 'setenv') own[name] = content;
    else if (option === 'property' && name === 'EnvironmentFile') files = { ...files, ...readVariables(content) };
    else if (option === 'property' && name === 'UMask') given.umask = content;
    else if (!(option === 'property' && name === 'NoNewPrivileges')) throw new Error(`systemd-run: ${words[at]}?`);
  }
  return {
    ...{ user: given.uid ?? '', folder: given['working-directory'] ?? '/', umask: given.umask ?? '0022' },
    // A file of variables wins over the unit's own.
    variables: { PATH: '/usr/local/bin:/usr/bin:/bin', ...own, ...files },
    command: words.slice(at),
  };
}

function readVariables(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '' && !/^\s*[#;]/.test(line));
  return Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

function numberOf(user: string, which: '-u' | '-g'): number {
  return Number(spawnSync('id', [which, user], { encoding: 'utf8' }).stdout);
}

const { user, folder, umask, variables, command } = readArguments(process.argv.slice(2));
process.umask(Number.parseInt(umask, 8));
// The signal goes to the command too, which ends in order.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
const child = spawn(command[0] ?? '', command.slice(1), {
  ...(process.getuid?.() === 0 ? { uid: numberOf(user, '-u'), gid: numberOf(user, '-g') } : {}),
  cwd: folder,
  env: variables,
  stdio: 'inherit',
});
child.on('close', code => {
  process.exitCode = code ?? 1;
});
