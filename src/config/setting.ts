import type { z } from 'zod';

/** What another setting must be, so that this one has an effect. */
export interface Condition {
  /** The other setting: it must be set, must not be set, or must name a Postgres. */
  readonly of: string;
  readonly must: 'be set' | 'not be set' | 'name a Postgres';
  /**
   * What Muster does where it is otherwise. It refuses to start where incidents would stand in the wrong place, or something that
   * people rely on would not happen. It warns where everything works without this setting too.
   */
  readonly otherwise: 'refuse' | 'warn';
  /** Why the setting has no effect there: a sentence, without its end. */
  readonly why: string;
}

/**
 * One setting of Muster, by the name of its environment variable. The check of the environment, the options of the subcommands
 * and docs/settings.md are all made from this list.
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
