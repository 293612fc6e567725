import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { Known } from '../../../db/known.ts';
import { definePrepared } from '../../../db/prepared.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { ChannelRecord } from '../../slack/channel-events.ts';

/** A stored channel. Moments are epoch milliseconds; 0 means that Slack is to be asked. */
export interface KnownChannel extends ChannelRecord {
  readonly askedAt: number;
  readonly membersAt: number;
  /** Events that said who reads it. */
  readonly readersChanges: number;
  /** Slack's word for why it takes no post of Muster's there; `""` while it takes them. */
  readonly postRefusal: string;
}

/** Somebody joined or left a channel. `at` is in epoch milliseconds. */
interface MemberChange {
  readonly channelId: string;
  readonly userId: string;
  readonly isMember: boolean;
  readonly at: number;
}

/** The channels and members that are stored. */
export interface ChannelStore {
  find(channelId: string): Promise<KnownChannel | undefined>;
  /**
   * Stores a channel as Slack described it. `readersChanges` is their number from before Slack was asked: if it has grown since, the
   * answer may be older than an event. Then it opens nothing, and Slack is to be asked again. Returns the incidents in the channel
   * whose card must be shown anew.
   */
  keep(channelId: string, fact: ChannelRecord, askedAt: number, readersChanges: number): Promise<readonly string[]>;
  /**
   * Changes a channel that is stored, and has Slack asked who reads it now. A shared channel stays so until Slack's answer. Returns as
   * `keep` does, and also the incidents in a channel that may be open.
   */
  change(channelId: string, change: Partial<ChannelRecord>): Promise<readonly string[]>;
  /** Stores whether Slack takes posts of Muster's in a channel that is stored: its word for why not, `""` when it does. */
  setPostRefusal(channelId: string, refusal: string): Promise<void>;
  /** False also for somebody who is not stored. */
  isMember(channelId: string, userId: string): Promise<boolean>;
  /** The ids of those who are stored as members. */
  members(channelId: string): Promise<readonly string[]>;
  /** Whether one of the workspace's guests is stored as a member. */
  hasGuests(channelId: string): Promise<boolean>;
  /**
   * Stores one change in a channel that is stored, unless a newer one is. Returns the incidents announced there, where a guest joined, and
   * those whose private room it is.
   */
  setMember(change: MemberChange): Promise<{ readonly shown: readonly string[]; readonly counted: readonly string[] }>;
  /**
   * Stores the list as Slack gave it. What changed after `askedAt` stays. A list that is not whole says nothing of those whom it lacks,
   * and counts as none.
   */
  setMembers(channelId: string, userIds: readonly string[], askedAt: number, isWhole: boolean): Promise<void>;
}

/** What decides who reads a channel. */
type Readership = Pick<ChannelRecord, 'isPrivate' | 'isShared'>;

/** Rows of members that one statement writes. */
const rowsAtOnce = 500;

const findChannel = definePrepared<BotTables, { teamId: string; channelId: string }, BotTables['bot_channel']>(
  (db, { teamId, channelId }) =>
    db.selectFrom('bot_channel').selectAll().where('team_id', '=', teamId).where('channel_id', '=', channelId),
);

/** Guests among the members of a channel. Guests of another organisation are strangers. */
const findGuest = definePrepared<BotTables, { teamId: string; channelId: string }, { user_id: string }>(
  (db, { teamId, channelId }) =>
    guestsOf(db).where('member.team_id', '=', teamId).where('member.channel_id', '=', channelId).limit(1),
);

function guestsOf(db: Kysely<BotTables>) {
  return db
    .selectFrom('bot_channel_member as member')
    .innerJoin('bot_person as person', join =>
      join.onRef('person.team_id', '=', 'member.team_id').onRef('person.user_id', '=', 'member.user_id'),
    )
    .select('member.user_id')
    .where('member.is_member', '=', sql.lit(1))
    .where('person.is_guest', '=', sql.lit(1))
    .where('person.is_deleted', '=', sql.lit(0))
    .where('person.is_stranger', '=', sql.lit(0));
}

