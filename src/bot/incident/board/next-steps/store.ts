import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../../db/database.ts';
import type { NoTables } from '../../../../db/engine.ts';
import { definePrepared } from '../../../../db/prepared.ts';
import { laneLock } from '../../../journal/rows.ts';
import type { BotTables } from '../../../schema/tables.ts';
import { countChange } from '../../state/room-store.ts';

/*
 * The next steps in the room of an incident that is over: the message about them, and when the channel is archived. One process at a time
 * shows them, with the lease of the incident's card. A person may change the time of archiving meanwhile.
 */

/** The next steps as they are stored. */
export interface NextSteps {
  readonly resolution: string;
  readonly isSilent: boolean;
  readonly begunAt: Date;
  /** `""`: no message; `gone`: a person deleted it. */
  readonly ts: string;
  readonly shown: string;
  /** Undefined: the channel stays. */
  readonly archiveAt: Date | undefined;
  readonly isWarned: boolean;
  /** A process archives it, or a person wants it archived at once: talk does not keep it. */
  readonly isArchiving: boolean;
  /** When a person wrote in the room last, while its archiving is ahead; the epoch when nobody did. */
  readonly talkedAt: Date;
  readonly archivedAt: Date | undefined;
  /** mrkdwn */
  readonly problem: string;
  /** When the room is due for another look; undefined for never. */
  readonly dueAt: Date | undefined;
}

const wokenTogether = 100;

const findSteps = definePrepared<BotTables, { incidentID: string }, BotTables['bot_next_steps']>((db, { incidentID }) =>
  db.selectFrom('bot_next_steps').selectAll().where('incident_id', '=', incidentID),
);

const findDue = definePrepared<BotTables, { now: number }, { incident_id: string }>((db, { now }) =>
  db
    .selectFrom('bot_next_steps')
    .select('incident_id')
    .where('look_at', '>', sql.lit(0))
    .where('look_at', '<=', now)
    .limit(sql.lit(wokenTogether)),
);

/** Stores the next steps of each incident that is over. */
export type NextStepsStore = ReturnType<typeof openNextSteps>;

