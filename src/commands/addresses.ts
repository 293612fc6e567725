import type { Command, Option } from 'commander';
import { readNamedSecret } from '../config/secret-files.ts';

/** Options that take the address of a database. */
const addresses = new WeakSet<Option>();

/** Marks an option as one that takes the address of a database: `env:NAME` is that of a variable, or of the file of `NAME_FILE`. */
export function asAddress(option: Option): Option {
  addresses.add(option);
  return option;
}

/** The source of an option's value that was typed as `env:NAME`. */
export const named = 'named';

/** Puts the address in the place of `env:NAME` in the options of a command. Throws with a sentence when there is no such variable. */
export function readAddresses(command: Command, environment: Readonly<Record<string, string | undefined>>): void {
  for (const { option, attribute, address } of findTyped(command)) {
    const name = /^env:([A-Za-z_]\w*)$/.exec(address)?.[1];
    if (name === undefined) continue;
    const read = readNamedSecret(name, environment, `${option.long} ${address}`);
    command.setOptionValueWithSource(attribute, read, named);
  }
}

/** A sentence for each address with a password that was typed: others read it in the list of processes. */
export function findPasswords(command: Command): readonly string[] {
  return findTyped(command)
    .filter(({ address }) => hasPassword(address))
    .map(
      ({ option }) =>
        `The password of ${option.long} stands in the list of processes and in the history of the shell. Put the address into a variable, or its file’s name into NAME_FILE, and say ${option.long} env:NAME.`,
    );
}

function findTyped(command: Command) {
  return command.options.flatMap(option => {
    const attribute = option.attributeName();
    const address: unknown = command.getOptionValue(attribute);
    const isTyped = addresses.has(option) && command.getOptionValueSource(attribute) === 'cli';
    return isTyped && typeof address === 'string' ? [{ option, attribute, address }] : [];
  });
}

function hasPassword(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.password !== '' || url.searchParams.has('password'));
}