/** Opens the channels of a workspace in the bot's database. */
export function openChannelStore(database: Database, teamId: string): ChannelStore {
  const db = database.as<BotTables>();
  const read = async (from: Kysely<BotTables>, channelId: string) => {
    const [row] = await findChannel(from, { teamId, channelId });
    return row && toChannel(row);
  };
  const locked = <T>(channelId: string, work: (trx: Kysely<BotTables>) => Promise<T>) =>
    database.withLock<BotTables, T>(`channel ${channelId}`, work);
  const write = async (trx: Kysely<BotTables>, channelId: string, channel: KnownChannel) => {
    const row = toRow(channel);
    await trx
      .insertInto('bot_channel')
      .values({ team_id: teamId, channel_id: channelId, ...row })
      .onConflict(conflict => conflict.columns(['team_id', 'channel_id']).doUpdateSet(row))
      .execute();
  };
  return {
    find: channelId => read(db, channelId),
    keep: (channelId, fact, askedAt, readersChanges) =>
      locked(channelId, async trx => {
        const before = await read(trx, channelId);
        const fresh = { membersAt: 0, readersChanges: 0, postRefusal: '' };
        const { membersAt, readersChanges: changes, postRefusal } = before ?? fresh;
        const known = { askedAt, membersAt, readersChanges: changes, postRefusal };
        const after =
          before && before.readersChanges > readersChanges
            ? { ...narrower(before, fact), ...known, askedAt: 0 }
            : { ...fact, ...known };
        await write(trx, channelId, after);
        return isShownAlike(before ?? openChannel, after) ? [] : countRooms(trx, teamId, channelId);
      }),
    change: (channelId, change) =>
      locked(channelId, async trx => {
        const before = await read(trx, channelId);
        if (!before) return [];
        const said = { ...before, ...change };
        // Events may come late, so none opens a channel: Slack has the last word on who reads it.
        const after = { ...said, isShared: before.isShared || said.isShared };
        const isCertain = 'name' in change || 'isArchived' in change;
        const isAsked = isCertain ? {} : { askedAt: 0, readersChanges: before.readersChanges + 1 };
        const isOpened = change.isArchived === false ? { postRefusal: '' } : {};
        await write(trx, channelId, { ...after, ...isAsked, ...isOpened });
        return isShownAlike(before, said) ? [] : countRooms(trx, teamId, channelId);
      }),
    setPostRefusal: async (channelId, post_refusal) => {
      await db
        .updateTable('bot_channel')
        .set({ post_refusal })
        .where('team_id', '=', teamId)
        .where('channel_id', '=', channelId)
        .execute();
    },
    isMember: async (channelId, userId) => {
      const row = await db
        .selectFrom('bot_channel_member')
        .select('is_member')
        .where('team_id', '=', teamId)
        .where('channel_id', '=', channelId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row?.is_member === 1;
    },
    members: async channelId => {
      const rows = await db
        .selectFrom('bot_channel_member')
        .select('user_id')
        .where('team_id', '=', teamId)
        .where('channel_id', '=', channelId)
        .where('is_member', '=', 1)
        .execute();
      return rows.map(row => row.user_id);
    },
    hasGuests: async channelId => (await findGuest(db, { teamId, channelId })).length > 0,
    setMember: change =>
      locked(change.channelId, async trx => {
        const { channelId, userId, isMember } = change;
        const known = await read(trx, channelId);
        if (!known) return { shown: [], counted: [] };
        await setMembers(trx, teamId, channelId, [change]);
        const guests = guestsOf(trx).where('member.team_id', '=', teamId).where('member.channel_id', '=', channelId);
        const isGuest =
          isMember && (await guests.where('member.user_id', '=', userId).executeTakeFirst()) !== undefined;
        // Guests who are in a room see its incident.
        return {
          shown: isGuest ? await countRooms(trx, teamId, channelId, ['announcement_channel_id']) : [],
          counted: known.isPrivate ? await countRooms(trx, teamId, channelId, ['channel_id']) : [],
        };
      }),
    setMembers: (channelId, userIds, at, isWhole) =>
      locked(channelId, async trx => {
        const known = await trx
          .selectFrom('bot_channel_member')
          .select('user_id')
          .where('team_id', '=', teamId)
          .where('channel_id', '=', channelId)
          .execute();
        const listed = new Set(userIds);
        const gone = known.map(row => row.user_id).filter(id => isWhole && !listed.has(id));
        await setMembers(trx, teamId, channelId, [
          ...[...listed].map(userId => ({ userId, isMember: true, at })),
          ...gone.map(userId => ({ userId, isMember: false, at })),
        ]);
        await trx
          .updateTable('bot_channel')
          .set({ members_at: isWhole ? at : 0 })
          .where('team_id', '=', teamId)
          .where('channel_id', '=', channelId)
          .execute();
      }),
  };
}

const ofChannels = ['bot_channel'] as const;
const channelKey = (channelId: string) => `channel ${channelId}`;

/** A channel was read with a room in it. */
export function keepChannel(
  also: (key: string, tables: readonly string[], value: KnownChannel) => void,
  channelId: string,
  channel: KnownChannel | undefined,
): void {
  if (channel) also(channelKey(channelId), ofChannels, channel);
}

const ofMembers = ['bot_channel_member', 'bot_person'] as const;

/** The channels as they are stored, each read once. */
export function knownChannels(store: ChannelStore, known: Known): ChannelStore {
  return {
    ...store,
    find: channelId => known.once(channelKey(channelId), ofChannels, () => store.find(channelId)),
    isMember: (channelId, userId) =>
      known.once(`member ${channelId} ${userId}`, ofMembers, () => store.isMember(channelId, userId)),
    members: channelId => known.once(`members ${channelId}`, ofMembers, () => store.members(channelId)),
    hasGuests: channelId => known.once(`guests ${channelId}`, ofMembers, () => store.hasGuests(channelId)),
  };
}

async function setMembers(
  trx: Kysely<BotTables>,
  teamId: string,
  channelId: string,
  changes: readonly Omit<MemberChange, 'channelId'>[],
): Promise<void> {
  const rows = changes.map(({ userId, isMember, at }) => ({
    team_id: teamId,
    channel_id: channelId,
    user_id: userId,
    is_member: isMember ? 1 : 0,
    changed_at: at,
  }));
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await trx
      .insertInto('bot_channel_member')
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict(conflict =>
        conflict
          .columns(['team_id', 'channel_id', 'user_id'])
          .doUpdateSet(({ ref }) => ({ is_member: ref('excluded.is_member'), changed_at: ref('excluded.changed_at') }))
          .whereRef('bot_channel_member.changed_at', '<=', 'excluded.changed_at'),
      )
      .execute();
  }
}

