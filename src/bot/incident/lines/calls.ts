import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { currentSubject, type JournalTables, laneLock } from '../../journal/rows.ts';
import { keepFor } from '../../keep-for.ts';
import { userOf } from '../../people/person.ts';
import type { CalledTable, CallTable } from '../../schema/calls.ts';
import type { IsFirst } from '../../schema/deliveries.ts';
import type { BotTables } from '../../schema/tables.ts';
import { mayCall } from '../state/call-chains.ts';
import { isAnswered, readCall, readCalls, type StoredCall } from '../state/call-store.ts';
import { countChange } from '../state/room-store.ts';
import { rewordCall } from './call-line.ts';
import { readKnownState } from './known-state.ts';

/** What somebody who was called answers. */
export type CallAnswer = Pick<CalledTable, 'answer' | 'minutes'>;

/** Somebody whom a call reaches now. */
export type NewCalled = Pick<CalledTable, 'user_id' | 'target' | 'answer' | 'minutes'> & { readonly isAsked: boolean };

/** What a target of a call comes to: the people of the first of its attempts. */
interface CallStep {
  readonly id: string;
  readonly incidentID: string;
  /** The place of the target; 0 for a person's call. */
  readonly step: number;
  readonly people: readonly NewCalled[];
  /** The intent that calls them: its line is that of the call, if the call has none. */
  readonly intent: string;
  /** Of a call by a person: who they are, and why they call. */
  readonly by?: { readonly caller: string; readonly why: string };
  /** The next target is due after so many minutes; absent: never. */
  readonly nextAfter?: number;
}

/** What becomes of an answer. `counts`: the last one of that person. `stranger`: they were not called. `over`: the incident ended. */
type Answered =
  | { readonly how: 'stored'; readonly incidentID: string; readonly counts: CallAnswer }
  | { readonly how: 'stranger' | 'over' | 'withdrawn' };

/** The calls of all incidents. */
export interface Calls {
  read(id: string): Promise<StoredCall | undefined>;
  /** The calls of an incident, oldest first. */
  ofIncident(incidentID: string): Promise<readonly StoredCall[]>;
  /** The chains whose next target is due, of incidents that have a room. */
  due(now: Date): Promise<readonly StoredCall[]>;
  /** Stores whom a target reaches, unless that is stored; returns the call with them. */
  begin(step: CallStep): Promise<StoredCall | undefined>;
  /** Somebody was asked in a direct message, which stands there. */
  asked(id: string, userId: string, message: Pick<CalledTable, 'channel' | 'ts'>): Promise<void>;
  /** Somebody answers. The last answer counts. */
  answer(id: string, userId: string, answer: CallAnswer, isFirst: IsFirst): Promise<Answered>;
  /** Those of these people who have not answered are there: they work on the incident. */
  seen(id: string, userIds: readonly string[]): Promise<void>;
  /** Somebody came into a channel on their own. Returns the incidents to which they were called. */
  joined(channelId: string, userId: string): Promise<readonly string[]>;
  /** The Slack ids of the people who have changed an incident since a moment, in epoch milliseconds. */
  actors(incidentID: string, since: number): Promise<ReadonlySet<string>>;
  /** A chain calls nobody more. */
  close(id: string, state: Exclude<CallTable['state'], 'open' | 'withdrawn'>): Promise<void>;
  /** Whether people may still be called to an incident without being asked for: it goes on, and is no drill. */
  isWanted(incidentID: string): Promise<boolean>;
  /** Takes a call back; false when somebody has answered it. */
  withdraw(id: string): Promise<boolean>;
  /** Deletes some old calls; returns how many. */
  purge(now: Date): Promise<number>;
}

/** Calls looked at, or deleted, together. */
const together = 100;

