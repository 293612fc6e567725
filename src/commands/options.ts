import type { Command, Option } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { readSettings } from '../config/read-settings.ts';
import { type SettingName, type SettingValues, settingOf } from '../config/settings.ts';

/**
 * Adds the options of some settings to a command: flags, environment variables, defaults and help come from the list of
 * settings. `defaults` are those that differ for this command.
 */
export function addSettings(
  command: Command,
  names: readonly SettingName[],
  defaults: Partial<Record<SettingName, string>> = {},
): Command {
  for (const name of names) command.addOption(toOption(command, name, defaults[name] ?? settingOf(name).default));
  return command;
}

function toOption(command: Command, name: SettingName, fallback: string): Option {
  const { option, meaning, isList } = settingOf(name);
  if (option === undefined) throw new TypeError(`The setting ${name} has no option.`);
  const made = command
    .createOption(option, meaning.replaceAll('`', ''))
    .env(name)
    .default(fallback, fallback === '' ? 'none' : JSON.stringify(fallback));
  // An option of a list may be repeated, which is the same as commas.
  return isList ? made.argParser<string>((value, before) => (before ? `${before},${value}` : value)) : made;
}

/** The texts of settings that a command was given by options or the environment, and how each is called in a complaint. */
export function readGiven(command: Command, names: readonly SettingName[]) {
  const keys = new Map(names.map(name => [name, keyOf(command, name)]));
  const given = Object.fromEntries(names.map(name => [name, command.getOptionValue(keys.get(name) ?? '')]));
  const isTyped = (name: SettingName) => command.getOptionValueSource(keys.get(name) ?? '') === 'cli';
  const label = (name: SettingName) => (isTyped(name) ? (settingOf(name).option?.split(' ')[0] ?? name) : name);
  return { given, label, isTyped };
}

function keyOf(command: Command, name: SettingName): string {
  return command.options.find(option => option.envVar === name)?.attributeName() ?? '';
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