/** What a channel of which nothing is known was taken for when something was shown in it. */
const openChannel = { isPrivate: false, isShared: false };

/** A channel that is private and shared when either says so. */
function narrower(before: ChannelRecord, fact: ChannelRecord): ChannelRecord {
  return { ...fact, isPrivate: before.isPrivate || fact.isPrivate, isShared: before.isShared || fact.isShared };
}

/** Cards and announcements look the same in both. */
function isShownAlike(one: Readership, other: Readership): boolean {
  return one.isPrivate === other.isPrivate && one.isShared === other.isShared;
}

/** Counts a change of every incident whose card or announcement is in a channel, so that it is shown however the process ends. */
async function countRooms(
  trx: Kysely<BotTables>,
  teamId: string,
  channelId: string,
  places: readonly ('channel_id' | 'announcement_channel_id')[] = ['channel_id', 'announcement_channel_id'],
): Promise<readonly string[]> {
  const rows = await trx
    .updateTable('bot_room')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    // Each place has an index of its own, which begins with the team.
    .where(({ or, and, eb }) => or(places.map(place => and([eb('team_id', '=', teamId), eb(place, '=', channelId)]))))
    .returning('incident_id')
    .execute();
  return rows.map(row => row.incident_id);
}

/** The columns that say what is known of a channel. */
export type ChannelRow = Omit<BotTables['bot_channel'], 'team_id' | 'channel_id'>;

/** A stored channel. */
export function toChannel(row: ChannelRow): KnownChannel {
  return {
    name: row.name,
    isPrivate: row.is_private === 1,
    isShared: row.is_shared === 1,
    isArchived: row.is_archived === 1,
    isDeleted: row.is_deleted === 1,
    askedAt: row.asked_at,
    membersAt: row.members_at,
    readersChanges: row.readers_changes,
    postRefusal: row.post_refusal,
  };
}

function toRow(channel: KnownChannel): ChannelRow {
  return {
    name: channel.name,
    is_private: channel.isPrivate ? 1 : 0,
    is_shared: channel.isShared ? 1 : 0,
    is_archived: channel.isArchived ? 1 : 0,
    is_deleted: channel.isDeleted ? 1 : 0,
    asked_at: channel.askedAt,
    members_at: channel.membersAt,
    readers_changes: channel.readersChanges,
    post_refusal: channel.postRefusal,
  };
}
