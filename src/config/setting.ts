import type { z } from 'zod';

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
  /** From the trimmed text to the checked value. */
  readonly format: z.ZodType;
}
