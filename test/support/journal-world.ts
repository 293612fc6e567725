import { expect } from 'vitest';
import { z } from 'zod';
import type { Attempt, Consequence, Final, JobKind, Outcome } from '../../src/bot/journal/intent.ts';
import { type Journal, type NewIntent, openJournal } from '../../src/bot/journal/journal.ts';
import { isProvisional } from '../../src/bot/journal/provisional-id.ts';
import type { Intent, JournalTables } from '../../src/bot/journal/rows.ts';
import { keepFor } from '../../src/bot/keep-for.ts';
import type { IntentTable } from '../../src/bot/schema/intents.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { RpcError } from '../../src/contract/errors.ts';
import type { Database } from '../../src/db/database.ts';
import { Heart } from '../../src/db/heart.ts';
import { deadlines } from '../../src/deadlines.ts';
import { makeFresh, openBotDatabase } from './fresh-database.ts';
import { type LogRecord, openWatchedLog } from './watched-log.ts';

/** How long callers of a toy journal wait before they hear `queued`, in milliseconds. */
export const timeout = deadlines.api.budget + deadlines.lateCall;
/** The API is away, and nothing took effect. */
export const down = new RpcError('unavailable', 'no answer', { maybeApplied: false });
/** The answer was lost: the write may have taken effect. */
export const lost = new RpcError('deadline_exceeded', 'no answer in time', { maybeApplied: true });
/** The API refuses, for good. */
export const refused = new RpcError('invalid_argument', 'not that');

/** What one attempt does. `hang`: it ends when its process stops, with a lost answer. */
type Try = 'done' | 'hang' | Error | Promise<unknown>;

/** The world outside of the journals: what their writes do to it, whatever was answered, and the clocks of all processes. */
export interface World {
  /** What took effect, in order. */
  readonly effects: string[];
  /** Texts of all attempts, in order; `?` before those that looked for an earlier effect. */
  readonly attempts: string[];
  /** What the next attempts at a text do; `done` when nothing is said. */
  readonly script: Map<string, Try[]>;
  /** Texts whose effect happens although the attempt fails. */
  readonly lostAnswers: Set<string>;
  /** Texts whose first attempt takes effect later than the journal waits for it. */
  readonly twins: Set<string>;
  /** What the machines take the time to be, and a clock that never steps, in milliseconds. */
  readonly clock: { now: Date; elapsed: number };
  /** Callers that will submit again. */
  readonly openCallers: Set<string>;
  /** The id that the next subject gets. */
  nextSubject: string;
}

/** An attempt of `toy.open` finds a subject that is there. */
export class Found extends Error {}

/** What toy kinds get for each attempt. */
interface ToyContext {
  readonly world: World;
  readonly attempt: Attempt;
}

/** A kind of the toy journal. */
type ToyKind = JobKind<ToyContext>;

function createWorld(): World {
  return {
    effects: [],
    attempts: [],
    script: new Map(),
    lostAnswers: new Set(),
    twins: new Set(),
    // Such a clock has parts of milliseconds.
    clock: { now: new Date('2026-03-02T14:00:00Z'), elapsed: 0.25 },
    openCallers: new Set(),
    nextSubject: '7',
  };
}

/** Time goes by. */
export function pass(world: World, ms: number): void {
  world.clock.now = new Date(world.clock.now.getTime() + ms);
  world.clock.elapsed += ms;
}

const ConsequencePayload = z.object({ text: z.string(), lane: z.string().optional() });
const Written = z.object({ text: z.string(), subject: z.string() });

/** What a write is made of; `causes` are the writes that follow from it. */
const WritePayload = Written.extend({ causes: z.array(ConsequencePayload).default([]) });

async function perform({ world, attempt }: ToyContext, text: string, effect: string): Promise<void> {
  world.attempts.push(text);
  const next = world.script.get(text)?.shift() ?? 'done';
  if (next === 'done' || world.lostAnswers.delete(text)) world.effects.push(effect);
  if (next instanceof Error) throw next;
  if (next === 'hang') await untilAborted(attempt.signal);
  else if (next !== 'done') await next;
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
  throw lost;
}

