import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { Known } from '../../../db/known.ts';
import { definePrepared, definePreparedChange } from '../../../db/prepared.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { currentSubject, type JournalTables, laneLock } from '../../journal/rows.ts';
import type { IsFirst } from '../../schema/deliveries.ts';
import type { BotTables } from '../../schema/tables.ts';
import { type ChannelRow, type KnownChannel, keepChannel, toChannel } from './channels.ts';
import { type BoardDigests, noDigests, toShownColumns } from './digests.ts';
import { renameVisits } from './visits.ts';

/*
 * The room of an incident, the first of the facts in `state`. The files of `state` hold the facts that all parts of the bot share of an incident:
 * some are a store of the bot's tables, others a schema, a rule or words. Facts that Slack or the API tells have an age (`channels.ts`, `roles.ts`,
 * `snapshots.ts`); nothing there posts to Slack or changes anything in the API. A stored change that a card shows is counted in the transaction
 * that stores it, so a crash loses no redraw. `bot_room` also holds the messages of bursts and of alerts.
 */

/** The place of an incident in Slack. Parts that are not made are empty strings. */
export interface Room {
  readonly incidentID: string;
  readonly teamId: string;
  readonly channelId: string;
  readonly channelName: string;
  /** The channel was there before, and follows the incident: its topic and its bookmarks are not Muster's. */
  readonly isLinked: boolean;
  /** It has no channel, and was declared as private, or its last channel was. A channel says itself how private it is. */
  readonly isPrivate: boolean;
  readonly cardTs: string;
  readonly announcementChannelId: string;
  readonly announcementTs: string;
  /** Slack id of who declared it; `""` when that is not known. */
  readonly declaredBy: string;
  /** How the room reads of changes; absent: in its channel. {@link Rooms.keep} does not change it. */
  readonly receipts?: ReceiptMode;
  /** How its people are reminded; `""`: as the team's setting says. {@link Rooms.keep} does not change it. */
  readonly reminders?: ReminderMode | '';
  readonly sources: Sources;
  /**
   * Slack's word for why its channel reads nothing of Muster's: `is_archived`, `channel_not_found` for one that was deleted, or another
   * refusal. Absent while it reads. {@link Rooms.keep} does not change it.
   */
  readonly refusal?: string;
  /** The message that announces it among others (`burst-store.ts`); absent or `""`: it has its own. {@link Rooms.keep} does not change it. */
  readonly burst?: string;
}

interface StoredRoom {
  readonly room: Room;
  readonly row: BotTables['bot_room'];
  /** Its channel; undefined where it has none that is stored. */
  readonly channel: KnownChannel | undefined;
  /** No other incident lives in its channel. */
  readonly isOnlyIncident: boolean;
}

/** Incidents of one channel that are looked at, the newest ones. */
const maxInChannel = 10;
/** Incidents of one declarer that are looked at, the newest ones. */
const maxDeclared = 100;

/** Remembers which channel belongs to which incident, and where its card and announcement are. */
export type Rooms = ReturnType<typeof createRooms>;

