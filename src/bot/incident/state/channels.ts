import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.ts';
import type { Known } from '../../../db/known.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { movedChannel } from '../../schema/sightings.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { ChannelEvent, ChannelRecord } from '../../slack/channel-events.ts';
import { isPassing, type Slack, slackReason, slackRefusal } from '../../slack/clients.ts';

/*
 * Channels and their members. Each is read from the store as long as it is fresh, and else asked of Slack, once however many wait for it.
 * Slack's events keep the store fresh; an event may be late, so it never opens a channel: it closes it, or has Slack asked again. Whatever
 * changes who reads a channel is counted as a change of every incident in it, so that its card is shown again.
 */

/** How old the facts may be that decide about sight, in milliseconds; events keep them newer than that. */
export const sightAge = 15 * 60_000;
/** How old they may be before Muster posts, or invites a person, from outside an incident's room, in milliseconds. */
export const outsideAge = 5 * 60_000;

/** Pages of members that are read at most, and the people on one. */
const maxPages = 20;
const pageSize = 1000;

interface ChannelDeps {
  readonly slack: Slack;
  readonly store: ChannelStore;
  readonly clock: () => Date;
  readonly log: Logger;
  /** Has Slack describe people who may be guests. Undefined while it does not describe all of them, false when there are too many. */
  meet(userIds: readonly string[]): Promise<boolean | undefined>;
  /** The card and the announcement of an incident in a changed channel must be shown again. */
  onChanged(incidentID: string): void;
  /** The number of people in the private channel of an incident is another one. */
  onCounted(incidentID: string): void;
  /** Slack may take again in a channel what it refused: it is back from the archive, a person or Muster joined it, or it took a post. */
  onOpened(channelId: string): void;
  readonly presence: {
    /** A channel is back from the archive. Muster may not be in it: archiving a channel takes an app out of it (docs/slack.md 7). */
    comeBack(channelId: string): Promise<unknown>;
    /** Muster was taken out of a channel, by the person with that Slack id (`""` where Slack does not say). */
    tellOut(channelId: string, by: string): Promise<unknown>;
    /** Muster is in a channel again. */
    tellBack(channelId: string): Promise<unknown>;
  };
  /** A person came into a channel on their own. */
  onJoined?(channelId: string, userId: string): Promise<unknown>;
}

/** A channel as `conversations.info` describes it. */
export function toChannelRecord(
  channel: NonNullable<Awaited<ReturnType<Slack['quick']['conversations']['info']>>['channel']>,
): ChannelRecord {
  return {
    name: channel.name ?? '',
    isPrivate: channel.is_private === true || channel.is_im === true || channel.is_mpim === true,
    isShared: channel.is_ext_shared === true || channel.is_pending_ext_shared === true,
    isArchived: channel.is_archived === true,
    isDeleted: false,
  };
}

class ChannelQuestions {
  /** The questions under way, by name. */
  readonly asking = new Map<string, Promise<boolean>>();
  /** The questions that Slack refused when they were asked last. */
  readonly refused = new Set<string>();
  /** When channels were found to have more members than are read, by id. */
  readonly large = new Map<string, number>();
  /** The lists of members that Slack has described in full: when each was asked for, by channel. */
  readonly met = new Map<string, number>();
}

/** Channels and their members, as they are known. */
export class Channels {
  readonly #deps: ChannelDeps;
  readonly #questions: ChannelQuestions;

  constructor(deps: ChannelDeps, questions = new ChannelQuestions()) {
    this.#deps = deps;
    this.#questions = questions;
  }

