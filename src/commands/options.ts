import type { Command, Option } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { readSettings } from '../config/read-settings.ts';
import { type SettingName, type SettingValues, settingOf } from '../config/settings.ts';

/**
 * Adds the options of some settings to a command: flags, environment variables, defaults and help come from the list of
 * settings.
 */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) command.addOption(toOption(command, name));
  return command;
}

function toOption(command: Command, name: SettingName): Option {
  const { option, meaning, isList, default: fallback } = settingOf(name);
  if (option === undefined) throw new TypeError(`The setting ${name} has no option.`);
  const made = command
    .createOption(option, meaning.replaceAll('`', ''))
    .env(name)
    .default(fallback, fallback === '' ? 'none' : JSON.stringify(fallback));
  // An option of a list may be repeated, which is the same as commas.
  return isList ? made.argParser<string>((value, before) => (before ? `${before},${value}` : value)) : made;
}

/** The texts of settings that a command got from options or the environment, and how a problem calls each of them. */
export function readGiven(command: Command, names: readonly SettingName[]) {
  const options = new Map(names.map(name => [name, command.options.find(option => option.envVar === name)]));
  const keyOf = (name: SettingName) => options.get(name)?.attributeName() ?? '';
  const isTyped = (name: SettingName) => command.getOptionValueSource(keyOf(name)) === 'cli';
  return {
    // A blank variable has the default.
    given: Object.fromEntries(
      names.map(name => [name, command.getOptionValue(keyOf(name))?.trim() || options.get(name)?.defaultValue]),
    ),
    label: (name: SettingName) => (isTyped(name) ? (options.get(name)?.long ?? name) : name),
    isTyped,
  };
}

/** The checked values of settings that a command was given. Throws {@link ConfigError}. */
export function readOptions<Name extends SettingName>(command: Command, names: readonly Name[]): SettingValues<Name> {
  const { given, label } = readGiven(command, names);
  const { values, problems } = readSettings(names, given, label);
  if (values === undefined) throw new ConfigError(problems);
  return values;
}

/** Ends the help of a command with an example: command lines that can be copied as they are. */
export function addExample(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExample:\n${lines.map(line => `  ${line}`).join('\n')}`);
}

/** Adds the option `--database`. */
export function addDatabase(command: Command): Command {
  return addSettings(command, ['DATABASE_URL']);
}

/** The database that a command was given. Throws {@link ConfigError}. */
export function readDatabase(command: Command): string {
  return readOptions(command, ['DATABASE_URL']).DATABASE_URL;
}

/** Reads how many things to list. Throws with a sentence. */
export function toLimit(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error('The limit must be a whole number from 1 to 99999.');
}
