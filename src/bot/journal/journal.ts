import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Api } from '../../contract/contract.ts';
import type { CallOptions, People } from '../../contract/define.ts';
import { type ErrorCode, errorCodes, RpcError } from '../../contract/errors.ts';
import type { MemoryTables } from '../memory/tables.ts';
import type { IntentKind, Outcome } from './intent.ts';

/** Who wants something, where, and the key under which it happens once. */
export interface Submission<P> {
  /** The same key never takes effect twice. Derived from what the person did: their command, press, form or message. */
  readonly key: string;
  /** When it was refused before under that key, it is tried anew, as submitted now; otherwise the refusal stands. */
  readonly renew: boolean;
  readonly payload: P;
  readonly people: People;
  readonly teamId: string;
  readonly userId: string;
  readonly channelId: string;
  readonly incidentID: string;
}

/** An intent as it lies in the journal. */
export interface Stored {
  readonly intent: IntentKind;
  readonly payload: unknown;
  readonly incidentID: string;
}

/** Every write of the bot goes through here: it is stored, tried, and its outcome recorded. */
export interface Journal {
  /**
   * Stores the intent and tries it. A key that was done before yields the same outcome again, marked `repeated`; one that a
   * stop of the process left in the middle yields a refusal that says so, and waits for {@link retry}.
   */
  submit<P, R>(intent: IntentKind<P, R>, submission: Submission<P>): Promise<Outcome<R>>;
  /** Tries a refused intent again; undefined when there is none of that id by that person. A done one is not repeated. */
  retry(id: string, by: { teamId: string; userId: string }): Promise<Outcome<unknown> | undefined>;
  /** A stored intent as it was submitted; undefined when there is none of that id by that person. */
  find(id: string, by: { teamId: string; userId: string }): Promise<Stored | undefined>;
  /** How many intents are in each state, and since when the oldest one is there. */
  census(): Promise<readonly { state: string; count: number; since: string }[]>;
  /** Resolves when nothing is being tried any more. */
  idle(): Promise<void>;
}

const StoredError = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional(),
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
  maybeApplied: z.boolean(),
});

/** How long each call of an intent may take however late it comes, in milliseconds. */
const leastBudget = 1000;

/** What is said of an intent that a stop of the process left in the middle. */
const interrupted = new RpcError('canceled', 'Muster was stopped in the middle of it.', { maybeApplied: true });

