import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { Duties, Duty, ReminderTarget } from '../incident/acts/duties.ts';
import { addLine, closeLine, type NewLine } from '../incident/lines/outbox.ts';
import { countChange } from '../incident/state/room-store.ts';
import { laneLock } from '../journal/rows.ts';
import { keepFor } from '../keep-for.ts';
import type { IsFirst } from '../schema/deliveries.ts';
import type { BotTables } from '../schema/tables.ts';
import type { Standing as Place } from '../slack/post-once.ts';
import { changesOf, type Decision, type RequiredDuty } from './rules.ts';

/** Duties looked at together, and rows deleted together. */
const together = 50;
const purgedTogether = 500;

/** States of a duty that is still owed. */
export const standing = ['owed', 'stopped'] as const;

/** The line in the room that is a reminder. */
function lineOf({ id, said }: Pick<Duty, 'id' | 'said'>): string {
  return `duty/${id}/${said}`;
}

/** The duties in the bot's database. All that is stored of an incident changes under its lane's lock, with the lines about it. */
export class DutyStore {
  readonly #database: Database;
  readonly #clock: () => Date;

  constructor(deps: { readonly database: Database; readonly clock: () => Date }) {
    this.#database = deps.database;
    this.#clock = deps.clock;
  }

  get #db(): Kysely<BotTables> {
    return this.#database.as<BotTables>();
  }

  #now(): number {
    return this.#clock().getTime();
  }

  #locked<T>(incidentID: string, work: (trx: Kysely<BotTables>, plain: Kysely<NoTables>) => Promise<T>): Promise<T> {
    return this.#database.withLock<NoTables, T>(laneLock([incidentID]), plain =>
      work(plain.withTables<BotTables>(), plain),
    );
  }

  async #single(id: string, set: Partial<Duty>): Promise<void> {
    await this.#database.single<BotTables, unknown>(some =>
      some.updateTable('bot_duty').set(set).where('id', '=', id).execute(),
    );
  }

  async find(id: string): Promise<Duty | undefined> {
    return await this.#db.selectFrom('bot_duty').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async ofIncident(incidentID: string): Promise<readonly Duty[]> {
    return await standingOf(this.#db, incidentID);
  }

  /** Incidents with a duty that is due. */
  async due(): Promise<readonly string[]> {
    const rows = await findDue(this.#db, { now: this.#now() });
    return [...new Set(rows.map(row => row.incident_id))];
  }

  /** The duties of an incident that are due. */
  async dueOf(incidentID: string): Promise<readonly Duty[]> {
    return await this.#db
      .selectFrom('bot_duty')
      .selectAll()
      .where('incident_id', '=', incidentID)
      .where('look_at', '>', 0)
      .where('look_at', '<=', this.#now())
      .execute();
  }

  /**
   * Stores the duties that an incident should have. `settled` are the words of a line in the room whose duty is done. Returns whether the
   * room must be shown again.
   */
  async follow(
    incidentID: string,
    owed: (known: readonly Duty[]) => readonly RequiredDuty[],
    settled: (duty: Duty) => string,
  ): Promise<boolean> {
    const before = await standingOf(this.#db, incidentID);
    if (changesOf(before, owed(before)).length === 0) return false;
    return await this.#locked(incidentID, async (trx, plain) => {
      const known = await standingOf(trx, incidentID);
      const now = this.#now();
      let isShown = false;
      for (const change of changesOf(known, owed(known))) {
        if (change.what === 'begin') {
          const { owed: begun, talkedAt, lookAt, state } = change;
          await trx
            .insertInto('bot_duty')
            .values({
              ...{ id: randomUUID(), incident_id: incidentID, ...begun, state },
              ...{ step: 0, said: 0, snoozed_until: 0, look_at: Math.round(lookAt), talked_at: talkedAt },
              ...{ channel: '', ts: '', changed_at: now },
            })
            .execute();
        } else if (change.what === 'move') {
          const { id, since, due, lookAt } = change;
          const set = { since, due, look_at: Math.round(lookAt), changed_at: now };
          await trx.updateTable('bot_duty').set(set).where('id', '=', id).execute();
        } else {
          const duty = known.find(each => each.id === change.id);
          if (duty !== undefined && (await settle(trx, plain, duty, settled(duty), now))) isShown = true;
        }
      }
      if (isShown) await countChange(plain, incidentID);
      return isShown;
    });
  }

  /** The room reads a reminder, unless it has read this one, or nothing is owed any more. */
  async sayInRoom(duty: Duty, decision: Decision, line: Omit<NewLine, 'id'>): Promise<void> {
    await this.#locked(duty.incident_id, async (trx, plain) => {
      if (!(await this.#noteSaid(trx, duty, decision))) return;
      // Only the last reminder of a duty has buttons.
      const last = lineOf({ id: duty.id, said: duty.said - 1 });
      await trx.updateTable('bot_line').set({ offers: '', is_said: 0 }).where('id', '=', last).execute();
      await addLine(plain, { ...line, id: lineOf(duty) });
      await countChange(plain, duty.incident_id);
    });
  }

  /** The reminder to a person is on its way. */
  async saidAlone(duty: Duty, decision: Decision): Promise<void> {
    await this.#locked(duty.incident_id, trx => this.#noteSaid(trx, duty, decision));
  }

  async #noteSaid(trx: Kysely<BotTables>, { id, said }: Duty, { step, lookAt }: Decision): Promise<boolean> {
    const { numUpdatedRows } = await trx
      .updateTable('bot_duty')
      .set({ said: said + 1, step, look_at: Math.round(lookAt), snoozed_until: 0, changed_at: this.#now() })
      .where('id', '=', id)
      .where('said', '=', said)
      .where('state', '=', 'owed')
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Reminds of a duty at a time, in place of a reminder that was not sent. */
  async wait({ id, said }: Duty, until: number): Promise<void> {
    const set = { snoozed_until: until, look_at: until };
    await this.#database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_duty')
        .set(set)
        .where('id', '=', id)
        .where('said', '=', said)
        .where('state', '=', 'owed')
        .execute(),
    );
  }

  /** Looks at a duty at another time, unless it was changed meanwhile. */
  async postpone({ id, look_at }: Duty, lookAt: number): Promise<void> {
    await this.#database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_duty')
        .set({ look_at: Math.round(lookAt) })
        .where('id', '=', id)
        .where('look_at', '=', look_at)
        .execute(),
    );
  }

  /** Stores the message of the last reminder to a person. A duty that was settled meanwhile says so there. */
  async shown(id: string, { channel, ts }: Place): Promise<void> {
    await this.#single(id, { channel, ts });
    await this.#database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_duty')
        .set({ state: 'settled', look_at: this.#now() })
        .where('id', '=', id)
        .where('state', 'in', ['settled', 'over'])
        .execute(),
    );
  }

  /** The last message of a duty that is done says so. */
  async over(id: string): Promise<void> {
    await this.#single(id, { state: 'over', look_at: 0, changed_at: this.#now() });
  }

  /** Puts the reminders of a duty off, or stops them; `mark` is what its line in the room then says below. */
  async putOff(
    { incidentID, kind, about, audience }: ReminderTarget,
    {
      by,
      until,
      mark,
      isFirst,
    }: { readonly by: string; readonly until: Date | undefined; readonly mark: string; readonly isFirst: IsFirst },
  ): ReturnType<Duties['putOff']> {
    return await this.#locked(incidentID, async (trx, plain) => {
      const isTheirs = (each: Duty) =>
        each.kind === kind &&
        (audience === 'room' ? each.audience === 'room' : each.user_id === by && each.about === about);
      const duty = (await standingOf(trx, incidentID)).find(isTheirs);
      if (duty === undefined) return undefined;
      if (!(await isFirst(plain)))
        return {
          until: duty.state === 'stopped' || duty.snoozed_until === 0 ? undefined : new Date(duty.snoozed_until),
        };
      const at = until?.getTime() ?? 0;
      const state = until === undefined ? 'stopped' : 'owed';
      const set = { state, snoozed_until: at, look_at: at, changed_at: this.#now() } as const;
      await trx.updateTable('bot_duty').set(set).where('id', '=', duty.id).execute();
      if (audience === 'owner') return { until };
      const id = lineOf({ id: duty.id, said: duty.said - 1 });
      const line = await trx.selectFrom('bot_line').select('words').where('id', '=', id).executeTakeFirst();
      const [words = ''] = (line?.words ?? '').split('\n');
      if (line) await closeLine(plain, id, `${words}\n${mark}`, until === undefined ? '' : undefined);
      await countChange(plain, incidentID);
      return { until };
    });
  }

  /** Deletes some of the duties that were settled long ago; returns how many. */
  async purge(now: Date): Promise<number> {
    const old = this.#db
      .selectFrom('bot_duty')
      .select('id')
      .where('state', '=', sql.lit('over' as const))
      .where('changed_at', '<', now.getTime() - keepFor.duties);
    const ids = (await old.limit(purgedTogether).execute()).map(row => row.id);
    if (ids.length > 0)
      await this.#database.single<BotTables, unknown>(some =>
        some.deleteFrom('bot_duty').where('id', 'in', ids).execute(),
      );
    return ids.length;
  }
}

