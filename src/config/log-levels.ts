/** Log levels by rising weight. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/** Whether a record has this level or a graver one. What names no level, as a line of another program, has none. */
export function isAtLeast({ level }: { readonly level?: unknown }, least: LogLevel): boolean {
  return logLevels.indexOf(level as LogLevel) >= logLevels.indexOf(least);
}