  /** These channels, each read once. */
  knowing(known: Known): Channels {
    return new Channels({ ...this.#deps, store: this.#deps.store.knowing(known) }, this.#questions);
  }

  /**
   * The channel, not older than `maxAge` milliseconds. A channel that is known as private or shared is returned at once, and Slack
   * is asked behind it. Undefined when it is not known and Slack does not tell.
   */
  async look(channelId: string, maxAge: number): Promise<ChannelRecord | undefined> {
    const known = await this.#deps.store.find(channelId);
    if (known && (known.isDeleted || this.#isFresh(known.askedAt, maxAge))) return known;
    const asked = this.#once(`channel ${channelId}`, () => this.#ask(channelId, known));
    // Nothing opens by an answer that comes later, and who probes an incident learns nothing from the time it takes.
    if (known && (known.isPrivate || known.isShared)) return known;
    await asked;
    return this.#deps.store.find(channelId);
  }

  /** Whether all of the workspace may enter a channel, as Slack says now; false when it does not tell. */
  async isOpenNow(channelId: string): Promise<boolean> {
    const known = await this.#deps.store.find(channelId);
    const isTold = await this.#once(`channel ${channelId}`, () => this.#ask(channelId, known));
    return isTold && (await this.#deps.store.find(channelId))?.isPrivate === false;
  }

  /** Whether a person is in a channel. Of a person who is known to be outside, it says so at once, and asks Slack afterwards. */
  async isMember(channelId: string, userId: string, maxAge: number): Promise<boolean> {
    const { store } = this.#deps;
    const known = await store.find(channelId);
    if (known && (known.isDeleted || this.#areMembersFresh(known, channelId, maxAge)))
      return store.isMember(channelId, userId);
    const asked = this.#once(`members ${channelId}`, () => this.#askMembers(channelId));
    if (known && known.membersAt > 0 && !(await store.isMember(channelId, userId))) return false;
    await asked;
    return store.isMember(channelId, userId);
  }

  /** Whether it is known who is in a channel, from no longer ago than `maxAge` milliseconds. Slack is not asked. */
  async knowsMembers(channelId: string, maxAge: number): Promise<boolean> {
    const known = await this.#deps.store.find(channelId);
    if (!known) return false;
    const isOver = (known.isArchived || known.isDeleted) && known.membersAt > 0;
    return isOver || this.#areMembersFresh(known, channelId, maxAge);
  }

  /**
   * Whether one of the people who are stored as guests is in a channel. Undefined while Slack does not say who is in it; true when it refuses,
   * or names too many.
   */
  async hasGuests(channelId: string, maxAge: number): Promise<boolean | undefined> {
    const { store } = this.#deps;
    // The members of a channel are stored only next to the channel itself.
    if (!(await store.find(channelId))) await this.look(channelId, maxAge);
    const known = await store.find(channelId);
    if (!known || !this.#areMembersFresh(known, channelId, maxAge)) {
      const asked = this.#once(`members ${channelId}`, () => this.#askMembers(channelId));
      if (await store.hasGuests(channelId)) return true;
      await asked;
    }
    const membersAt = (await store.find(channelId))?.membersAt ?? 0;
    const areMet = await this.#areMet(channelId, membersAt);
    return areMet === false || (await store.hasGuests(channelId)) || (areMet ? false : undefined);
  }

  /** Whether a guest is in a channel as far as is stored. Slack is not asked. */
  hasKnownGuests(channelId: string): Promise<boolean> {
    return this.#deps.store.hasGuests(channelId);
  }

  /** Whether Slack has described all people on a list of members. Undefined while it does not say; false when it refuses, or names too many. */
  async #areMet(channelId: string, membersAt: number): Promise<boolean | undefined> {
    const { refused, large, met } = this.#questions;
    if (membersAt === 0) return refused.has(`members ${channelId}`) || large.has(channelId) ? false : undefined;
    if (met.get(channelId) === membersAt) return true;
    const areMet = await this.#deps.meet(await this.#deps.store.members(channelId));
    if (areMet) met.set(channelId, membersAt);
    return areMet;
  }

  /** Whether a person is in a channel as far as is stored. Slack is not asked: an answer from before an invitation would count after it. */
  isKnownMember(channelId: string, userId: string): Promise<boolean> {
    return this.#deps.store.isMember(channelId, userId);
  }

  /** How many people are in a private channel, Muster aside; 0 when Slack does not say. Undefined for a channel that is not private. */
  async insiders(channelId: string): Promise<number | undefined> {
    if (!(await this.look(channelId, sightAge))?.isPrivate) return undefined;
    const { store, slack } = this.#deps;
    const known = await store.find(channelId);
    const asked =
      known && this.#areMembersFresh(known, channelId, sightAge)
        ? undefined
        : this.#once(`members ${channelId}`, () => this.#askMembers(channelId));
    if (known?.membersAt === 0) await asked;
    if (!((await store.find(channelId))?.membersAt ?? 0)) return 0;
    return (await store.members(channelId)).filter(id => id !== slack.identity.botUserId).length;
  }

  /** Whether a channel is private as far as is stored. Slack is not asked. */
  async isKnownPrivate(channelId: string): Promise<boolean> {
    return (await this.#deps.store.find(channelId))?.isPrivate === true;
  }

  /** Slack has confirmed that a person is in a channel. */
  async recordMember(channelId: string, userId: string): Promise<void> {
    this.#tellMember(await this.#deps.store.setMember({ channelId, userId, isMember: true, at: this.#now() }));
  }

  /** Stores what Slack has just said about a channel. */
  async learn(channelId: string, fact: ChannelRecord): Promise<void> {
    this.#tell(await this.#deps.store.keep(channelId, fact, this.#now(), Number.POSITIVE_INFINITY));
  }

  /** Stores that Slack took a post of Muster's in a channel, which it had refused before (`""`), or refuses every post there with that word. */
  async recordPost(channelId: string, refusal: string): Promise<void> {
    const { store, onOpened } = this.#deps;
    if (refusal !== '') return store.setPostRefusal(channelId, refusal);
    await store.open(channelId);
    onOpened(channelId);
  }

  /**
   * A person typed in a channel. One that is stored as archived is back then: of a private one, Slack tells that only to those who are in it.
   */
  async recordTyped(channelId: string): Promise<void> {
    const { store } = this.#deps;
    const known = await store.find(channelId);
    if (!known?.isArchived) return;
    await this.#once(`channel ${channelId}`, () => this.#ask(channelId, known));
    if (!(await store.find(channelId))?.isArchived) return;
    this.#tell(await store.change(channelId, { isArchived: false }));
    await store.setPostRefusal(channelId, 'not_in_channel');
  }

  /** Follows an event of Slack's. */
  async take(event: ChannelEvent): Promise<void> {
    const { store, slack, onOpened, presence, onJoined } = this.#deps;
    const { channelId } = event;
    if ('newId' in event) {
      await store.follow(channelId, event.newId, this.#now());
    } else if ('leftBy' in event) {
      if ((await store.find(channelId))?.isPrivate) await store.setPostRefusal(channelId, 'not_in_channel');
      void this.#once(`left ${channelId}`, () => presence.tellOut(channelId, event.leftBy));
    } else if ('userId' in event) {
      if (event.isMember) {
        // Nobody joins an archived channel.
        await store.open(channelId);
        onOpened(channelId);
        if (event.userId === slack.identity.botUserId)
          void this.#once(`entered ${channelId}`, () => presence.tellBack(channelId));
        if (this.#questions.met.has(channelId)) await this.#deps.meet([event.userId]);
      }
      this.#tellMember(await store.setMember(event));
      if (event.isOwn) await onJoined?.(channelId, event.userId);
    } else {
      this.#tell(await store.change(channelId, event.change));
      if (event.change.isArchived === false) this.#noteBack(channelId);
    }
  }

  /** A channel is back from the archive. */
  #noteBack(channelId: string): void {
    const { onOpened, presence } = this.#deps;
    onOpened(channelId);
    void this.#once(`back ${channelId}`, () => presence.comeBack(channelId));
  }

  /** Resolves when nothing is being asked. */
  async idle(): Promise<void> {
    while (this.#questions.asking.size > 0) await Promise.allSettled(this.#questions.asking.values());
  }

  #now(): number {
    return this.#deps.clock().getTime();
  }

  #isFresh(at: number, maxAge: number): boolean {
    const age = this.#now() - at;
    return at > 0 && age >= 0 && age <= maxAge;
  }

  #areMembersFresh({ membersAt }: KnownChannel, channelId: string, maxAge: number): boolean {
    return this.#isFresh(membersAt, maxAge) || this.#isFresh(this.#questions.large.get(channelId) ?? 0, maxAge);
  }

  #tell(changed: readonly string[]): void {
    for (const incidentID of changed) this.#deps.onChanged(incidentID);
  }

  #tellMember({ shown, counted }: Awaited<ReturnType<ChannelStore['setMember']>>): void {
    this.#tell(shown);
    for (const incidentID of counted) this.#deps.onCounted(incidentID);
  }

  /** Asks once, however many wait for it. Whether Slack told: a failure leaves what is known. */
  #once(name: string, ask: () => Promise<unknown>): Promise<boolean> {
    const running = this.#questions.asking.get(name);
    if (running) return running;
    const { refused } = this.#questions;
    const asked = ask()
      .then(() => {
        refused.delete(name);
        return true;
      })
      .catch(error => {
        if (!isPassing(error)) refused.add(name);
        const reason = slackReason(error);
        // A missing scope is warned of once, where calls are made.
        this.#deps.log[reason === 'missing_scope' ? 'info' : 'warn']({ reason, name }, 'channels: Slack did not tell');
        return false;
      })
      .finally(() => this.#questions.asking.delete(name));
    this.#questions.asking.set(name, asked);
    return asked;
  }

  async #ask(channelId: string, known: KnownChannel | undefined): Promise<void> {
    const askedAt = this.#now();
    const keep = async (fact: ChannelRecord) => {
      this.#tell(await this.#deps.store.keep(channelId, fact, askedAt, known?.readersChanges ?? 0));
      if (known?.isArchived && !fact.isArchived) this.#noteBack(channelId);
    };
    try {
      const { channel } = await this.#deps.slack.quick.conversations.info({ channel: channelId });
      if (!channel) return;
      await keep(toChannelRecord(channel));
    } catch (error) {
      // Slack shows every public channel, so this one is private or gone.
      if (slackRefusal(error) !== 'channel_not_found') throw error;
      const { name = '', isShared = false, isArchived = false } = known ?? {};
      await keep({ name, isShared, isArchived, isPrivate: true, isDeleted: false });
    }
  }

  async #askMembers(channelId: string): Promise<void> {
    const askedAt = this.#now();
    const ids: string[] = [];
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      const answer = await this.#deps.slack.quick.conversations.members({
        channel: channelId,
        limit: pageSize,
        ...(cursor ? { cursor } : {}),
      });
      ids.push(...(answer.members ?? []));
      cursor = answer.response_metadata?.next_cursor ?? '';
      if (cursor === '') break;
    }
    const isWhole = cursor === '';
    if (isWhole) this.#questions.large.delete(channelId);
    else this.#questions.large.set(channelId, askedAt);
    await this.#deps.store.setMembers(channelId, ids, askedAt, isWhole);
  }
}

