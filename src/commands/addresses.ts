import type { Command, Option } from 'commander';
import { readNamedSecret } from '../config/secret-files.ts';

/** What a command gets of its process, as far as it matters here. */
interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: { note(text: string): void };
}

/** Options that take the address of a database. */
const addresses = new WeakSet<Option>();

/** Marks an option as one that takes the address of a database: `env:NAME` is that of a variable, or of the file of `NAME_FILE`. */
export function asAddress(option: Option): Option {
  addresses.add(option);
  return option;
}

/**
 * Puts the address in the place of `env:NAME` in the options of a command that were typed. Warns of one with a password: others read it in
 * the list of processes. Throws with a sentence when there is no such variable.
 */
export function readAddresses(command: Command, { environment, terminal }: Surroundings): void {
  for (const option of command.options) {
    const attribute = option.attributeName();
    const typed: unknown = command.getOptionValue(attribute);
    if (!addresses.has(option) || typeof typed !== 'string') continue;
    if (command.getOptionValueSource(attribute) !== 'cli') continue;
    const name = /^env:([A-Za-z_]\w*)$/.exec(typed)?.[1];
    if (name !== undefined) {
      command.setOptionValueWithSource(attribute, readNamedSecret(name, environment, `${option.long} ${typed}`), 'cli');
    } else if (hasPassword(typed)) {
      terminal.note(
        `Warning: this password stands in the list of processes and in the history of the shell. Put the address into a variable, or its file’s name into NAME_FILE, and say ${option.long} env:NAME.\n`,
      );
    }
  }
}

function hasPassword(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.password !== '' || url.searchParams.has('password'));
}
