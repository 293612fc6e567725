import type { Logger } from 'pino';
import { onTestFinished } from 'vitest';
import { isAtLeast, type LogLevel } from '../../src/config/log-levels.ts';
import { openLog } from '../../src/operations/log.ts';

/** A line of the log, parsed. */
export interface LogRecord {
  readonly level: LogLevel;
  readonly msg: string;
  readonly [name: string]: unknown;
}

/** A log whose lines a test can look at. */
export interface WatchedLog {
  readonly log: Logger;
  readonly records: readonly LogRecord[];
  /** Every line as it was written. */
  readonly lines: readonly string[];
}

/**
 * Opens a log in which an `error` line fails the test, unless the test expects it. What still writes to it is closed by `close`
 * before the lines are judged; `atEnd` says when that is, the end of the test when absent.
 */
export function openWatchedLog(options: {
  readonly level?: LogLevel | undefined;
  readonly expectErrors?: ((record: LogRecord) => boolean) | undefined;
  readonly close: () => Promise<void>;
  readonly atEnd?: (judge: () => Promise<void>) => void;
}): WatchedLog {
  const { atEnd = onTestFinished } = options;
  const records: LogRecord[] = [];
  const lines: string[] = [];
  const log = openLog(options.level ?? 'info', {
    write: line => {
      lines.push(line);
      records.push(JSON.parse(line));
    },
  });
  atEnd(async () => {
    await options.close();
    const unexpected = records.filter(record => isAtLeast(record, 'error') && !options.expectErrors?.(record));
    if (unexpected.length > 0) throw new Error(`Unexpected errors in the log: ${JSON.stringify(unexpected, null, 2)}`);
  });
  return { log, records, lines };
}
