import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];

/** Whether this machine lacks a program. Tests that need it are passed over there; .ci/run installs all of them. */
export function lacks(program: string): boolean {
  return !folders.some(folder => existsSync(join(folder, program)));
}

/** Runs a program to its end. `text` is all that it printed. */
export function run(program: string, args: readonly string[], cwd: string): { code: number | null; text: string } {
  const path = folders.join(delimiter);
  const ended = spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, PATH: path } });
  return { code: ended.status, text: `${ended.stdout}${ended.stderr}` };
}
