import { type DestinationStream, type Logger, pino } from 'pino';

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
  'tokens',
  'authorization',
  'Authorization',
  'cookie',
  'password',
  'secret',
  'signingSecret',
  'botToken',
  'appToken',
  'response_url',
  'responseUrl',
  'trigger_id',
  'triggerId',
  'x-slack-signature',
];

/** What tokens look like wherever they stand, in a sentence too: Slack's, Grafana's, and those of a header. */
const tokens =
  /\bxox[a-z](?:\.xox[a-z])?-[\w-]+|\bxapp-[\w-]+|\bglsa_\w+|\bBearer [\w.~+/=-]+|hooks\.slack\.com\/[\w/.-]+/g;

/** Opens the process's logger: one JSON line per record, secrets left out. */
export function openLog(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: secrets.flatMap(name => [path('', name), path('*', name), path('*.*', name)]), remove: true },
      serializers: { err: (error: unknown) => toLoggedError(error) },
      hooks: { streamWrite: line => line.replace(tokens, '[secret]') },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

function path(prefix: string, name: string): string {
  const key = /^[a-z_]+$/i.test(name) ? name : `["${name}"]`;
  if (prefix === '') return key;
  return key.startsWith('[') ? `${prefix}${key}` : `${prefix}.${key}`;
}

/** Causes followed at most; an error can be its own. */
const maxCauses = 5;

/** Errors carry what failed and why, but not what they were called with: that may be message text. */
function toLoggedError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: typeof error === 'string' ? error : typeof error };
  const { name, message, stack, cause } = error;
  const facts = Object.fromEntries(
    ['code', 'method', 'status', 'statusCode', 'reason'].flatMap(fact => {
      const value: unknown = Reflect.get(error, fact);
      return typeof value === 'string' || typeof value === 'number' ? [[fact, value]] : [];
    }),
  );
  const why = cause === undefined || depth >= maxCauses ? {} : { cause: toLoggedError(cause, depth + 1) };
  return { type: name, message, ...facts, stack, ...why };
}