/** Opens the journal over the bot's database for the given kinds of intent. */
export function createJournal(deps: {
  db: Kysely<MemoryTables>;
  api: Api;
  intents: readonly IntentKind[];
  /** Milliseconds that the calls of one intent may take together. */
  budget: number;
  clock: () => Date;
  log: Logger;
}): Journal {
  const kinds = new Map(deps.intents.map(intent => [intent.kind, intent]));
  const running = new Map<string, Promise<Outcome<unknown>>>();

  /** One attempt per key at a time: whoever comes second waits for the first one's outcome. */
  function once(key: string, attempt: () => Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
    const already = running.get(key);
    if (already) return already.then(outcome => ({ ...outcome, repeated: true }));
    const begun = attempt().finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  }

  /** The intent of that key, stored now (`isNew`) or before. */
  async function store(intent: IntentKind, submission: Submission<unknown>) {
    const now = deps.clock().toISOString();
    const row: MemoryTables['bot_intent'] = {
      key: submission.key,
      id: randomUUID(),
      kind: intent.kind,
      payload: JSON.stringify(intent.payload.parse(submission.payload)),
      people: JSON.stringify(submission.people),
      team_id: submission.teamId,
      user_id: submission.userId,
      channel_id: submission.channelId,
      incident_id: submission.incidentID,
      state: 'trying',
      attempts: 0,
      outcome: '',
      created_at: now,
      changed_at: now,
    };
    await deps.db
      .insertInto('bot_intent')
      .values(row)
      .onConflict(conflict => conflict.column('key').doNothing())
      .execute();
    const stored = await ofKey(row.key);
    return { row: stored, isNew: stored.id === row.id };
  }

  function ofKey(key: string): Promise<MemoryTables['bot_intent']> {
    return deps.db.selectFrom('bot_intent').selectAll().where('key', '=', key).executeTakeFirstOrThrow();
  }

  /** Marks an intent as being tried again, so that a stop in the middle does not leave the old outcome standing. */
  async function begin(row: MemoryTables['bot_intent']): Promise<MemoryTables['bot_intent']> {
    const news = { state: 'trying', changed_at: deps.clock().toISOString() };
    await deps.db.updateTable('bot_intent').set(news).where('key', '=', row.key).execute();
    return { ...row, ...news };
  }

  async function renew(row: MemoryTables['bot_intent'], intent: IntentKind, submission: Submission<unknown>) {
    const news = {
      payload: JSON.stringify(intent.payload.parse(submission.payload)),
      people: JSON.stringify(submission.people),
      team_id: submission.teamId,
      user_id: submission.userId,
      channel_id: submission.channelId,
      state: 'trying',
      changed_at: deps.clock().toISOString(),
    };
    await deps.db.updateTable('bot_intent').set(news).where('key', '=', row.key).execute();
    return { ...row, ...news };
  }

  async function attempt(row: MemoryTables['bot_intent']): Promise<Outcome<unknown>> {
    const intent = kinds.get(row.kind);
    if (!intent) throw new Error(`The journal holds an intent of the unknown kind "${row.kind}"`);
    const log = deps.log.child({ intent: row.id, kind: row.kind, incident: row.incident_id });
    try {
      const payload = intent.payload.parse(JSON.parse(row.payload));
      const call = toCall(JSON.parse(row.people), deps.budget);
      const result = await intent.run({ api: deps.api, call, tried: row.attempts, log }, payload);
      await settle(row, 'done', result);
      log.info('intent done');
      return { state: 'done', id: row.id, result, repeated: false };
    } catch (error) {
      if (!(error instanceof RpcError)) {
        const broken = new RpcError('internal', 'Muster itself failed', { maybeApplied: true });
        await settle(row, 'refused', toStored(broken));
        throw error;
      }
      await settle(row, 'refused', toStored(error));
      log.warn({ err: error }, 'intent refused');
      return { state: 'refused', id: row.id, error, repeated: false };
    }
  }

  async function settle(row: MemoryTables['bot_intent'], state: 'done' | 'refused', outcome: unknown): Promise<void> {
    const news = { state, attempts: row.attempts + 1, outcome: JSON.stringify(outcome) };
    const changed_at = deps.clock().toISOString();
    await deps.db
      .updateTable('bot_intent')
      .set({ ...news, changed_at })
      .where('key', '=', row.key)
      .execute();
  }

  function ofPerson(id: string, by: { teamId: string; userId: string }) {
    return deps.db
      .selectFrom('bot_intent')
      .selectAll()
      .where('id', '=', id)
      .where('team_id', '=', by.teamId)
      .where('user_id', '=', by.userId)
      .executeTakeFirst();
  }

  /** What became of an intent before; one that was being tried when the process stopped is not blindly repeated. */
  async function recall(row: MemoryTables['bot_intent']): Promise<Outcome<unknown>> {
    if (row.state === 'done') {
      const result = kinds.get(row.kind)?.result.parse(JSON.parse(row.outcome));
      return { state: 'done', id: row.id, result, repeated: true };
    }
    if (row.state === 'refused') {
      return { state: 'refused', id: row.id, error: fromStored(row.outcome), repeated: true };
    }
    await settle(row, 'refused', toStored(interrupted));
    return { state: 'refused', id: row.id, error: interrupted, repeated: true };
  }

  return {
    submit: async <P, R>(intent: IntentKind<P, R>, submission: Submission<P>): Promise<Outcome<R>> => {
      const outcome = await once(submission.key, async () => {
        const { row, isNew } = await store(intent as IntentKind, submission);
        if (isNew) return attempt(row);
        if (row.state === 'refused' && submission.renew)
          return attempt(await renew(row, intent as IntentKind, submission));
        return recall(row);
      });
      return outcome as Outcome<R>;
    },
    retry: async (id, by) => {
      const found = await ofPerson(id, by);
      if (!found) return undefined;
      return once(found.key, async () => {
        // Read again: another press may have been carried out meanwhile.
        const row = await ofKey(found.key);
        return row.state === 'refused' ? attempt(await begin(row)) : recall(row);
      });
    },
    find: async (id, by) => {
      const row = await ofPerson(id, by);
      const intent = row && kinds.get(row.kind);
      return intent && { intent, payload: intent.payload.parse(JSON.parse(row.payload)), incidentID: row.incident_id };
    },
    census: async () => {
      const rows = await deps.db
        .selectFrom('bot_intent')
        .select(({ fn }) => ['state', fn.countAll().as('count'), fn.min('changed_at').as('since')])
        .groupBy('state')
        .execute();
      return rows.map(row => ({ state: row.state, count: Number(row.count), since: row.since }));
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
}

/** How an intent's calls are made: whoever waits is answered in bounded time, whatever the API does. */
function toCall(people: People, budget: number): CallOptions {
  const deadline = performance.now() + budget;
  return {
    people,
    get budget() {
      return Math.max(leastBudget, deadline - performance.now());
    },
  };
}

function toStored(error: RpcError): z.output<typeof StoredError> {
  return {
    code: error.code,
    message: error.message,
    retryable: error.retryable,
    maybeApplied: error.maybeApplied,
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}

function fromStored(json: string): RpcError {
  const stored = StoredError.parse(JSON.parse(json));
  const code = stored.code in errorCodes ? (stored.code as ErrorCode) : 'internal';
  return new RpcError(code, stored.message, {
    maybeApplied: stored.maybeApplied,
    ...(stored.retryable === undefined ? {} : { retryable: stored.retryable }),
    ...(stored.reason === undefined ? {} : { reason: stored.reason }),
    ...(stored.hint === undefined ? {} : { hint: stored.hint }),
  });
}