/** Opens the store in the bot's database. */
export function openNextSteps(database: Database, clock: () => Date) {
  const db = database.as<BotTables>();
  const find = async (some: Kysely<BotTables>, incidentID: string) => (await findSteps(some, { incidentID }))[0];
  const locked = <T>(incidentID: string, work: (trx: Kysely<BotTables>) => Promise<T>) =>
    database.withLock<BotTables, T>(`next ${incidentID}`, work);
  const set = async (incidentID: string, change: Partial<BotTables['bot_next_steps']>): Promise<void> => {
    await locked(incidentID, trx =>
      trx.updateTable('bot_next_steps').set(change).where('incident_id', '=', incidentID).execute(),
    );
  };
  const begin = async (
    trx: Kysely<BotTables>,
    of: { readonly incidentID: string; readonly resolution: string; readonly archiveAt: Date | undefined },
  ) => {
    const { incidentID, resolution, archiveAt } = of;
    const known = await find(trx, incidentID);
    if (known?.resolution === resolution) return { ...toNextSteps(known), isNew: false };
    const isSilent = known?.resolution === '' && Date.parse(resolution) <= known.begun_at;
    const { ts, shown } = known && known.ts !== 'gone' ? known : { ts: '', shown: '' };
    const row: BotTables['bot_next_steps'] = {
      ...{ incident_id: incidentID, resolution, is_silent: isSilent ? 1 : 0, begun_at: clock().getTime() },
      ...{ ts, shown, archive_at: isSilent ? 0 : toNumber(archiveAt), is_warned: 0, is_archiving: 0 },
      ...{ archived_at: 0, problem: '', look_at: 0, talked_at: 0 },
    };
    await trx
      .insertInto('bot_next_steps')
      .values(row)
      .onConflict(conflict => conflict.column('incident_id').doUpdateSet(row))
      .execute();
    return { ...toNextSteps(row), isNew: true };
  };
  const schedule = (trx: Kysely<BotTables>, incidentID: string, archiveAt: Date | undefined, isNow: boolean) =>
    trx
      .updateTable('bot_next_steps')
      .set({ archive_at: toNumber(archiveAt), is_archiving: isNow ? 1 : 0, archived_at: 0, problem: '' })
      .where('incident_id', '=', incidentID)
      .execute();
  return {
    /** The next steps; undefined when the incident is not over, or that is not known yet. */
    of: async (incidentID: string): Promise<NextSteps | undefined> => {
      const row = await find(db, incidentID);
      return row && toNextSteps(row);
    },
    /**
     * Begins the next steps of a resolution, unless they have begun. `isNew`: they begin now. `archiveAt` is undefined where the channel stays.
     * A message about an earlier resolution goes on: nobody in the room has heard that the incident was open between the two.
     */
    begin: (incidentID: string, resolution: string, archiveAt: Date | undefined) =>
      locked(incidentID, trx => begin(trx, { incidentID, resolution, archiveAt })),
    /** Puts off the archiving. */
    putOff: (incidentID: string, archiveAt: Date) =>
      locked(incidentID, trx => schedule(trx, incidentID, archiveAt, false)),
    /**
     * A person sets when the channel is archived after that resolution; undefined: it stays. With `isNow`, talk does not keep it. The change is
     * counted, so that a round which read the incident before does not end this ({@link end}). Returns what was set before.
     */
    choose: (incidentID: string, resolution: string, archiveAt: Date | undefined, isNow: boolean) =>
      locked(incidentID, async trx => {
        const before = await begin(trx, { incidentID, resolution, archiveAt: undefined });
        await schedule(trx, incidentID, archiveAt, isNow);
        await countChange(trx as Kysely<NoTables>, incidentID);
        return before.archiveAt;
      }),
    /** Slack shows a message with that digest under that time. */
    shown: (incidentID: string, ts: string, shown: string) => set(incidentID, { ts, shown }),
    /** The message is no longer the present one: another follows, which warns. */
    warn: (incidentID: string) => set(incidentID, { is_warned: 1, ts: '', shown: '', begun_at: clock().getTime() }),
    /** Claims the archiving that is due. False when a person changed its time meanwhile. */
    claimArchive: (incidentID: string, archiveAt: Date) =>
      locked(incidentID, async trx => {
        const { numUpdatedRows } = await trx
          .updateTable('bot_next_steps')
          .set({ is_archiving: 1 })
          .where('incident_id', '=', incidentID)
          .where('archive_at', '=', archiveAt.getTime())
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
    /** The channel is archived (`""`), or cannot be, for that reason (mrkdwn). */
    archived: (incidentID: string, problem: string) =>
      set(incidentID, {
        ...{ archive_at: 0, is_archiving: 0, problem, look_at: 0 },
        archived_at: problem === '' ? clock().getTime() : 0,
      }),
    /** Sets when the room is due for another look; undefined for never. */
    dueAt: (incidentID: string, at: Date | undefined) => set(incidentID, { look_at: toNumber(at) }),
    /** The incident is open again, as a round read it that shows this version of its card; nothing happens once there is a newer one. */
    end: async (incidentID: string, version: number) => {
      await locked(incidentID, trx =>
        trx
          .deleteFrom('bot_next_steps')
          .where('incident_id', '=', incidentID)
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom('bot_room')
                .select('version')
                .where('incident_id', '=', incidentID)
                .where('version', '=', version),
            ),
          )
          .execute(),
      );
    },
    /** People talked in a channel: that puts off an archiving which is ahead there. */
    talked: async (teamId: string, channelId: string, at: number): Promise<void> => {
      const rooms = db.selectFrom('bot_room').where('team_id', '=', teamId).where('channel_id', '=', channelId);
      await database.single<BotTables, unknown>(some =>
        some
          .updateTable('bot_next_steps')
          .set({ talked_at: at })
          .where('archive_at', '>', 0)
          .where('incident_id', 'in', rooms.select('incident_id'))
          .execute(),
      );
    },
    /** Counts a change of each incident whose room is due for a look. */
    wake: async () => {
      const ids = (await findDue(db, { now: clock().getTime() })).map(row => row.incident_id);
      if (ids.length === 0) return;
      await database.withLock<NoTables, void>(laneLock(ids), async plain => {
        const trx = plain.withTables<BotTables>();
        await trx.updateTable('bot_next_steps').set({ look_at: 0 }).where('incident_id', 'in', ids).execute();
        for (const incidentID of ids) await countChange(plain, incidentID);
      });
    },
  };
}

function toNextSteps(row: BotTables['bot_next_steps']): NextSteps {
  return {
    ...{ resolution: row.resolution, ts: row.ts, shown: row.shown, problem: row.problem },
    begunAt: new Date(row.begun_at),
    archiveAt: toDate(row.archive_at),
    archivedAt: toDate(row.archived_at),
    dueAt: toDate(row.look_at),
    isSilent: row.is_silent === 1,
    isWarned: row.is_warned === 1,
    isArchiving: row.is_archiving === 1,
    talkedAt: new Date(row.talked_at),
  };
}

function toDate(time: number): Date | undefined {
  return time === 0 ? undefined : new Date(time);
}

function toNumber(date: Date | undefined): number {
  return date?.getTime() ?? 0;
}