/** The rooms kept in the bot's database. */
export function createRooms(database: Database, clock: () => Date) {
  const db = database.as<BotTables>();
  const intents = database.as<JournalTables>();
  const inChannel = (teamId: string, channelId: string) =>
    db.selectFrom('bot_room').where('team_id', '=', teamId).where('channel_id', '=', channelId);
  const find = async (incidentID: string): Promise<StoredRoom | undefined> => {
    const [row] = await findRow(db, { incidentID: await currentSubject(intents, incidentID) });
    return row && toStoredRoom(row);
  };
  const findAll = async (teamId: string, channelId: string, then: Date): Promise<readonly StoredRoom[]> => {
    if (channelId === '') return [];
    return (await findRows(db, { teamId, channelId, moment: then.toISOString() })).map(toStoredRoom);
  };
  const set = (incidentID: string, columns: Partial<BotTables['bot_room']>, isFirst?: IsFirst): Promise<void> =>
    database.withLock<NoTables, void>(`card ${incidentID}`, async plain => {
      if (isFirst && !(await isFirst(plain))) return;
      const rooms = plain.withTables<BotTables>().updateTable('bot_room').set(columns);
      await rooms.where('incident_id', '=', incidentID).execute();
    });
  return {
    /** The incident's id in the API; the given id while the API has not registered it. */
    currentID: (incidentID: string) => currentSubject(intents, incidentID),
    /** Also by the id that the incident had before it was registered. */
    ofIncident: async (incidentID: string) => (await find(incidentID))?.room,
    /** The room with its row and its channel as they are stored; undefined when the incident has no row. */
    find,
    /**
     * The incidents that a channel belonged to at that moment, newest first. A channel that Muster made belongs to its incident from the
     * start, any other since it is its room.
     */
    allOfChannel: async (teamId: string, channelId: string, then: Date) =>
      (await findAll(teamId, channelId, then)).map(each => each.room),
    /** The rooms of `allOfChannel` with their rows and their channel as they are stored. */
    findAll,
    /** The incidents that a person declared through Muster, newest first, a hundred at most. */
    declaredBy: async ({ teamId, userId }: { readonly teamId: string; readonly userId: string }) => {
      const rows = db.selectFrom('bot_room').select('incident_id').where('team_id', '=', teamId);
      const newest = rows.where('declared_by', '=', userId).orderBy('created_at', 'desc').limit(maxDeclared);
      return (await newest.execute()).map(each => each.incident_id);
    },
    /** Whether any incident lives in a channel. */
    isTaken: async (teamId: string, channelId: string) =>
      (await inChannel(teamId, channelId).select('incident_id').executeTakeFirst()) !== undefined,
    /** Parts an incident from its channel, if that is its room still. The announcement stays, and it stays private if it is. */
    leave: async ({ incidentID, channelId }: Room, isPrivate: boolean) => {
      await database.withLock<BotTables, unknown>(`card ${incidentID}`, trx =>
        trx
          .updateTable('bot_room')
          .set(({ eb }) => ({
            channel_id: '',
            channel_name: '',
            is_linked: 0,
            is_private: isPrivate ? 1 : 0,
            card_ts: '',
            ...toShownColumns(noDigests),
            version: eb('version', '+', 1),
          }))
          .where('incident_id', '=', incidentID)
          .where('channel_id', '=', channelId)
          .execute(),
      );
    },
    /** Sets how a room reads of changes. */
    setReceipts: (incidentID: string, receipts: ReceiptMode, isFirst: IsFirst) =>
      set(incidentID, { receipts }, isFirst),
    /** Sets how the people of a room are reminded; `""`: as the team's setting says. */
    setReminders: (incidentID: string, reminders: ReminderMode | '', isFirst: IsFirst) =>
      set(incidentID, { reminders }, isFirst),
    /** Stores what Slack shows of parts of a room. */
    show: (incidentID: string, shown: Partial<BoardDigests>) => set(incidentID, toShownColumns(shown)),
    /** The announcement has been taken back. */
    forgetAnnouncement: (incidentID: string) =>
      set(incidentID, { announcement_channel_id: '', announcement_ts: '', announcement_shown: '', burst: '' }),
    /** Stores the room, replacing what was known of that incident's room; `shown` are the digests of what was posted just now. */
    keep: async (room: Room, shown: Partial<BoardDigests> = {}) => {
      const row = {
        team_id: room.teamId,
        channel_id: room.channelId,
        channel_name: room.channelName,
        is_linked: room.isLinked ? 1 : 0,
        is_private: room.isPrivate && room.channelId === '' ? 1 : 0,
        card_ts: room.cardTs,
        announcement_channel_id: room.announcementChannelId,
        announcement_ts: room.announcementTs,
        declared_by: room.declaredBy,
        sources: JSON.stringify(room.sources),
      };
      const columns = toShownColumns(shown);
      // Under the journal's lock, since an incident may be registered at this very moment.
      await database.withLock<NoTables, void>(laneLock([room.incidentID]), async plain => {
        const incidentID = await currentSubject(plain.withTables<JournalTables>(), room.incidentID);
        await plain
          .withTables<BotTables>()
          .insertInto('bot_room')
          .values({
            incident_id: incidentID,
            created_at: clock().toISOString(),
            ...unshown,
            ...row,
            ...columns,
          })
          .onConflict(conflict =>
            conflict.column('incident_id').doUpdateSet(({ ref }) => ({
              ...row,
              ...columns,
              created_at: sql`case when ${ref('bot_room.channel_id')} = ${ref('excluded.channel_id')}
                  then ${ref('bot_room.created_at')} else ${ref('excluded.created_at')} end`,
              version: sql`${ref('bot_room.version')} + 1`,
            })),
          )
          .execute();
      });
    },
  };
}

const ofRooms = ['bot_room', 'bot_channel'] as const;
const roomKey = (incidentID: string) => `room ${incidentID}`;

