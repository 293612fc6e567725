import { randomUUID } from 'node:crypto';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { Duties, Duty, ReminderTarget } from '../incident/acts/duties.ts';
import { addLine, closeLine, type NewLine, reminderLine } from '../incident/lines/outbox.ts';
import { countChange } from '../incident/state/room-store.ts';
import { laneLock } from '../journal/rows.ts';
import { keepFor } from '../keep-for.ts';
import type { IsFirst } from '../schema/deliveries.ts';
import type { BotTables } from '../schema/tables.ts';
import type { Standing as Place } from '../slack/post-once.ts';
import { signs } from '../text/signs.ts';
import { changesOf, type Decision, dutyTimes, type RequiredDuty } from './rules.ts';

/** Duties looked at together, and rows deleted together. */
const together = 50;
const purgedTogether = 500;

/** States of a duty that is still owed. */
const standing = ['owed', 'stopped'] as const;

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
              ...{ channel: '', ts: '', passed_to: '', changed_at: now },
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

  /**
   * Gives a reminder to the room, or to the readers of the announcement. Nothing happens where they have this one, or nothing is owed any more.
   * The readers get each step once, however often the room does not take it.
   */
  async say(duty: Duty, decision: Decision, line: Omit<NewLine, 'id'>): Promise<void> {
    await this.#locked(duty.incident_id, async (trx, plain) => {
      if (!(await this.#noteSaid(trx, duty, decision))) return;
      const id = line.place
        ? `${reminderLine.write(duty.id, decision.step)}/${line.place}`
        : reminderLine.write(duty.id, duty.said);
      // Only the last reminder of a duty has buttons.
      for (const each of await standingLines(trx, duty))
        if (each.id !== id && each.offers !== '')
          await trx.updateTable('bot_line').set({ offers: '', is_said: 0 }).where('id', '=', each.id).execute();
      await addLine(plain, { ...line, id });
      await countChange(plain, duty.incident_id);
    });
  }

  /** Slack takes no message with the reminder to a person: the room is reminded at once. */
  async pass({ id }: Duty): Promise<void> {
    await this.#single(id, { passed_to: 'room', snoozed_until: this.#now(), look_at: this.#now() });
  }

  /** A channel takes posts again. Its incidents’ rooms are reminded once of what they could not read, unless that is long ago. */
  async reopened(teamId: string, channelId: string): Promise<void> {
    const now = this.#now();
    await this.#database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_duty')
        .set({
          passed_to: 'room',
          snoozed_until: sql`case when due > ${now - dutyTimes.latest} then ${now} else snoozed_until end`,
          look_at: sql`case when due > ${now - dutyTimes.latest} then ${now} else look_at end`,
        })
        .where('passed_to', '=', 'readers')
        .where('state', '=', 'owed')
        .where('incident_id', 'in', ({ selectFrom }) => incidentsIn(selectFrom('bot_room'), teamId, channelId))
        .execute(),
    );
  }

  /** People talked in a channel: that ends a silence. */
  async talked(teamId: string, channelId: string, at: number): Promise<void> {
    await this.#database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_duty')
        .set(({ eb, ref }) => ({
          talked_at: at,
          // A reminder of the silence says then that it is settled.
          look_at: eb.case().when('said', '>', 0).then(at).else(ref('look_at')).end(),
        }))
        .where('kind', '=', 'news')
        .where('state', 'in', [...standing])
        .where('incident_id', 'in', ({ selectFrom }) => incidentsIn(selectFrom('bot_room'), teamId, channelId))
        .execute(),
    );
  }

  /** The reminder to a person is on its way. */
  async saidAlone(duty: Duty, decision: Decision): Promise<void> {
    await this.#locked(duty.incident_id, trx => this.#noteSaid(trx, duty, decision));
  }

  async #noteSaid(trx: Kysely<BotTables>, { id, said, passed_to }: Duty, { step, lookAt }: Decision): Promise<boolean> {
    const { numUpdatedRows } = await trx
      .updateTable('bot_duty')
      .set({ said: said + 1, step, look_at: Math.round(lookAt), snoozed_until: 0, changed_at: this.#now() })
      .where('id', '=', id)
      .where('said', '=', said)
      .where('passed_to', '=', passed_to)
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
      const same = (await standingOf(trx, incidentID)).filter(
        each => each.kind === kind && (each.about === about || (audience === 'room' && about === '')),
      );
      const own = same.find(each => each.audience === audience && (audience === 'room' || each.user_id === by));
      const duty = own ?? (audience === 'room' ? same[0] : undefined);
      const lines = duty ? await standingLines(trx, duty) : [];
      // What one person owes is the room’s where it was told.
      if (duty === undefined || (own === undefined && lines.length === 0)) return undefined;
      if (!(await isFirst(plain)))
        return {
          until: duty.state === 'stopped' || duty.snoozed_until === 0 ? undefined : new Date(duty.snoozed_until),
        };
      const at = until?.getTime() ?? 0;
      const state = until === undefined ? 'stopped' : 'owed';
      const set = { state, snoozed_until: at, look_at: at, changed_at: this.#now() } as const;
      await trx.updateTable('bot_duty').set(set).where('id', '=', duty.id).execute();
      if (audience === 'owner') return { until };
      for (const { id, words } of lines) {
        const unmarked = words.split('\n').filter(each => !each.startsWith(signs.muted));
        await closeLine(plain, id, [...unmarked, mark].join('\n'), until === undefined ? '' : undefined);
      }
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
  if (duty.said === 0) return false;
  const lines = await standingLines(trx, duty);
  for (const { id } of lines) await closeLine(plain, id, words, '');
  return lines.length > 0;
}

/** The last reminder of a duty that its room or the readers of the announcement were given, and any other that offers something. */
async function standingLines(
  db: Kysely<BotTables>,
  { id, incident_id }: Duty,
): Promise<readonly Pick<BotTables['bot_line'], 'id' | 'words' | 'offers'>[]> {
  const lines = await db
    .selectFrom('bot_line')
    .select(['id', 'words', 'offers'])
    .where('incident_id', '=', incident_id)
    .where('id', 'like', `${reminderLine.write(id, 0).slice(0, -1)}%`)
    .orderBy('seq', 'desc')
    .execute();
  return lines.filter((each, at) => at === 0 || each.offers !== '');
}

/** The incidents whose room a channel is. */
function incidentsIn(rooms: SelectQueryBuilder<BotTables, 'bot_room', object>, teamId: string, channelId: string) {
  return rooms.select('incident_id').where('team_id', '=', teamId).where('channel_id', '=', channelId);
}