/** A write that does as the world says, and finds what it did. */
const write: JobKind<ToyContext, z.output<typeof WritePayload>, z.output<typeof Written>> = {
  kind: 'toy.write',
  payload: WritePayload,
  result: Written,
  run: async (context, { text, subject }) => {
    await perform(context, text, `${subject}: ${text}`);
    return { text, subject };
  },
  reconcile: async ({ world }, { text, subject }) => {
    world.attempts.push(`?${text}`);
    const next = world.script.get(`?${text}`)?.shift();
    if (next instanceof Error) throw next;
    return world.effects.includes(`${subject}: ${text}`) ? { text, subject } : undefined;
  },
  findTwin: async ({ world }, { text }) => (world.twins.has(text) ? `${text} is there twice` : undefined),
  consequences: ({ subject }, { causes }): Consequence[] =>
    causes.map(({ text, lane }) => ({
      kind: write,
      payload: { text, subject },
      name: text,
      ...(lane === undefined ? {} : { lane }),
    })),
};

/** A write that may be repeated without harm, so it looks for nothing. It says how it was called. */
const set: JobKind<ToyContext, { text: string }, { isRetry: boolean; isAmbiguous: boolean; askedAt: string }> = {
  kind: 'toy.set',
  payload: z.object({ text: z.string() }),
  result: z.object({ isRetry: z.boolean(), isAmbiguous: z.boolean(), askedAt: z.string() }),
  run: async (context, { text }) => {
    await perform(context, text, text);
    const { isRetry, isAmbiguous, askedAt } = context.attempt;
    return { isRetry, isAmbiguous, askedAt: askedAt.toISOString() };
  },
};

/** A write that brings a subject into being. */
const open: JobKind<ToyContext, { text: string }, { subject: string }> = {
  kind: 'toy.open',
  payload: z.object({ text: z.string() }),
  result: z.object({ subject: z.string() }),
  run: async (context, { text }) => {
    try {
      await perform(context, text, `opened: ${text}`);
    } catch (error) {
      if (error instanceof Found) return { subject: error.message };
      throw error;
    }
    return { subject: context.world.nextSubject };
  },
  declares: { subject: ({ subject }) => subject },
  consequences: ({ subject }, { text }) =>
    text.includes('!') ? [{ kind: write, payload: { text: 'announced', subject }, name: 'announce' }] : [],
};

/** Counts the done intents of its kind when it looks for its effect. */
const count: JobKind<ToyContext, { text: string }, { siblings: number }> = {
  kind: 'toy.count',
  payload: z.object({ text: z.string() }),
  result: z.object({ siblings: z.number() }),
  run: async context => {
    await perform(context, 'count', 'counted');
    return { siblings: -1 };
  },
  reconcile: async ({ attempt }) => ({ siblings: (await attempt.siblingResults()).length }),
};

/** The kinds that a toy journal knows. */
export const toyKinds = { write, set, open, count };

/** How a process differs from the usual. */
export interface ProcessOptions {
  readonly isSoleProcess?: boolean;
  /** How long a write whose answer was lost may still take effect, in milliseconds; absent: not at all. */
  readonly landing?: number;
  /** How its journal gets to the database. */
  readonly wrap?: (database: Database) => Database;
  /** The kinds that its version knows; all when absent. */
  readonly kinds?: readonly (keyof typeof toyKinds)[];
  /** A text that its version cannot read in a write. */
  readonly unreadable?: string;
  /** Tells owners; absent: they hear at once. */
  readonly tell?: (ended: readonly Ended[]) => Promise<void>;
  /** What every caller gets in the transaction of an outcome. */
  readonly onAlongside?: (what: string) => Promise<void> | void;
  /** `error` records that are part of the test; any other fails it. */
  readonly expectErrors?: (record: LogRecord) => boolean;
}

/** An intent whose outcome no caller waits for. */
type Ended = Intent<ToyKind, Final>;

type More = Partial<Omit<NewIntent<unknown>, 'key' | 'payload'>>;

