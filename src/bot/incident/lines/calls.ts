import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { currentSubject, type JournalTables, laneLock } from '../../journal/rows.ts';
import { keepFor } from '../../keep-for.ts';
import { userOf } from '../../people/person.ts';
import type { CalledTable, CallTable } from '../../schema/calls.ts';
import type { IsFirst } from '../../schema/deliveries.ts';
import type { PageTable } from '../../schema/pages-sent.ts';
import type { BotTables } from '../../schema/tables.ts';
import { type CallAnswer, isAnswered, mayCall, readCall, readCalls, type StoredCall } from '../state/call-store.ts';
import { countChange } from '../state/room-store.ts';
import { rewordCall } from './call-line.ts';
import { readKnownState } from './known-state.ts';

/*
 * The calls of people to incidents. Each call has one line in its room, which says who was called and who comes; every change of a call
 * rewords it. A chain calls its next target when no person of the last one comes in time.
 */

/** A person whom a call reaches now. `isAsked`: they get a direct message. */
export interface NewCalled extends CallAnswer {
  readonly user_id: string;
  readonly target: string;
  readonly isAsked: boolean;
}

/** One step of a call: the people of a target, as the first attempt to call it found them. */
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

/** How an answer is taken. `counts`: the last one of that person. `stranger`: they were not called. `over`: the incident ended. */
type AnswerResult =
  | { readonly how: 'stored'; readonly incidentID: string; readonly counts: CallAnswer }
  | { readonly how: 'stranger' | 'over' | 'withdrawn' };

/** People who were called and may come yet, with the room of the incident. */
function selectWaiting(db: Kysely<BotTables>) {
  return db
    .selectFrom('bot_called as called')
    .innerJoin('bot_call as call', 'call.id', 'called.call_id')
    .leftJoin('bot_room as room', 'room.incident_id', 'call.incident_id')
    .select(['call.id', 'call.incident_id', 'called.user_id', 'called.asked_at'])
    .select(['room.channel_id', 'room.channel_name', 'room.is_linked'])
    .where('called.answer', 'in', ['none', 'coming'])
    .where('call.state', 'not in', ['withdrawn', 'over']);
}

/** People at work who are remembered until the next look. */
const mostNoted = 5000;
/** The calls with a question that stands although their incident is over. */
const findOver = definePrepared<BotTables, { id: string }, { id: string }>((db, { id }) =>
  db
    .selectFrom('bot_called as called')
    .innerJoin('bot_call as call', 'call.id', 'called.call_id')
    .innerJoin('bot_known_state as known', 'known.incident_id', 'call.incident_id')
    .select('call.id')
    .distinct()
    .where('called.ts', '<>', sql.lit(''))
    .where('called.is_over', '=', sql.lit(0))
    .where('call.state', '!=', sql.lit('withdrawn' as const))
    .where('known.state', 'like', sql.lit('%"status":"resolved"%'))
    .where(({ or, eb }) => or([eb('call.id', '=', id), eb(id, '=', sql.lit(''))]))
    .limit(sql.lit(together)),
);

/** Calls looked at, or deleted, together. */
const together = 100;

/** The calls of all incidents, in the bot's database. */
export class Calls {
  readonly #database: Database;
  readonly #db: Kysely<BotTables>;
  readonly #clock: () => Date;
  /** People who acted or wrote since the last look, with when they did so last (epoch milliseconds). */
  readonly #noted = new Map<string, { userId: string; incidentID?: string; channelId?: string; at: number }>();

  constructor(database: Database, clock: () => Date) {
    this.#database = database;
    this.#db = database.as<BotTables>();
    this.#clock = clock;
  }