/** The rooms, each read once. A room brings its channel along. */
export function knownRooms(rooms: Rooms, known: Known): Rooms {
  const find: Rooms['find'] = incidentID => {
    // A provisional id leads to another room once the incident is registered.
    if (isProvisional(incidentID)) return rooms.find(incidentID);
    return known.once(roomKey(incidentID), ofRooms, async also => {
      const found = await rooms.find(incidentID);
      if (found) keepChannel(also, found.room.channelId, found.channel);
      return found;
    });
  };
  const findAll: Rooms['findAll'] = (teamId, channelId, then) =>
    known.once(`rooms of ${teamId} ${channelId} ${then.getTime()}`, ofRooms, async also => {
      const all = await rooms.findAll(teamId, channelId, then);
      for (const each of all) also(roomKey(each.room.incidentID), ofRooms, each);
      keepChannel(also, channelId, all[0]?.channel);
      return all;
    });
  return {
    ...rooms,
    find,
    findAll,
    ofIncident: async incidentID => (await find(incidentID))?.room,
    allOfChannel: async (...args) => (await findAll(...args)).map(each => each.room),
  };
}

/** The columns of a room that Slack does not show yet. */
export const unshown = {
  ...{ version: 1, rendered_version: 0, lease_owner: '', heartbeat: 0, written: '' },
  ...{ card_shown: '', announcement_shown: '', topic_shown: '', receipts: '', reminders: '', burst: '' },
} as const;

const count = definePreparedChange<BotTables, { incidentID: string }>((db, { incidentID }) =>
  db
    .updateTable('bot_room')
    .set(({ eb }) => ({ version: eb('version', '+', sql.lit(1)) }))
    .where('incident_id', '=', incidentID),
);

/** Counts a change that an incident's card has yet to show, in the transaction that stores it. */
export async function countChange(trx: Kysely<NoTables>, incidentID: string): Promise<void> {
  await count(trx.withTables<BotTables>(), { incidentID });
}

/** How many changes of an incident were counted; undefined when it has no room. */
export async function versionOf(trx: Kysely<NoTables>, incidentID: string): Promise<number | undefined> {
  const rooms = trx.withTables<BotTables>().selectFrom('bot_room').where('incident_id', '=', incidentID);
  return (await rooms.select('version').executeTakeFirst())?.version;
}

/**
 * Gives what is stored of a provisional incident its number: room, lines, outage, calls, alerts, pages, visits. In the transaction that
 * registers it. While the answer of the API was lost, people may have met the number: a list that shows it was posted, or its room was linked.
 * The declaration's own room wins, and its lines come last.
 */
export async function renameIncident(plain: Kysely<NoTables>, provisional: string, incidentID: string): Promise<void> {
  const trx = plain.withTables<BotTables>();
  for (const table of ['bot_room', 'bot_outage'] as const) {
    const named = trx.selectFrom(table).select('incident_id').where('incident_id', '=', provisional);
    if (await named.executeTakeFirst()) await trx.deleteFrom(table).where('incident_id', '=', incidentID).execute();
  }
  const lines = trx.selectFrom('bot_line').where('incident_id', '=', incidentID);
  const { last } = await lines.select(sql<number>`coalesce(max(seq), 0)`.as('last')).executeTakeFirstOrThrow();
  await trx
    .updateTable('bot_line')
    .set({ incident_id: incidentID, seq: sql<number>`seq + ${Number(last)}` })
    .where('incident_id', '=', provisional)
    .execute();
  for (const table of ['bot_room', 'bot_outage', 'bot_call', 'bot_alert_offer', 'bot_page'] as const) {
    const rows = trx.updateTable(table).set({ incident_id: incidentID });
    await rows.where('incident_id', '=', provisional).execute();
  }
  await renameVisits(plain, provisional, incidentID);
}

/** The columns of a room's channel, under names that a room's own columns do not have. */
const channelColumns = [
  'channel.name as channel.name',
  'channel.is_private as channel.is_private',
  'channel.is_shared as channel.is_shared',
  'channel.is_archived as channel.is_archived',
  'channel.is_deleted as channel.is_deleted',
  'channel.asked_at as channel.asked_at',
  'channel.members_at as channel.members_at',
  'channel.readers_changes as channel.readers_changes',
  'channel.post_refusal as channel.post_refusal',
] as const;

/** A row with its channel. Postgres gives a boolean, SQLite a number. */
type StoredColumns = BotTables['bot_room'] & {
  readonly [C in keyof ChannelRow as `channel.${C}`]: ChannelRow[C] | null;
} & { readonly has_others: unknown };

