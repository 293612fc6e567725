import type { TableChanges } from '../../../db/changes.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { Alerts } from './alert-store.ts';
import type { ChannelStore } from './channel-store.ts';
import type { Rooms } from './room-store.ts';

/** After so long something is read again: another process may have changed it. In milliseconds. */
const maxAge = 5000;

type Table = keyof BotTables;

/** Something that was read, and when. */
interface Kept {
  readonly value: Promise<unknown>;
  /** How often each of its tables had been changed before. */
  readonly changes: readonly number[];
  readonly tables: readonly Table[];
  readonly at: number;
}

/** Keeps something else that the same statement has read, of some of its tables. */
type Also = (key: string, tables: readonly Table[], value: unknown) => void;

/**
 * What one act, or one round of the board, has read: each thing once. A thing is read again when this process has changed one of its tables
 * since, and after five seconds.
 */
export class Known {
  readonly #changes: TableChanges;
  readonly #kept = new Map<string, Kept>();

  constructor({ changes }: { readonly changes: TableChanges }) {
    this.#changes = changes;
  }

  /** Reads something, unless it is known. `key` names it, and `tables` are those from which it is read. */
  once<T>(key: string, tables: readonly Table[], read: (also: Also) => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && this.#isNewest(kept)) return kept.value as Promise<T>;
    const [at, before] = [performance.now(), new Map(tables.map(table => [table, this.#changes.of(table)]))];
    const keep = (name: string, from: readonly Table[], value: Promise<unknown>) =>
      this.#kept.set(name, { value, at, tables: from, changes: from.map(table => before.get(table) ?? 0) });
    const value = read((name, from, found) => keep(name, from, Promise.resolve(found)));
    keep(key, tables, value);
    // What could not be read is read again.
    value.catch(() => this.#kept.delete(key));
    return value;
  }

  #isNewest({ tables, changes, at }: Kept): boolean {
    return performance.now() - at < maxAge && tables.every((table, each) => this.#changes.of(table) === changes[each]);
  }
}

const ofRooms = ['bot_room', 'bot_channel'] as const;
const ofChannels = ['bot_channel'] as const;
const ofMembers = ['bot_channel_member', 'bot_person'] as const;
const roomKey = (incidentID: string) => `room ${incidentID}`;
const channelKey = (channelId: string) => `channel ${channelId}`;

/** The rooms, each read once. A room brings its channel along. */
export function knownRooms(rooms: Rooms, known: Known): Rooms {
  const find: Rooms['find'] = incidentID => {
    // A provisional id leads to another room once the incident is registered.
    if (isProvisional(incidentID)) return rooms.find(incidentID);
    return known.once(roomKey(incidentID), ofRooms, async also => {
      const found = await rooms.find(incidentID);
      if (found?.channel) also(channelKey(found.room.channelId), ofChannels, found.channel);
      return found;
    });
  };
  const findAll: Rooms['findAll'] = (teamId, channelId, then) =>
    known.once(`rooms of ${teamId} ${channelId} ${then.getTime()}`, ofRooms, async also => {
      const all = await rooms.findAll(teamId, channelId, then);
      for (const each of all) also(roomKey(each.room.incidentID), ofRooms, each);
      if (all[0]?.channel) also(channelKey(channelId), ofChannels, all[0].channel);
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

/** The alerts of incidents, each read once. */
export function knownAlerts(alerts: Alerts, known: Known): Alerts {
  const ofAlerts = ['bot_alert_offer', 'bot_alert'] as const;
  return {
    ...alerts,
    ofIncident: id => known.once(`alerts ${id}`, ofAlerts, () => alerts.ofIncident(id)),
    naming: id => known.once(`offers ${id}`, ofAlerts, () => alerts.naming(id)),
  };
}