/** A process with a journal on a database that others may have open too. */
export interface Process {
  readonly journal: Journal<ToyContext, ToyKind>;
  readonly database: Database;
  /** What was told by messages, in one list for each time. */
  readonly told: (readonly Ended[])[];
  /** What happened along with outcomes: `done 1`, `registered 7`, and `onDone 1` once that is stored. */
  readonly alongside: readonly string[];
  /** Submits a write; each is of a caller of its own unless one is given. */
  write(
    key: string,
    text: string,
    more?: More & { readonly causes?: readonly z.output<typeof ConsequencePayload>[] },
  ): Promise<Outcome<unknown>>;
  /** Submits an intent that brings a subject into being. */
  open(key: string, text: string, more?: More): Promise<Outcome<unknown>>;
  submit(kind: 'set' | 'count', key: string, text: string, more?: More): Promise<Outcome<unknown>>;
  /** Takes up everything that is due, waits until no attempt goes on, and tells. */
  catchUp(): Promise<void>;
  /** Looks for open intents after the API has answered: those that were put off are due. */
  wake(): Promise<void>;
  states(): Promise<Readonly<Record<string, number>>>;
  /** Everything that is stored, in the order in which it was asked for. Only for what nobody is told. */
  inspect(): Promise<readonly IntentTable[]>;
  /** The heartbeat of the process, as it is stored. */
  life(): Promise<number | undefined>;
  /** From now on it changes nothing in the database, and shows no sign of life. */
  kill(): void;
}

/** A world and a fresh database, on which processes are started. */
export async function openJournals() {
  const world = createWorld();
  const url = await makeFresh();
  return { world, url, start: (options: ProcessOptions = {}) => openProcess(url, world, options) };
}

/** One process on a fresh database; `start` starts another one there. */
export async function openOne(options: ProcessOptions = {}) {
  const journals = await openJournals();
  return { ...journals, ...(await journals.start(options)) };
}

/** Begins a write whose first attempt ends when the test says so. */
export async function begin(world: World, write: Process['write'], key: string, text: string, more: More = {}) {
  const end = Promise.withResolvers<void>();
  world.script.set(text, [end.promise]);
  const asked = write(key, text, more);
  await expect.poll(() => world.attempts).toEqual([text]);
  return { asked, end };
}

/** Expects that what was put off is tried again after so many milliseconds, and not before. */
export async function expectPause({ world, catchUp }: { world: World } & Pick<Process, 'catchUp'>, ms: number) {
  const before = world.attempts.length;
  pass(world, ms - 1);
  await catchUp();
  expect(world.attempts).toHaveLength(before);
  pass(world, 1);
  await catchUp();
  expect(world.attempts).toHaveLength(before + 1);
}

let callers = 0;

/** The kinds that a process knows. */
function kindsOf({ kinds, unreadable }: ProcessOptions): readonly ToyKind[] {
  const known: Record<string, ToyKind> = {
    ...toyKinds,
    ...(unreadable === undefined ? {} : { write: cannotRead(unreadable) }),
  };
  return kinds?.flatMap(name => known[name] ?? []) ?? Object.values(known);
}

/** The write of another version, which cannot read a text. */
function cannotRead(unreadable: string): ToyKind {
  const isKnown = ({ text }: z.output<typeof WritePayload>) => text !== unreadable;
  return { ...write, payload: WritePayload.refine(isKnown, 'cannot be read') };
}