const findDue = definePrepared<BotTables, { now: number }, { incident_id: string }>((db, { now }) =>
  db
    .selectFrom('bot_duty')
    .select('incident_id')
    .where('look_at', '>', sql.lit(0))
    .where('look_at', '<=', now)
    .orderBy('look_at')
    .limit(sql.lit(together)),
);

/** The duties of an incident, in the order of the next look. */
async function standingOf(db: Kysely<BotTables>, incidentID: string): Promise<readonly Duty[]> {
  return await findStanding(db, { incidentID, states: standing });
}

const findStanding = definePrepared<BotTables, { incidentID: string; states: readonly Duty['state'][] }, Duty>(
  (db, { incidentID, states }) =>
    db
      .selectFrom('bot_duty')
      .selectAll()
      .where('incident_id', '=', incidentID)
      .where('state', 'in', states)
      .orderBy('look_at')
      .orderBy('id'),
);

/** Ends a duty. Its last reminder says so: a line now, a direct message with the next look. True where the room must be shown it. */
async function settle(
  trx: Kysely<BotTables>,
  plain: Kysely<NoTables>,
  duty: Duty,
  words: string,
  now: number,
): Promise<boolean> {
  const isToBeEdited = duty.audience === 'owner' && duty.said > 0;
  const ended = isToBeEdited ? ({ state: 'settled', look_at: now } as const) : ({ state: 'over', look_at: 0 } as const);
  await trx
    .updateTable('bot_duty')
    .set({ ...ended, changed_at: now })
    .where('id', '=', duty.id)
    .execute();
  if (duty.audience === 'owner' || duty.said === 0) return false;
  await closeLine(plain, lineOf({ id: duty.id, said: duty.said - 1 }), words, '');
  return true;
}
