import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/log-levels.ts';

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
 * counted. It writes to standard output unless told otherwise. `later` ends the minutes in which a flood is counted.
 */
export function openLog(level: LogLevel, destination?: DestinationStream, later: Later = laterOrAtExit): Logger {
  const flood = new FloodGuard(later);
  const log: Logger = pino(
    {
      level,
      base: null,
      timestamp: openTimestamps(),
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
    destination ?? openOutput(pino.destination({ dest: 1, sync: true })),
  );
  return log;
}

/** How often lines are written at most, in milliseconds: a write costs as much as the rest of a line. */
const writeEvery = 10;

/**
 * Writes lines to `output`. A line is written at once, unless others were just written: then it follows with those that come meanwhile, in one
 * write. A line that tells of trouble does not wait, and the end of the process does not lose any.
 */
function openOutput(output: DestinationStream): DestinationStream {
  const { warn = 0 } = pino.levels.values;
  let waiting: string[] = [];
  let writtenAt = Number.NEGATIVE_INFINITY;
  let cancel = () => {};
  const flush = () => {
    cancel();
    output.write(waiting.join(''));
    waiting = [];
    writtenAt = performance.now();
  };
  return {
    // Pino tells the level of each line before it writes it.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      const isFirst = waiting.push(line) === 1;
      if (this.lastLevel >= warn || performance.now() - writtenAt >= writeEvery) flush();
      else if (isFirst) cancel = laterOrAtExit(flush, writeEvery);
    },
  } as DestinationStream & { lastLevel: number };
}

/** Makes the time of a line. The second is kept from line to line: a date is dear. */
function openTimestamps(): () => string {
  let second = Number.NaN;
  let words = '';
  return () => {
    const now = Date.now();
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      words = `,"time":"${new Date(second).toISOString().slice(0, 20)}`;
    }
    return `${words}${String(milliseconds).padStart(3, '0')}Z"`;
  };
}

/** Members that each line has of its own. */
const ownOfLine = { level: undefined, time: undefined, msg: undefined };

/**
 * The arguments of a call, with what its child logger is bound to in the record. Pino would write both one after the other, with secrets,
 * and a key of both twice; parsers that follow JSON strictly refuse such a line.
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
 * Whether a line is written now. What tells of no trouble always is: each such line is the account of one thing that was done. So are the
 * line with which a process ends, and one with a reference, under which an operator looks for it.
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
  for (const name of Object.keys(record)) {
    if (!secrets.has(name)) kept[name] = withoutSecretsWithin(Reflect.get(record, name), depth - 1);
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

/** How often the same line is written in a minute, and how often while its flood goes on. */
const most = 5;
const mostInFlood = 1;
/** How many lines with one cause are written in a minute, with any words: one outage touches everything that Muster does. */
const mostOfCause = 6;
/** The level of errors: the first line of each is written, however well its cause is known. */
const error = 50;
/** How long lines are counted, in milliseconds. */
const minute = 60_000;
/** Causes that are told apart for one message, and messages, in a minute. Further causes of a message are one. */
const mostCounted = 20;
const maxMessages = 1000;

/** A line that is about to be written. */
interface Line {
  readonly level: number;
  readonly message: string;
  /** Why it happened, as {@link toCause} tells; lines with different causes are different. */
  readonly cause: string;
  /** Writes one line in place of those like it that were held back, as many as `times`, and of `others` with the same cause. */
  summarise(times: number, others: number): void;
}

/** Runs `work` after a delay in milliseconds, or when the process ends before. Returns a function that cancels it. */
type Later = (work: () => void, ms: number) => () => void;

/** What is known of a line in the minute under way. */
interface Kind {
  most: number;
  count: number;
  written: number;
  last: Line;
}

/**
 * Holds back lines that are the same, by level, message and cause, once they are many, and lines of any message once there are many with
 * one cause: then one line a minute says how many came. The first line of a cause is always written, and so is the first of an error.
 */
class FloodGuard {
  readonly #later: Later;
  #kinds = new Map<string, Map<string, Kind>>();
  /** How many lines with a cause were written in this minute. */
  #causes = new Map<string, number>();
  /** Causes whose lines were held back in the minute before. */
  #flooding: ReadonlySet<string> = new Set();
  #cancel: (() => void) | undefined;

  constructor(later: Later) {
    this.#later = later;
  }

