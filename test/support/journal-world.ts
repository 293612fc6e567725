import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Deps } from '../../src/bot/dispatch/deps.ts';
import { type Consequence, defineIntent, type IntentKind } from '../../src/bot/journal/intent.ts';
import { createJournal, type Journal, type Submission } from '../../src/bot/journal/journal.ts';
import type { LateEnd } from '../../src/bot/journal/telling.ts';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { createClient } from '../../src/client/client.ts';
import { RpcError } from '../../src/contract/errors.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeDatabase } from './databases/fresh.ts';

export const alice = { teamId: 'T1', userId: 'U1' };
export const bob = { teamId: 'T1', userId: 'U2' };
export const down = new RpcError('unavailable', 'no answer', { maybeApplied: false });
export const lost = new RpcError('deadline_exceeded', 'no answer in time', { maybeApplied: true });
export const refused = new RpcError('invalid_argument', 'not that');

/** What one attempt of an intent does. */
type Try = 'done' | Error | Promise<unknown>;

/** What the writes of a test do to the world outside: what took effect, in order, whatever was answered. */
export interface World {
  readonly effects: string[];
  /** What the next attempts at a text do; `done` when nothing is said. */
  readonly script: Map<string, Try[]>;
  /** Texts whose effect happens although the attempt fails. */
  readonly lostAnswers: Set<string>;
  /** What the machines take the time to be, and a clock that never steps, in milliseconds. */
  readonly clock: { now: Date; steady: number };
  /** The id that the next incident gets. */
  nextIncident: string;
}

/** A declaration finds an incident that is another one's. */
export class Taken extends Error {}

export function createWorld(): World {
  return {
    effects: [],
    script: new Map(),
    lostAnswers: new Set(),
    clock: { now: new Date('2026-03-02T14:00:00Z'), steady: 0 },
    nextIncident: '7',
  };
}

/** Time goes by. */
export function pass(world: World, ms: number): void {
  world.clock.now = new Date(world.clock.now.getTime() + ms);
  world.clock.steady += ms;
}

/** The keys of ends that were told, in that order. */
export function keysOf(ends: readonly LateEnd[]): string[] {
  return ends.map(({ kept }) => kept.row.key);
}

/** A way to a database for a process; while `state.isAway` none of its transactions is begun. */
export function awayWhile(state: { readonly isAway: boolean }): (database: Database) => Database {
  return database => ({
    ...database,
    withLock: (...turn) =>
      state.isAway ? Promise.reject(new Error('the database is away')) : database.withLock(...turn),
  });
}

/** A write that does as the world says. */
function toWrite(world: World) {
  return defineIntent({
    kind: 'test.write',
    payload: z.object({ text: z.string(), incidentID: z.string(), brings: z.string().optional() }),
    result: z.object({ text: z.string(), incidentID: z.string() }),
    run: async (_effects, { text, incidentID }) => {
      const next = world.script.get(text)?.shift() ?? 'done';
      if (next === 'done' || world.lostAnswers.delete(text)) world.effects.push(`${incidentID}: ${text}`);
      if (next instanceof Error) throw next;
      if (next !== 'done') await next;
      return { text, incidentID };
    },
    reconcile: async (_effects, { text, incidentID }) =>
      world.effects.includes(`${incidentID}: ${text}`) ? { text, incidentID } : undefined,
    aim: ({ text }) => `write ${text}`,
    done: ({ text }) => ({ text }),
    brings: (_result, { brings, incidentID }): Consequence[] =>
      brings ? [{ intent: toWrite(world) as IntentKind, payload: { text: brings, incidentID }, name: brings }] : [],
  });
}

/** The same, which brings nothing: several of a lane may be tried in one go. */
function toStep(world: World) {
  const { brings: _, ...step } = toWrite(world);
  return defineIntent({ ...step, kind: 'test.step' });
}

/** A write that brings an incident into being. */
function toDeclare(world: World) {
  return defineIntent({
    kind: 'test.declare',
    payload: z.object({ text: z.string() }),
    result: z.object({ incidentID: z.string() }),
    run: async (_effects, { text }) => {
      const next = world.script.get(text)?.shift() ?? 'done';
      if (next instanceof Taken) return { incidentID: next.message };
      if (next instanceof Error) throw next;
      world.effects.push(`declared: ${text}`);
      return { incidentID: world.nextIncident };
    },
    aim: ({ text }) => `declare ${text}`,
    done: () => ({ text: 'declared' }),
    registers: ({ incidentID }) => incidentID,
  });
}

/** A process with a journal on a database that others may have open too. */
export interface Process {
  readonly journal: Journal;
  readonly database: Database;
  /** What was told of what ended late. */
  readonly told: LateEnd[];
  write(
    key: string,
    text: string,
    more?: Partial<Submission<unknown>> & { brings?: string },
  ): ReturnType<Journal['submit']>;
  /** Submits what may be tried together with others of the same incident; the text is the key. */
  step(text: string): ReturnType<Journal['submit']>;
  declare(key: string, text: string): ReturnType<Journal['submit']>;
  rows(): Promise<BotTables['bot_intent'][]>;
  /** Takes up everything that waits, and waits until nothing is being tried. */
  catchUp(): Promise<void>;
}

export async function openFresh(): Promise<string> {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  return fresh.url;
}

/** `wrap`: how the journal gets to its database. */
export async function openProcess(
  url: string,
  world: World,
  wrap: (database: Database) => Database = database => database,
): Promise<Process> {
  const database = await openDatabase(url);
  await migrate(database, 'bot', botMigrations, world.clock.now);
  const write = toWrite(world);
  const step = toStep(world);
  const declare = toDeclare(world);
  const told: LateEnd[] = [];
  const journal = createJournal({
    database: wrap(database),
    api: createClient({ transport: () => Promise.reject(down) }),
    intents: [write, step, declare],
    deps: () => ({}) as Deps,
    budget: 2000,
    clock: () => world.clock.now,
    log: pino({ enabled: false }),
    random: () => 0,
    steady: () => world.clock.steady,
  });
  journal.onEnd(async ends => void told.push(...ends));
  onTestFinished(async () => {
    await journal.stop(0);
    await database[Symbol.asyncDispose]();
  });
  const terms = { renew: false, people: {}, ...alice, channelId: 'C1', threadTs: '', incidentID: '1' };
  return {
    journal,
    database,
    told,
    write: (key, text, { brings, ...more } = {}) => {
      const all = { ...terms, ...more, key };
      return journal.submit(write, {
        ...all,
        payload: { text, incidentID: all.incidentID, ...(brings ? { brings } : {}) },
      });
    },
    step: text => journal.submit(step, { ...terms, key: text, payload: { text, incidentID: '1' } }),
    declare: (key, text) => journal.submit(declare, { ...terms, key, incidentID: '', payload: { text } }),
    rows: () =>
      database.as<BotTables>().selectFrom('bot_intent').selectAll().orderBy('created_at').orderBy('seq').execute(),
    catchUp: async () => {
      await journal.wake();
      await journal.idle();
    },
  };
}
