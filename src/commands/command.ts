import type { Command } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { readSettings, type SettingName, type SettingValues, settingOf } from '../config/settings.ts';
import type { Deadlines } from '../deadlines.ts';
import { asAddress, named } from './addresses.ts';

/** Where a command writes: `print` what was asked for, which scripts read; `note` what only people want to know. */
export interface Terminal {
  print(text: string): void;
  note(text: string): void;
}

/** What a command gets of the process that runs it; main.ts is the one that gives it. */
export interface Host {
  /** Its variables; before a command runs, the secrets in files are added. */
  readonly environment: Record<string, string | undefined>;
  readonly terminal: Terminal;
  readonly deadlines: Deadlines;
  /**
   * Starts something, and disposes of it when SIGTERM, SIGINT or SIGHUP arrives. While it starts, the signal that it gets tells it so:
   * then it may throw, and the process ends well.
   */
  runUntilStopped(start: (stopping: AbortSignal) => Promise<AsyncDisposable>): Promise<void>;
  /** Reports an error that nothing caught; then the process ends with code 1, so that its supervisor starts it again. */
  onUncaught(report: (error: unknown) => void): void;
  /** A signal that SIGINT aborts; from now on SIGINT does not end the process. */
  abortOnInterrupt(): AbortSignal;
  /** The exit code of the process when it ends well otherwise. */
  setExitCode(code: number): void;
}

/**
 * Adds the options of some settings to a command: flags, environment variables, defaults and help come from the list of
 * settings.
 */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { option: flags, meaning, isList, default: fallback } = settingOf(name);
    if (flags === undefined) throw new TypeError(`The setting ${name} has no option.`);
    const option = command
      .createOption(flags, meaning.replaceAll('`', ''))
      .env(name)
      .default(fallback, fallback === '' ? 'none' : JSON.stringify(fallback));
    if (name === 'DATABASE_URL') asAddress(option);
    // An option of a list may be repeated, which is the same as commas.
    if (isList) option.argParser<string>((value, before) => (before ? `${before},${value}` : value));
    command.addOption(option);
  }
  return command;
}

/** The texts of settings that a command got from options or the environment, and how a problem calls each of them. */
export function readGiven(command: Command, names: readonly SettingName[]) {
  const options = new Map(names.map(name => [name, command.options.find(option => option.envVar === name)]));
  const keyOf = (name: SettingName) => options.get(name)?.attributeName() ?? '';
  const isTyped = (name: SettingName) => ['cli', named].includes(command.getOptionValueSource(keyOf(name)) ?? '');
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

/** For the help of a command that has no options for its settings. */
export const whereSettingsStand = [
  'Its settings come from the environment and from the file .env in this folder. It needs SLACK_BOT_TOKEN, and SLACK_APP_TOKEN',
  '(Socket Mode) or SLACK_SIGNING_SECRET (HTTP mode). Further ones are ANNOUNCE_CHANNEL, DATABASE_URL, GRAFANA_URL with',
  'GRAFANA_TOKEN, PORT and PUBLIC_URL. docs/settings.md lists every setting.',
].join('\n');

/** "1 intent", "2 intents". */
export function count(many: number, thing: string): string {
  return `${many} ${thing}${many === 1 ? '' : 's'}`;
}

/** Reads how many things to list. Throws with a sentence. */
export function toLimit(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error('The limit must be a whole number from 1 to 99999.');
}

/** Rows as columns of a width that fits. The first row has the headings. Control characters are left out. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const clean = rows.map(row => row.map(cell => cell.replace(/\p{Cc}/gu, '') || '–'));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map(row => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return clean.map(row => `${toLine(row).trimEnd()}\n`).join('');
}
