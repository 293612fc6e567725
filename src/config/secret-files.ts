import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import { settingNames, settingOf } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A file is a secret's text; a longer one is some other file. */
const maxBytes = 100_000;

/** The variable that names the file of a secret setting. */
export function toFileVariable(name: string): string {
  return `${name}_FILE`;
}

/** The names of the settings that a file may hold. */
export const secretNames = settingNames.filter(name => settingOf(name).isSecret);

/**
 * The secret settings in files: `NAME_FILE` names the file of `NAME`, as Docker and Kubernetes hand out secrets. Throws {@link
 * ConfigError}. A complaint never shows what the variable holds: it may be the secret itself, put there by mistake.
 */
export function readSecretFiles(environment: Environment): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of secretNames) {
    const variable = toFileVariable(name);
    const file = environment[variable]?.trim();
    if (!file) continue;
    if (environment[name]?.trim()) {
      problems.push(`${name} and ${variable} must not both be set. Take one out.`);
      continue;
    }
    const { text, problem } = readSecret(file);
    if (text === undefined) problems.push(`${variable} must name a file with the secret: ${problem}.`);
    else found[name] = text;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

/**
 * A secret that a variable of any name holds, or the file that `NAME_FILE` names. Throws {@link ConfigError} when there is none; `label`
 * says who asked for it.
 */
export function readNamedSecret(name: string, environment: Environment, label: string): string {
  const variable = toFileVariable(name);
  const direct = environment[name]?.trim();
  if (direct) return direct;
  const file = environment[variable]?.trim();
  if (!file) throw new ConfigError([`${label} needs the variable ${name}, or ${variable} with the name of a file.`]);
  const { text, problem } = readSecret(file);
  if (text === undefined) throw new ConfigError([`${variable} must name a file with the secret: ${problem}.`]);
  return text;
}

function readSecret(file: string): { readonly text?: string; readonly problem?: string } {
  try {
    const bytes = readFileSync(file);
    const text = bytes.toString('utf8').trim();
    if (text === '') return { problem: 'the file is empty' };
    if (bytes.length > maxBytes) return { problem: 'the file is too large to be one' };
    return { text };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { problem: problems[code] ?? `it cannot be read (${code})` };
  }
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'Muster’s user may not read it',
  EISDIR: 'it is a folder',
};