/** A stored channel. Moments are epoch milliseconds; 0 means that Slack must be asked. */
export interface KnownChannel extends ChannelRecord {
  readonly askedAt: number;
  readonly membersAt: number;
  /** Events that said who reads it. */
  readonly readersChanges: number;
  /** Slack's word for why it takes no post of Muster's there; `""` while it takes them. */
  readonly postRefusal: string;
}

/** A person joined or left a channel. `at` is in epoch milliseconds. */
interface MemberChange {
  readonly channelId: string;
  readonly userId: string;
  readonly isMember: boolean;
  readonly at: number;
}

const ofChannels = ['bot_channel'] as const;
const channelKey = (channelId: string) => `channel ${channelId}`;
const ofMembers = ['bot_channel_member', 'bot_person'] as const;

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

/** The signs around a channel's id in a text: in JSON, in a mention, and in the address of a message. */
const channelMarks = [
  ['"', '"'],
  ['<#', '>'],
  ['<#', '|'],
  ['/archives/', '/'],
] as const;

/** The channels of a workspace in the bot's database. */
export class ChannelStore {
  /** The columns that hold the id of a channel, and those with texts that name one, by table. Only these follow a channel to its new id. */
  static readonly columns: Readonly<
    Record<string, { readonly ids: readonly string[]; readonly texts?: readonly string[] }>
  > = {
    bot_alert_offer: { ids: ['channel'] },
    bot_called: { ids: ['channel'] },
    bot_channel: { ids: ['channel_id'] },
    bot_channel_member: { ids: ['channel_id'] },
    bot_delivery: { ids: ['channel_id'], texts: ['body'] },
    bot_draft: { ids: [], texts: ['content'] },
    bot_duty: { ids: ['channel'] },
    bot_found: { ids: [], texts: ['line'] },
    bot_intent: { ids: [], texts: ['payload', 'origin', 'attachment', 'outcome'] },
    bot_line: { ids: ['channel'], texts: ['words'] },
    bot_message_note: { ids: ['channel_id'] },
    bot_room: { ids: ['channel_id', 'announcement_channel_id'], texts: ['sources'] },
  };
  readonly #database: Database;
  readonly #db: Kysely<BotTables>;
  readonly #teamId: string;
  readonly #known: Known | undefined;

