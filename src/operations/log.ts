import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { FloodGuard, toCause } from './flood-guard.ts';
import type { LogLevel } from './log-levels.ts';

/**
 * Members that never reach a log, in a record up to {@link searchDepth} levels deep: credentials, and what lets its holder act
 * in Slack for a while (`response_url`, `trigger_id`; docs/slack.md 4).
 */
const secrets: ReadonlySet<string> = new Set([
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
]);
/** Levels of a record that are searched for secrets. */
const searchDepth = 4;

/** The shapes of tokens in any text: Slack's, Grafana's, those of a header, and addresses of Slack's hooks. */
const tokens =
  /\bxox[a-z](?:\.xox[a-z])?-[\w-]+|\bxapp-[\w-]+|\bglsa_\w+|\bBearer [\w.~+/=-]+|hooks\.slack\.com\/[\w/.-]+/g;

/**
 * Opens the process's logger: one JSON line per record, with the level's name, without secrets; a flood of one line is held back and
 * counted. It writes to standard output unless told otherwise.
 */
export function openLog(level: LogLevel, destination?: DestinationStream, flood = new FloodGuard()): Logger {
  const log: Logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: name => ({ level: name }), log: record => withoutSecrets(record) },
      serializers: { err: (error: unknown) => toLoggedError(error) },
      hooks: {
        logMethod(args, write, weight) {
          const writeWhole: LogFn = (...each: unknown[]) => write.apply(log, withBindings(this.bindings(), each));
          if (mayPass(flood, { args, write: writeWhole, weight })) writeWhole(...args);
        },
        streamWrite: line => line.replace(tokens, '[secret]'),
      },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
  return log;
}

/** Members that each line has of its own. */
const ownOfLine = { level: undefined, time: undefined, msg: undefined };

/**
 * The arguments of a call, with what its child logger is bound to in the record. Pino would write both one after the other, with
 * secrets, and a key that stands in both twice; parsers that follow JSON strictly refuse such a line.
 */
function withBindings(bound: object, [first, ...words]: readonly unknown[]): Parameters<LogFn> {
  if (typeof first === 'string') return [bound, first, ...words];
  const record = first instanceof Error ? { err: first } : first;
  return [{ ...bound, ...(record as object), ...ownOfLine }, ...words] as Parameters<LogFn>;
}

/** A call of a logger's method, as pino's hook gets it. */
interface Call {
  readonly args: Parameters<LogFn>;
  readonly write: LogFn;
  readonly weight: number;
}

/**
 * Whether a line is written now. What tells of no trouble always is: each such line is the account of one thing that was done. So are
 * the line with which a process ends, and one with a reference, under which somebody looks for it.
 */
function mayPass(flood: FloodGuard, { args, write, weight }: Call): boolean {
  const { info, warn, fatal } = pino.levels.values;
  if (info === undefined || warn === undefined || fatal === undefined || weight < info || weight >= fatal) return true;
  const [first, second] = args as readonly unknown[];
  const cause = toCause(first);
  if (weight < warn && cause === '') return true;
  if (typeof first === 'object' && first !== null && 'reference' in first) return true;
  const facts = typeof first === 'object' && first !== null && !(first instanceof Error) ? first : { err: first };
  const message = String(typeof first === 'string' ? first : (second ?? ''));
  const summarise = (times: number, others: number) => {
    const more = others === 0 ? '' : `, and ${others} other ${others === 1 ? 'line' : 'lines'} with the same cause`;
    const words = `${message} (said ${times} ${times === 1 ? 'time' : 'times'} more in the last minute${more})`;
    write(typeof first === 'string' ? { times } : { ...facts, times }, words);
  };
  return flood.mayPass({ level: weight, message, cause, summarise });
}

/** A copy of a record without its secrets. Pino's own `redact` does the same and costs more than writing the record. */
function withoutSecrets(record: object, depth = searchDepth): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (!secrets.has(name)) kept[name] = withoutSecretsWithin(value, depth - 1);
  }
  return kept;
}

function withoutSecretsWithin(value: unknown, depth: number): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(each => withoutSecretsWithin(each, depth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? withoutSecrets(value, depth) : value;
}

/** Causes that are followed at most: an error can be its own cause. */
const maxCauses = 5;

/** An error with what failed and why, without what it was called with: that may be message text. */
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