function withChannels(db: Kysely<BotTables>) {
  return db
    .selectFrom('bot_room as room')
    .leftJoin('bot_channel as channel', join =>
      join.onRef('channel.team_id', '=', 'room.team_id').onRef('channel.channel_id', '=', 'room.channel_id'),
    )
    .selectAll('room')
    .select(channelColumns)
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('bot_room as other')
          .select('other.incident_id')
          .whereRef('other.team_id', '=', 'room.team_id')
          .whereRef('other.channel_id', '=', 'room.channel_id')
          .whereRef('other.incident_id', '!=', 'room.incident_id'),
      ).as('has_others'),
    );
}

const findRow = definePrepared<BotTables, { incidentID: string }, StoredColumns>((db, { incidentID }) =>
  withChannels(db).where('room.incident_id', '=', incidentID),
);

const findRows = definePrepared<BotTables, { teamId: string; channelId: string; moment: string }, StoredColumns>(
  (db, { teamId, channelId, moment }) =>
    withChannels(db)
      .where('room.team_id', '=', teamId)
      .where('room.channel_id', '=', channelId)
      .where(({ or, eb }) =>
        or([
          eb.and([eb('room.channel_name', '!=', sql.lit('')), eb('room.is_linked', '=', sql.lit(0))]),
          eb('room.created_at', '<=', moment),
        ]),
      )
      .orderBy('room.created_at', 'desc')
      .limit(sql.lit(maxInChannel)),
);

function toStoredRoom(row: StoredColumns): StoredRoom {
  const room = toRoom(row);
  const isOnlyIncident = !row.has_others;
  const asked_at = row['channel.asked_at'];
  if (asked_at === null) return { room, row, isOnlyIncident, channel: undefined };
  const channel = toChannel({
    asked_at,
    name: row['channel.name'] ?? '',
    is_private: row['channel.is_private'] ?? 0,
    is_shared: row['channel.is_shared'] ?? 0,
    is_archived: row['channel.is_archived'] ?? 0,
    is_deleted: row['channel.is_deleted'] ?? 0,
    members_at: row['channel.members_at'] ?? 0,
    readers_changes: row['channel.readers_changes'] ?? 0,
    post_refusal: row['channel.post_refusal'] ?? '',
  });
  const refusal = channel.isDeleted ? 'channel_not_found' : channel.isArchived ? 'is_archived' : channel.postRefusal;
  return { row, channel, isOnlyIncident, room: refusal === '' ? room : { ...room, refusal } };
}

function toRoom(row: BotTables['bot_room']): Room {
  return {
    incidentID: row.incident_id,
    teamId: row.team_id,
    channelId: row.channel_id,
    channelName: row.channel_name,
    isLinked: row.is_linked === 1,
    isPrivate: row.is_private === 1 && row.channel_id === '',
    cardTs: row.card_ts,
    announcementChannelId: row.announcement_channel_id,
    announcementTs: row.announcement_ts,
    declaredBy: row.declared_by,
    receipts: findMode(receiptModes, row.receipts) ?? 'channel',
    reminders: findMode(reminderModes, row.reminders) ?? '',
    sources: parseSources(row.sources),
    burst: row.burst,
  };
}

/** Where an incident came from, as addresses; `""` for none. */
export const Sources = z.object({
  /** An alert, a graph or a ticket, and what it shows. */
  link: z.string(),
  caption: z.string(),
  /** The message it was declared from. */
  message: z.string(),
});
export type Sources = z.output<typeof Sources>;

/** The sources of an incident that was declared without any. */
export const noSources: Sources = { link: '', caption: '', message: '' };

/** Stored sources; none when another version of Muster stored another shape. */
export function parseSources(stored: string): Sources {
  return stored === '' ? noSources : (Sources.safeParse(JSON.parse(stored)).data ?? noSources);
}

/**
 * Where a room reads of changes: in lines in the channel, in lines in the thread of the incident's card, or on the card alone. In the
 * last mode each person still reads the whole receipt of their own changes.
 */
export const receiptModes = ['channel', 'thread', 'quiet'] as const;
/** One of {@link receiptModes}. */
export type ReceiptMode = (typeof receiptModes)[number];

/** The readers of reminders: the person who owes the duty and the room, that person alone, or nobody. */
export const reminderModes = ['on', 'owner', 'off'] as const;
/** One of {@link reminderModes}. */
export type ReminderMode = (typeof reminderModes)[number];

/** The mode of that name, without regard to case; undefined when there is none. */
export function findMode<M extends ReceiptMode | ReminderMode>(modes: readonly M[], name: string): M | undefined {
  return modes.find(mode => mode === name.trim().toLowerCase());
}
