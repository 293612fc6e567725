import { type DestinationStream, type Logger, pino, type SerializedError, stdSerializers } from 'pino';

/** Levels by rising weight. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/**
 * Members that never reach a log, wherever they stand in a record up to two levels deep: credentials, and what Slack lets
 * whoever holds it act with for half an hour (`response_url`, `trigger_id`).
 */
const secrets = [
  'token',
  'authorization',
  'Authorization',
  'signingSecret',
  'botToken',
  'appToken',
  'response_url',
  'responseUrl',
  'trigger_id',
  'triggerId',
  'x-slack-signature',
];

/** Opens the process's logger: one JSON line per record, secrets left out. */
export function openLog(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: secrets.flatMap(name => [path('', name), path('*', name), path('*.*', name)]), remove: true },
      serializers: { err: toLoggedError },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

function path(prefix: string, name: string): string {
  const key = /^[a-z_]+$/i.test(name) ? name : `["${name}"]`;
  if (prefix === '') return key;
  return key.startsWith('[') ? `${prefix}${key}` : `${prefix}.${key}`;
}

/** Errors carry what failed and why, but not what they were called with: that may be message text. */
function toLoggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const full: SerializedError = stdSerializers.errWithCause(error);
  return { type: full.type, message: full.message, code: full.code, stack: full.stack, cause: full.cause };
}
