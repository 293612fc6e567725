/** How often the same line is written in a minute, and how often while its flood goes on. */
const most = 5;
const mostInFlood = 1;
/** How many lines with one cause are written in a minute, whatever they say: one outage touches everything that Muster does. */
const mostOfCause = 6;
/** The level of errors: the first line of each is written, however well its cause is known. */
const error = 50;
/** How long lines are counted, in milliseconds. */
const minute = 60_000;
/** Causes that are told apart for one message, and messages, in a minute. Further causes of a message are one. */
const maxCauses = 20;
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
export class FloodGuard {
  readonly #later: Later;
  #kinds = new Map<string, Map<string, Kind>>();
  /** How many lines with a cause were written in this minute. */
  #causes = new Map<string, number>();
  /** Causes of which lines were held back in the minute before. */
  #flooding: ReadonlySet<string> = new Set();
  #cancel: (() => void) | undefined;

  constructor(later: Later = laterOrAtExit) {
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
    const cause = causes.has(line.cause) || causes.size < maxCauses ? line.cause : 'another cause';
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

/** One line for each cause: the kind of which most lines were held back, and how many others there were. */
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
