import type { z } from 'zod';

/** What another setting must be, so that this one has an effect. */
export interface Condition {
  /** The other setting: it must be set, must not be set, or must name a Postgres. */
  readonly of: string;
  readonly must: 'be set' | 'not be set' | 'name a Postgres';
  /**
   * What Muster does where it is otherwise. It refuses to start where incidents would be in the wrong place, or something that people rely
   * on would not happen. It warns where everything works without this setting too.
   */
  readonly otherwise: 'refuse' | 'warn';
  /** Why the setting has no effect there: a sentence, without its end. */
  readonly why: string;
}

/**
 * One setting of Muster, by the name of its environment variable. The check of the environment, the types of the values, the options of
 * the subcommands and docs/settings.md are all made from this list.
 */
export interface Setting {
  /** Used when the variable is not set or blank; `""` for none. */
  readonly default: string;
  /** What the setting is for; Markdown. */
  readonly meaning: string;
  /** A value that could be written; of a secret, its shape. */
  readonly example: string;
  readonly isSecret?: true;
  /** Several values, separated by commas. */
  readonly isList?: true;
  /** Where an operator finds the value, or how to make one. */
  readonly source?: string;
  /** The option that sets it for one subcommand, as commander writes options. */
  readonly option?: string;
  /** Where it has an effect; everywhere when absent. */
  readonly worksOnly?: readonly Condition[];
  /** From the trimmed text to the checked value. */
  readonly format: z.ZodType;
}

/** A table of settings, by the names of their environment variables. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** The name of a setting in the code: `QUIET_HOURS` is `quietHours`. */
type MemberName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<MemberName<Rest>>}`
  : Lowercase<Name>;

/** The checked values of a table's settings, or of some of them. Each has the type that its format gives. */
export type ValuesOf<Table extends SettingTable, Name extends keyof Table = keyof Table> = {
  readonly [Each in Name & string as MemberName<Each>]: z.output<Table[Each]['format']>;
};

/** The name in the code of the setting with this environment variable. */
export function memberName(name: string): string {
  return name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The values of one table's settings, out of those of more. */
export function pickValues<Table extends SettingTable>(table: Table, values: ValuesOf<Table>): ValuesOf<Table> {
  const all: Readonly<Record<string, unknown>> = values;
  // The type says that each of them is there.
  return Object.fromEntries(
    Object.keys(table).map(name => [memberName(name), all[memberName(name)]]),
  ) as ValuesOf<Table>;
}