  read(id: string): Promise<StoredCall | undefined> {
    return readCall(this.#db, id);
  }

  /** The calls of an incident, oldest first. */
  ofIncident(incidentID: string): Promise<readonly StoredCall[]> {
    return readCalls(this.#db, rows => rows.where('call.incident_id', '=', incidentID));
  }

  /** The Slack ids of the people who have changed an incident since a moment, in epoch milliseconds. */
  async actors(incidentID: string, since: number): Promise<ReadonlySet<string>> {
    const rows = await this.#db
      .selectFrom('bot_intent')
      .select('owner')
      .distinct()
      .where('subject', '=', incidentID)
      .where('created_at', '>=', new Date(since).toISOString())
      .execute();
    return new Set(rows.map(each => userOf(each.owner)));
  }

  /** The chains whose next target is due, of incidents that have a room. */
  due(now: Date): Promise<readonly StoredCall[]> {
    return readCalls(this.#db, rows =>
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
    );
  }

  /** The calls whose people are to read that the incident is over, or that one of them. */
  async over(id = ''): Promise<readonly StoredCall[]> {
    const ids = (await findOver(this.#db, { id })).map(each => each.id);
    return ids.length === 0 ? [] : readCalls(this.#db, rows => rows.where('call.id', 'in', ids));
  }

  /** Stores the people whom a target reaches, unless they are stored; returns the call with them. */
  async begin({ id, incidentID, step, people, intent, by, nextAfter }: CallStep): Promise<StoredCall | undefined> {
    const now = this.#clock().getTime();
    await this.#database.withLock<NoTables, void>(laneLock([incidentID]), async plain => {
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
          ...{ is_asked: isAsked ? 1 : 0, asked_at: now, channel: '', ts: '', is_over: 0 },
        };
        await trx
          .insertInto('bot_called')
          .values(row)
          .onConflict(conflict => conflict.columns(['call_id', 'user_id']).doNothing())
          .execute();
      }
    });
    return await readCall(this.#db, id);
  }

  /** Stores the direct message in which a person was asked, or that it says that the incident is over. */
  async asked(id: string, userId: string, set: Pick<CalledTable, 'channel' | 'ts'> | { is_over: 1 }): Promise<void> {
    await this.#database.single<BotTables, unknown>(some =>
      some.updateTable('bot_called').set(set).where('call_id', '=', id).where('user_id', '=', userId).execute(),
    );
  }

  /** Stores the answer of a person. Their last answer counts, for each call to the incident that reached them. */
  async answer(id: string, userId: string, answer: CallAnswer, isFirst: IsFirst): Promise<AnswerResult> {
    const result = await this.#change(id, async (trx, call, plain): Promise<AnswerResult> => {
      const person = call.people.find(each => each.user_id === userId);
      if (person === undefined) return { how: 'stranger' };
      if (call.state === 'withdrawn') return { how: 'withdrawn' };
      if ((await readKnownState(trx, call.incident_id))?.status === 'resolved') return { how: 'over' };
      const isNew = await isFirst(plain);
      if (isNew)
        for (const each of await readCalls(trx, rows => rows.where('call.incident_id', '=', call.incident_id)))
          if (each.state !== 'withdrawn' && each.people.some(other => other.user_id === userId)) {
            await this.#setAnswer(trx, each, userId, answer);
            await rewordCall(plain, each.id);
          }
      return { how: 'stored', incidentID: call.incident_id, counts: isNew ? answer : person };
    });
    return result ?? { how: 'stranger' };
  }

  /** These people work on the incident of a call, so they are there, unless they cannot come. */
  async seen(id: string, userIds: readonly string[]): Promise<void> {
    for (const userId of userIds)
      await this.#change(id, async (trx, call) => {
        const comes = call.people.find(each => each.user_id === userId)?.answer;
        if (comes === 'none' || comes === 'coming')
          await this.#setAnswer(trx, call, userId, { answer: 'there', minutes: 0 });
      });
  }

  /** A person came into a channel on their own: who was called to its incidents is there. Returns these incidents. */
  async joined(channelId: string, userId: string): Promise<readonly string[]> {
    return await this.#arrive([userId], each => each.channel_id === channelId);
  }

  /**
   * A person acts on an incident, or writes in a channel. The next {@link arrivals} take it. A process that dies before forgets it, as it
   * forgets all when they are too many: the next act counts too.
   */
  noteThere(userId: string, where: { readonly incidentID?: string; readonly channelId?: string }): void {
    if (this.#noted.size >= mostNoted) this.#noted.clear();
    this.#noted.set(JSON.stringify([userId, where]), { userId, ...where, at: this.#clock().getTime() });
  }

  /** Who was called and was noted since is there. Returns the incidents. */
  async arrivals(): Promise<readonly string[]> {
    if (this.#noted.size === 0) return [];
    const noted = [...this.#noted.values()];
    this.#noted.clear();
    const users = [...new Set(noted.map(each => each.userId))];
    return await this.#arrive(users, ({ user_id, asked_at, incident_id, channel_id, channel_name, is_linked }) =>
      noted.some(({ userId, at, incidentID, channelId }) => {
        // In a channel that was not made for the incident, people write for other reasons.
        const isTalk = channelId === channel_id && channel_name !== '' && is_linked === 0;
        return userId === user_id && at > asked_at && (incidentID === incident_id || isTalk);
      }),
    );
  }

  /** People who were called and may come yet are there where `isThere` says so. Returns the incidents of these calls. */
  async #arrive(
    users: readonly string[],
    isThere: (called: Awaited<ReturnType<ReturnType<typeof selectWaiting>['execute']>>[number]) => boolean,
  ): Promise<readonly string[]> {
    const waiting = await selectWaiting(this.#db).where('called.user_id', 'in', users).execute();
    const there = waiting.filter(isThere);
    for (const { id, user_id } of there) await this.seen(id, [user_id]);
    return there.map(each => each.incident_id);
  }

  /** Ends a chain: it calls no further people. */
  async close(id: string, state: Exclude<CallTable['state'], 'open' | 'withdrawn'>): Promise<void> {
    await this.#change(id, async (trx, call) => {
      if (call.state === 'open') await update(trx, id, { state, next_at: 0 });
    });
  }

  /** Whether people may still be called to an incident without being asked for: it goes on, and is no drill. */
  async isWanted(incidentID: string): Promise<boolean> {
    const known = await readKnownState(this.#db, incidentID);
    return known === undefined || mayCall(known);
  }

  /** Takes a call back; false when a person has answered it. */
  async withdraw(id: string): Promise<boolean> {
    const done = await this.#change(id, async (trx, call) => {
      if (call.state === 'withdrawn') return true;
      if (call.people.some(each => each.is_asked === 1 && each.answer !== 'none')) return false;
      await update(trx, id, { state: 'withdrawn', next_at: 0 });
      return true;
    });
    return done ?? true;
  }

  /** Deletes some old calls; returns how many. */
  async purge(now: Date): Promise<number> {
    const calls = this.#db
      .selectFrom('bot_call')
      .select('id')
      .where('begun_at', '<', now.getTime() - keepFor.calls);
    const ids = (await calls.limit(together).execute()).map(each => each.id);
    if (ids.length === 0) return 0;
    await this.#database.single<BotTables, unknown>(some =>
      some.deleteFrom('bot_called').where('call_id', 'in', ids).execute(),
    );
    await this.#database.single<BotTables, unknown>(some =>
      some.deleteFrom('bot_call').where('id', 'in', ids).execute(),
    );
    return ids.length;
  }

  /** Changes a call under the lock of its incident's lines; undefined when there is no such call. */
  async #change<T>(
    id: string,
    work: (trx: Kysely<BotTables>, call: StoredCall, plain: Kysely<NoTables>) => Promise<T>,
  ): Promise<T | undefined> {
    const row = await this.#db.selectFrom('bot_call').select('incident_id').where('id', '=', id).executeTakeFirst();
    if (row === undefined) return undefined;
    return await this.#database.withLock<NoTables, T | undefined>(laneLock([row.incident_id]), async plain => {
      const trx = plain.withTables<BotTables>();
      const call = await readCall(trx, id);
      if (call === undefined) return undefined;
      const done = await work(trx, call, plain);
      await rewordCall(plain, id);
      await countChange(plain, call.incident_id);
      return done;
    });
  }

  /** Stores an answer. A chain calls its next target at once where nobody comes and nobody is left to answer. */
  async #setAnswer(
    trx: Kysely<BotTables>,
    { id, people, chain, state }: StoredCall,
    userId: string,
    { answer, minutes }: CallAnswer,
  ): Promise<void> {
    // An answer to a question that stands again brings its buttons back.
    const called = trx.updateTable('bot_called').set({ answer, minutes, is_over: 0 }).where('call_id', '=', id);
    await called.where('user_id', '=', userId).execute();
    if (chain === '' || state === 'over') return;
    const after = people.map(each => (each.user_id === userId ? { ...each, answer } : each));
    if (isAnswered(after)) {
      if (state === 'ended') await update(trx, id, { state: 'answered' });
    } else if (state === 'answered' || (state === 'open' && after.every(each => each.answer !== 'none'))) {
      await update(trx, id, { state: 'open', next_at: this.#clock().getTime() });
    }
  }
}

/**
 * A page of an incident is taken by a person, or is not any more: then the chains that it had ended go on, and call their next target at
 * `nextAt` (epoch milliseconds). Called under the lock of the incident's lines.
 */
export async function followPage(
  plain: Kysely<NoTables>,
  { incident_id, asked_at }: PageTable,
  { isTaken, nextAt }: { readonly isTaken: boolean; readonly nextAt: number },
): Promise<void> {
  const trx = plain.withTables<BotTables>();
  const chains = await readCalls(trx, rows =>
    rows
      .where('call.incident_id', '=', incident_id)
      .where('call.chain', '!=', '')
      .where('call.begun_at', '<=', asked_at)
      .where('call.state', '=', isTaken ? 'ended' : 'answered'),
  );
  for (const { id } of chains.filter(each => !isAnswered(each.people))) {
    await update(trx, id, isTaken ? { state: 'answered' } : { state: 'open', next_at: nextAt });
    await rewordCall(plain, id);
  }
}

async function update(trx: Kysely<BotTables>, id: string, set: Partial<CallTable>): Promise<void> {
  await trx.updateTable('bot_call').set(set).where('id', '=', id).execute();
}