  /** With `known`, each thing is read once. */
  constructor(database: Database, teamId: string, known?: Known) {
    this.#database = database;
    this.#db = database.as<BotTables>();
    this.#teamId = teamId;
    this.#known = known;
  }

  /** This store, with each thing read once. */
  knowing(known: Known): ChannelStore {
    return new ChannelStore(this.#database, this.#teamId, known);
  }

  find(channelId: string): Promise<KnownChannel | undefined> {
    return this.#once(channelKey(channelId), ofChannels, () => this.#read(this.#db, channelId));
  }

  /**
   * Stores a channel as Slack described it. `readersChanges` is their number from before Slack was asked: if it has grown since, the
   * answer may be older than an event. Then it opens nothing, and Slack must be asked again. Returns the incidents in the channel
   * whose card must be shown again.
   */
  keep(channelId: string, fact: ChannelRecord, askedAt: number, readersChanges: number): Promise<readonly string[]> {
    return this.#locked(channelId, async trx => {
      const before = await this.#read(trx, channelId);
      const fresh = { membersAt: 0, readersChanges: 0, postRefusal: '' };
      const { membersAt, readersChanges: changes, postRefusal } = before ?? fresh;
      const known = { askedAt, membersAt, readersChanges: changes, postRefusal };
      const isOld = before !== undefined && before.readersChanges > readersChanges;
      const isPrivate = fact.isPrivate || (isOld && before.isPrivate);
      const isShared = fact.isShared || (isOld && before.isShared);
      const after = { ...fact, isPrivate, isShared, ...known, ...(isOld ? { askedAt: 0 } : {}) };
      await this.#write(trx, channelId, after);
      return isShownAlike(before ?? openChannel, after) ? [] : this.#countRooms(trx, channelId);
    });
  }

  /**
   * Changes a channel that is stored, and has Slack asked who reads it now. A shared channel stays so until Slack's answer. Returns as
   * `keep` does, and also the incidents in a channel that may be open.
   */
  change(channelId: string, change: Partial<ChannelRecord>): Promise<readonly string[]> {
    return this.#locked(channelId, async trx => {
      const before = await this.#read(trx, channelId);
      if (!before) return [];
      const said = { ...before, ...change };
      // Events may come late, so none opens a channel: Slack has the last word on who reads it.
      const after = { ...said, isShared: before.isShared || said.isShared };
      const isCertain = 'name' in change || 'isArchived' in change;
      const isAsked = isCertain ? {} : { askedAt: 0, readersChanges: before.readersChanges + 1 };
      const isOpened = change.isArchived === false ? { postRefusal: '' } : {};
      await this.#write(trx, channelId, { ...after, ...isAsked, ...isOpened });
      return isShownAlike(before, said) ? [] : this.#countRooms(trx, channelId);
    });
  }

  /** Stores Slack's word for why it takes no post of Muster's in a channel that is stored. */
  async setPostRefusal(channelId: string, post_refusal: string): Promise<void> {
    await this.#db
      .updateTable('bot_channel')
      .set({ post_refusal })
      .where('team_id', '=', this.#teamId)
      .where('channel_id', '=', channelId)
      .execute();
  }

  /** Stores that a channel is there and open, and that Slack may take posts in it. */
  async open(channelId: string): Promise<void> {
    await this.#db
      .updateTable('bot_channel')
      .set({ is_archived: 0, is_deleted: 0, post_refusal: '' })
      .where('team_id', '=', this.#teamId)
      .where('channel_id', '=', channelId)
      .where(({ or, eb }) => or([eb('is_archived', '=', 1), eb('is_deleted', '=', 1), eb('post_refusal', '!=', '')]))
      .execute();
  }

  /** Gives everything that is stored of a channel its new id. Settings that name it say it to the doctor. */
  async follow(oldId: string, newId: string, now: number): Promise<void> {
    await this.#locked(oldId, async trx => {
      // What Slack said of the new id meanwhile is asked again.
      for (const table of ['bot_channel', 'bot_channel_member'] as const)
        await trx.deleteFrom(table).where('team_id', '=', this.#teamId).where('channel_id', '=', newId).execute();
      for (const [table, columns] of Object.entries(ChannelStore.columns))
        for (const column of columns.ids)
          await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${newId} where ${sql.ref(column)} = ${oldId}`.execute(
            trx,
          );
      for (const [table, columns] of Object.entries(ChannelStore.columns))
        for (const column of columns.texts ?? [])
          for (const [before, after] of channelMarks) {
            const [sought, put] = [`${before}${oldId}${after}`, `${before}${newId}${after}`];
            await sql`update ${sql.table(table)} set ${sql.ref(column)} = replace(${sql.ref(column)}, ${sought}, ${put})
              where ${sql.ref(column)} like ${`%${sought}%`}`.execute(trx);
          }
      const row = { name: movedChannel.write(oldId, newId), seen_at: new Date(now).toISOString() };
      await trx
        .insertInto('bot_sighting')
        .values(row)
        .onConflict(conflict => conflict.column('name').doNothing())
        .execute();
    });
  }

  /** Whether a person is stored as a member. */
  isMember(channelId: string, userId: string): Promise<boolean> {
    return this.#once(`member ${channelId} ${userId}`, ofMembers, async () => {
      const row = await this.#members(this.#db, channelId).where('user_id', '=', userId).executeTakeFirst();
      return row?.is_member === 1;
    });
  }

  /** The ids of the people who are stored as members. */
  members(channelId: string): Promise<readonly string[]> {
    return this.#once(`members ${channelId}`, ofMembers, async () => {
      const rows = await this.#members(this.#db, channelId).where('is_member', '=', 1).execute();
      return rows.map(row => row.user_id);
    });
  }

  /** Whether one of the workspace's guests is stored as a member. */
  hasGuests(channelId: string): Promise<boolean> {
    const guest = { teamId: this.#teamId, channelId };
    return this.#once(`guests ${channelId}`, ofMembers, async () => (await findGuest(this.#db, guest)).length > 0);
  }

  /**
   * Stores one change in a channel that is stored, unless a newer one is. Returns the incidents announced there, where a guest joined, and
   * those whose private room it is.
   */
  setMember(change: MemberChange): Promise<{ readonly shown: readonly string[]; readonly counted: readonly string[] }> {
    const { channelId, userId, isMember } = change;
    return this.#locked(channelId, async trx => {
      const known = await this.#read(trx, channelId);
      if (!known) return { shown: [], counted: [] };
      await this.#setMembers(trx, [change]);
      const guests = guestsOf(trx)
        .where('member.team_id', '=', this.#teamId)
        .where('member.channel_id', '=', channelId)
        .where('member.user_id', '=', userId);
      const isGuest = isMember && (await guests.executeTakeFirst()) !== undefined;
      // Guests who are in a room see its incident.
      return {
        shown: isGuest ? await this.#countRooms(trx, channelId, ['announcement_channel_id']) : [],
        counted: known.isPrivate ? await this.#countRooms(trx, channelId, ['channel_id']) : [],
      };
    });
  }

  /**
   * Stores the list of members as Slack gave it. Changes after `at` stay. A list that is not whole says nothing of the people whom it lacks,
   * and counts as none.
   */
  setMembers(channelId: string, userIds: readonly string[], at: number, isWhole: boolean): Promise<void> {
    return this.#locked(channelId, async trx => {
      const known = await this.#members(trx, channelId).execute();
      const listed = new Set(userIds);
      const gone = known.map(row => row.user_id).filter(id => isWhole && !listed.has(id));
      await this.#setMembers(trx, [
        ...[...listed].map(userId => ({ channelId, userId, isMember: true, at })),
        ...gone.map(userId => ({ channelId, userId, isMember: false, at })),
      ]);
      await trx
        .updateTable('bot_channel')
        .set({ members_at: isWhole ? at : 0 })
        .where('team_id', '=', this.#teamId)
        .where('channel_id', '=', channelId)
        .execute();
    });
  }

  #once<T>(key: string, tables: readonly string[], read: () => Promise<T>): Promise<T> {
    return this.#known ? this.#known.once(key, tables, read) : read();
  }

  #locked<T>(channelId: string, work: (trx: Kysely<BotTables>) => Promise<T>): Promise<T> {
    return this.#database.withLock<BotTables, T>(`channel ${channelId}`, work);
  }

  async #read(from: Kysely<BotTables>, channelId: string): Promise<KnownChannel | undefined> {
    const [row] = await findChannel(from, { teamId: this.#teamId, channelId });
    return row && toChannel(row);
  }

  async #write(trx: Kysely<BotTables>, channelId: string, channel: KnownChannel): Promise<void> {
    const row = toRow(channel);
    await trx
      .insertInto('bot_channel')
      .values({ team_id: this.#teamId, channel_id: channelId, ...row })
      .onConflict(conflict => conflict.columns(['team_id', 'channel_id']).doUpdateSet(row))
      .execute();
  }

  #members(db: Kysely<BotTables>, channelId: string) {
    const rows = db.selectFrom('bot_channel_member').select(['user_id', 'is_member']);
    return rows.where('team_id', '=', this.#teamId).where('channel_id', '=', channelId);
  }

  async #setMembers(trx: Kysely<BotTables>, changes: readonly MemberChange[]): Promise<void> {
    const rows = changes.map(({ channelId, userId, isMember, at }) => ({
      ...{ team_id: this.#teamId, channel_id: channelId, user_id: userId },
      ...{ is_member: isMember ? 1 : 0, changed_at: at },
    }));
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      await trx
        .insertInto('bot_channel_member')
        .values(rows.slice(from, from + rowsAtOnce))
        .onConflict(conflict =>
          conflict
            .columns(['team_id', 'channel_id', 'user_id'])
            .doUpdateSet(({ ref }) => ({
              is_member: ref('excluded.is_member'),
              changed_at: ref('excluded.changed_at'),
            }))
            .whereRef('bot_channel_member.changed_at', '<=', 'excluded.changed_at'),
        )
        .execute();
    }
  }

  /** Counts a change of every incident whose card or announcement is in a channel, so that it is shown however the process ends. */
  async #countRooms(
    trx: Kysely<BotTables>,
    channelId: string,
    places: readonly ('channel_id' | 'announcement_channel_id')[] = ['channel_id', 'announcement_channel_id'],
  ): Promise<readonly string[]> {
    const isIn = ({ or, and, eb }: ExpressionBuilder<BotTables, 'bot_room'>) =>
      or(places.map(place => and([eb('team_id', '=', this.#teamId), eb(place, '=', channelId)])));
    const rows = await trx
      .updateTable('bot_room')
      .set(({ eb }) => ({ version: eb('version', '+', 1) }))
      // Each place has an index of its own, which begins with the team.
      .where(isIn)
      .returning('incident_id')
      .execute();
    return rows.map(row => row.incident_id);
  }
}

/** Lets `also` know a channel that was read with a room in it. */
export function keepChannel(
  also: (key: string, tables: readonly string[], value: KnownChannel) => void,
  channelId: string,
  channel: KnownChannel | undefined,
): void {
  if (channel) also(channelKey(channelId), ofChannels, channel);
}

/** The channel that an unknown one was taken for when something was shown in it. */
const openChannel: ChannelRecord = {
  ...{ name: '', isPrivate: false, isShared: false, isArchived: false, isDeleted: false },
};

/** Whether cards and announcements look the same in both. */
function isShownAlike(one: ChannelRecord, other: ChannelRecord): boolean {
  return one.isPrivate === other.isPrivate && one.isShared === other.isShared;
}

/** The columns of a channel's row besides its key. */
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