/** Opens the calls in the bot's database. */
export function openCalls(database: Database, clock: () => Date): Calls {
  const db = database.as<BotTables>();

  /** Changes a call under the lock of its incident's lines; undefined when there is no such call. */
  async function change<T>(
    id: string,
    work: (trx: Kysely<BotTables>, call: StoredCall, plain: Kysely<NoTables>) => Promise<T>,
  ): Promise<T | undefined> {
    const row = await db.selectFrom('bot_call').select('incident_id').where('id', '=', id).executeTakeFirst();
    if (row === undefined) return undefined;
    return await database.withLock<NoTables, T | undefined>(laneLock([row.incident_id]), async plain => {
      const trx = plain.withTables<BotTables>();
      const call = await readCall(trx, id);
      if (call === undefined) return undefined;
      const done = await work(trx, call, plain);
      await rewordCall(plain, id);
      await countChange(plain, call.incident_id);
      return done;
    });
  }

  const update = (trx: Kysely<BotTables>, id: string, set: Partial<CallTable>) =>
    trx.updateTable('bot_call').set(set).where('id', '=', id).execute();

  /** Stores an answer. A chain calls its next target at once where nobody comes and nobody may answer any more. */
  async function setAnswer(
    trx: Kysely<BotTables>,
    { id, people, chain, state }: StoredCall,
    userId: string,
    { answer, minutes }: CallAnswer,
  ): Promise<void> {
    const called = trx.updateTable('bot_called').set({ answer, minutes }).where('call_id', '=', id);
    await called.where('user_id', '=', userId).execute();
    if (chain === '' || state === 'over') return;
    const after = people.map(each => (each.user_id === userId ? { ...each, answer } : each));
    const isWaiting = after.some(each => each.answer === 'none');
    if (isAnswered({ people: after })) {
      if (state === 'ended') await update(trx, id, { state: 'answered' });
    } else if (state === 'answered' || (state === 'open' && !isWaiting)) {
      await update(trx, id, { state: 'open', next_at: clock().getTime() });
    }
  }

  return {
    read: id => readCall(db, id),
    ofIncident: incidentID => readCalls(db, rows => rows.where('call.incident_id', '=', incidentID)),
    actors: async (incidentID, since) => {
      const rows = await db
        .selectFrom('bot_intent')
        .select('owner')
        .distinct()
        .where('subject', '=', incidentID)
        .where('created_at', '>=', new Date(since).toISOString())
        .execute();
      return new Set(rows.map(each => userOf(each.owner)));
    },
    due: now =>
      readCalls(db, rows =>
        rows
          .where('call.state', '=', 'open')
          .where('call.next_at', '>', 0)
          .where('call.next_at', '<=', now.getTime())
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom('bot_room as room')
                .select('room.incident_id')
                .whereRef('room.incident_id', '=', 'call.incident_id')
                .where('room.channel_id', '!=', ''),
            ),
          )
          .limit(together),
      ),
    begin: async ({ id, incidentID, step, people, intent, by, nextAfter }) => {
      const now = clock().getTime();
      await database.withLock<NoTables, void>(laneLock([incidentID]), async plain => {
        const trx = plain.withTables<BotTables>();
        if (by !== undefined) {
          const incident_id = await currentSubject(plain.withTables<JournalTables>(), incidentID);
          const call: CallTable = {
            ...{ id, incident_id, chain: '', targets: '[]', step: -1, next_at: 0, state: 'open', ...by },
            ...{ line: intent, begun_at: now },
          };
          await trx
            .insertInto('bot_call')
            .values(call)
            .onConflict(conflict => conflict.column('id').doNothing())
            .execute();
        }
        const call = await readCall(trx, id);
        if (call === undefined || call.step >= step) return;
        const line = call.line === '' ? intent : call.line;
        await update(trx, id, { step, next_at: nextAfter === undefined ? 0 : now + nextAfter * 60_000, line });
        for (const [index, { isAsked, ...person }] of people.entries()) {
          const row: CalledTable = {
            ...{ call_id: id, seq: call.people.length + index, step, ...person },
            ...{ is_asked: isAsked ? 1 : 0, asked_at: now, channel: '', ts: '' },
          };
          await trx
            .insertInto('bot_called')
            .values(row)
            .onConflict(conflict => conflict.columns(['call_id', 'user_id']).doNothing())
            .execute();
        }
      });
      return await readCall(db, id);
    },
    asked: async (id, userId, message) => {
      await database.single<BotTables, unknown>(some =>
        some.updateTable('bot_called').set(message).where('call_id', '=', id).where('user_id', '=', userId).execute(),
      );
    },
    answer: async (id, userId, answer, isFirst) => {
      const answered = await change(id, async (trx, call, plain): Promise<Answered> => {
        const person = call.people.find(each => each.user_id === userId);
        if (person === undefined) return { how: 'stranger' };
        if (call.state === 'withdrawn') return { how: 'withdrawn' };
        if ((await readKnownState(trx, call.incident_id))?.status === 'resolved') return { how: 'over' };
        const isNew = await isFirst(plain);
        if (isNew) await setAnswer(trx, call, userId, answer);
        return { how: 'stored', incidentID: call.incident_id, counts: isNew ? answer : person };
      });
      return answered ?? { how: 'stranger' };
    },
    seen: async (id, userIds) => {
      for (const userId of userIds)
        await change(id, async (trx, call) => {
          const waits = call.people.some(each => each.user_id === userId && each.answer === 'none');
          if (waits) await setAnswer(trx, call, userId, { answer: 'there', minutes: 0 });
        });
    },
    joined: async (channelId, userId) => {
      const waiting = await db
        .selectFrom('bot_called as called')
        .innerJoin('bot_call as call', 'call.id', 'called.call_id')
        .innerJoin('bot_room as room', 'room.incident_id', 'call.incident_id')
        .select('call.id')
        .where('called.user_id', '=', userId)
        .where('called.answer', 'in', ['none', 'coming'])
        .where('call.state', 'not in', ['withdrawn', 'over'])
        .where('room.channel_id', '=', channelId)
        .execute();
      const incidents: string[] = [];
      for (const { id } of waiting)
        await change(id, async (trx, call) => {
          await setAnswer(trx, call, userId, { answer: 'there', minutes: 0 });
          incidents.push(call.incident_id);
        });
      return incidents;
    },
    close: async (id, state) => {
      await change(id, async (trx, call) => {
        if (call.state === 'open') await update(trx, id, { state, next_at: 0 });
      });
    },
    isWanted: async incidentID => {
      const known = await readKnownState(db, incidentID);
      return known === undefined || mayCall(known);
    },
    withdraw: async id => {
      const done = await change(id, async (trx, call) => {
        if (call.state === 'withdrawn') return true;
        if (call.people.some(each => each.is_asked === 1 && each.answer !== 'none')) return false;
        await update(trx, id, { state: 'withdrawn', next_at: 0 });
        return true;
      });
      return done ?? true;
    },
    purge: async now => {
      const before = now.getTime() - keepFor.calls;
      const old = await db.selectFrom('bot_call').select('id').where('begun_at', '<', before).limit(together).execute();
      if (old.length === 0) return 0;
      const ids = old.map(each => each.id);
      await database.single<BotTables, unknown>(some =>
        some.deleteFrom('bot_called').where('call_id', 'in', ids).execute(),
      );
      await database.single<BotTables, unknown>(some => some.deleteFrom('bot_call').where('id', 'in', ids).execute());
      return old.length;
    },
  };
}