/** Opens one process. It ends with the test. */
async function openProcess(url: string, world: World, options: ProcessOptions = {}): Promise<Process> {
  const database = await openBotDatabase(world.clock.now, url);
  const stack = new AsyncDisposableStack();
  const { log } = openWatchedLog({
    level: 'error',
    close: () => stack.disposeAsync(),
    expectErrors: options.expectErrors,
  });
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => {});
  const life = { isOver: false };
  const wrapped = options.wrap?.(database) ?? database;
  const mortal: Database = {
    ...wrapped,
    withLock: (...turn) => (life.isOver ? end.promise : wrapped.withLock(...turn)),
    single: statement => (life.isOver ? end.promise : wrapped.single(statement)),
  };
  const clock = () => world.clock.now;
  const monotonicNow = () => world.clock.elapsed;
  // Tests that count what a journal stores count no beat.
  const plain: Database = {
    ...database,
    single: statement => (life.isOver ? end.promise : database.single(statement)),
  };
  const heart = new Heart({
    database: plain,
    isSoleProcess: false,
    clock,
    monotonicNow,
    keptFor: keepFor.processes,
    log,
  });
  await heart.start();
  const told: (readonly Ended[])[] = [];
  const alongside: string[] = [];
  const note = async (what: string) => {
    await options.onAlongside?.(what);
    alongside.push(what);
  };
  const journal = await openJournal<ToyContext, ToyKind>({
    database: mortal,
    ...(options.isSoleProcess ? { isSoleProcess: true } : {}),
    kinds: kindsOf(options),
    landing: options.landing ?? 0,
    deadlines,
    toContext: attempt => ({ world, attempt }),
    bindSubject: (payload, subject) => {
      if (typeof payload !== 'object' || payload === null || !('subject' in payload)) return payload;
      return isProvisional(String(payload.subject)) ? { ...payload, subject } : payload;
    },
    alongside: {
      stored: async () => undefined,
      done: (_trx, { subject, twin }) => note([`done ${subject}`, ...(twin === '' ? [] : [twin])].join(', ')),
      registered: (_trx, _provisional, subject) => note(`registered ${subject}`),
    },
    openCallers: async (_db, named) => new Set(named.filter(each => world.openCallers.has(each))),
    tell: async ended => {
      await options.tell?.(ended);
      told.push(ended);
    },
    onDone: subject => void alongside.push(`onDone ${subject}`),
    onPostponed: () => undefined,
    onRetry: () => undefined,
    onTick: async () => {},
    ...{ clock, monotonicNow, heart, log },
    random: () => 0,
  });
  stack.defer(async () => {
    end.reject(new Error('the test is over'));
    await journal.stop(0);
    await heart[Symbol.asyncDispose]();
  });
  const terms = (more: More): Omit<NewIntent<unknown>, 'key' | 'payload'> => {
    callers += 1;
    return {
      renews: false,
      owner: 'alice',
      origin: { from: 'C1' },
      caller: `caller ${callers}`,
      subject: '1',
      ...more,
    };
  };
  return {
    journal,
    database,
    told,
    alongside,
    write: (key, text, { causes = [], ...more } = {}) => {
      const all = terms(more);
      const payload = { text, subject: all.subject, causes: [...causes] };
      return journal.submit(write, { ...all, key, payload });
    },
    open: (key, text, more = {}) =>
      journal.submit(open, { ...terms({ subject: '', ...more }), key, payload: { text } }),
    submit: (kind, key, text, more = {}) =>
      journal.submit(toyKinds[kind] as ToyKind, { ...terms(more), key, payload: { text } }),
    catchUp: async () => {
      await journal.tick();
      await journal.idle();
    },
    wake: async () => {
      await journal.wake();
      await journal.idle();
    },
    states: async () => Object.fromEntries((await journal.countByState()).map(each => [each.state, each.count])),
    inspect: () =>
      database.as<JournalTables>().selectFrom('bot_intent').selectAll().orderBy('created_at').orderBy('seq').execute(),
    life: async () => {
      const processes = database.as<BotTables>().selectFrom('bot_process').where('owner', '=', heart.owner);
      return (await processes.select('heartbeat').executeTakeFirst())?.heartbeat;
    },
    kill: () => {
      life.isOver = true;
    },
  };
}

/** The texts of what was told by messages, in that order. */
export function textsOf(told: Process['told']): string[] {
  return told.flat().map(({ payload }) => String(Reflect.get(Object(payload), 'text')));
}

/** What becomes of changes of a database: while `error` is set, that; `failed` counts them. */
export interface Weather {
  error?: Error | undefined;
  failed: number;
}

/** A way to a database on which everything takes effect, and the answer to one change is lost: the one of this number, from 1. */
export function losingAnswer(number: number): (database: Database) => Database {
  let count = 0;
  const lossy = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    count += 1;
    if (count !== number) return result;
    throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });
  };
  return database => ({
    ...database,
    withLock: (...turn) => lossy(database.withLock(...turn)),
    single: statement => lossy(database.single(statement)),
  });
}

/** A way to a database that can be away. */
export function breakable(weather: Weather): (database: Database) => Database {
  const away = () => {
    weather.failed += 1;
    return Promise.reject(weather.error);
  };
  return database => ({
    ...database,
    withLock: (...turn) => (weather.error ? away() : database.withLock(...turn)),
    single: statement => (weather.error ? away() : database.single(statement)),
  });
}