  /** Whether a line may be written; it is counted otherwise. */
  mayPass(line: Line): boolean {
    const kind = this.#find(line);
    if (kind === undefined) return true;
    this.#cancel ??= this.#later(() => this.#sumUp(), minute);
    kind.count += 1;
    kind.last = line;
    const ofCause = this.#causes.get(line.cause) ?? 0;
    const isKnown = line.cause !== '' && ofCause >= (this.#flooding.has(line.cause) ? mostInFlood : mostOfCause);
    const isFirstError = line.level >= error && kind.count === 1;
    if (kind.count > kind.most || (isKnown && !isFirstError)) return false;
    kind.written += 1;
    this.#causes.set(line.cause, ofCause + 1);
    return true;
  }

  /** The kind of a line; undefined when there are too many to keep. */
  #find(line: Line): Kind | undefined {
    const name = `${line.level} ${line.message}`;
    let causes = this.#kinds.get(name);
    if (causes === undefined) {
      if (this.#kinds.size >= maxMessages) return undefined;
      causes = new Map();
      this.#kinds.set(name, causes);
    }
    const cause = causes.has(line.cause) || causes.size < mostCounted ? line.cause : 'another cause';
    const known = causes.get(cause);
    if (known) return known;
    const kind = { most, count: 0, written: 0, last: line };
    causes.set(cause, kind);
    return kind;
  }

  /** Ends the minute: tells what was held back, and remembers which floods may go on. */
  #sumUp(): void {
    this.#cancel = undefined;
    const before = this.#kinds;
    this.#kinds = new Map();
    this.#causes = new Map();
    const floods: (Kind & { readonly held: number })[] = [];
    for (const [name, causes] of before) {
      for (const [cause, kind] of causes) {
        const held = kind.count - kind.written;
        if (held <= 0) continue;
        floods.push({ ...kind, held });
        const kept = this.#kinds.get(name) ?? new Map<string, Kind>();
        this.#kinds.set(name, kept.set(cause, { most: mostInFlood, count: 0, written: 0, last: kind.last }));
      }
    }
    this.#flooding = new Set(floods.map(each => each.last.cause));
    summarise(floods);
    if (this.#kinds.size > 0) this.#cancel = this.#later(() => this.#sumUp(), minute);
  }
}

/** One line for each cause: the kind with the most lines held back, and how many others there were. */
function summarise(floods: readonly (Kind & { readonly held: number })[]): void {
  const groups = Map.groupBy(floods, ({ last }) => (last.cause === '' ? last : last.cause));
  for (const group of groups.values()) {
    const [most, ...others] = group.toSorted((one, other) => other.held - one.held);
    most?.last.summarise(
      most.held,
      others.reduce((sum, each) => sum + each.held, 0),
    );
  }
}

/** Members of a record that say why something happened. */
const reasons = ['reason', 'why', 'status'];
/** Causes of an error that are followed. */
const maxDepth = 5;
/** The most of a cause that tells it apart from others, in characters. */
const maxLength = 300;

/**
 * Why something happened, as a record says it; `""` when it says nothing. Sentences are read without their numbers, which differ where
 * the cause is the same. An error that is one of many of an outage says so in its `outage`, and that is the cause.
 */
export function toCause(record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  if (!(record instanceof Error || 'err' in record || reasons.some(name => name in record))) return '';
  const own = reasons.map(name => Reflect.get(record, name)).filter(value => value !== undefined);
  const chain = toChain(record instanceof Error ? record : Reflect.get(record, 'err'));
  const outage = chain.map(each => Reflect.get(each, 'outage')).find(value => typeof value === 'string');
  if (outage !== undefined) return outage;
  const facts = chain.flatMap(each => [Reflect.get(each, 'code') ?? each.name, each.message]);
  return [...own, ...facts].map(toText).join(' ').slice(0, maxLength);
}

function toChain(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let next = error; next instanceof Error && chain.length < maxDepth; next = next.cause) chain.push(next);
  return chain;
}

function toText(part: unknown): string {
  if (typeof part === 'number') return String(part);
  if (typeof part !== 'string') return '';
  return part.includes(' ') ? part.replace(/\d+/g, '#') : part;
}

/** What is done when the process ends before its time. */
const untilExit = new Set<() => void>();

function endEarly(): void {
  for (const run of untilExit) run();
}

function laterOrAtExit(work: () => void, ms: number): () => void {
  const cancel = () => {
    clearTimeout(timer);
    untilExit.delete(run);
    if (untilExit.size === 0) process.off('exit', endEarly);
  };
  const run = () => {
    cancel();
    work();
  };
  const timer = setTimeout(run, ms).unref();
  if (untilExit.size === 0) process.on('exit', endEarly);
  untilExit.add(run);
  return cancel;
}
