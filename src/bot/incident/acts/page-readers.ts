import { hash } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.ts';
import type { Deadlines } from '../../../deadlines.ts';
import { slackProvider } from '../../people/accounts.ts';
import { NotIdentified, type People } from '../../people/directory.ts';
import type { Person } from '../../people/person.ts';
import { whyNotDashboards, whyOut } from '../../people/reach.ts';
import { NotVisible, type Visibility, type VisibilityRules } from '../../people/visibility.ts';
import type { BotTables } from '../../schema/tables.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { settlesWithin } from '../../text/timeout.ts';
import { type Channels, outsideAge, sightAge } from '../state/channels.ts';
import type { Rooms } from '../state/room-store.ts';

/** Channels about whose members Slack is asked at a time. */
const atOnce = 30;

/** The incidents that a person sees in lists: queries for their ids. The rule for one incident is in `people/visibility.ts`. */
interface PageSight {
  readonly seesPublic: boolean;
  readonly userIDs: readonly string[];
  readonly joined: RawBuilder<string>;
  readonly roomed: RawBuilder<string>;
  readonly closed: RawBuilder<string>;
  readonly declared: RawBuilder<string>;
  readonly mark: string;
}

/** A person who may read pages in a browser. */
interface PageReader {
  readonly name: string;
  readonly seesDashboards: boolean;
  /** How many of their rooms are left out, since Slack did not answer about them in time. */
  readonly leftOut: number;
  readonly sight: PageSight;
}

interface PageReaderDeps {
  readonly database: Database;
  readonly people: People;
  readonly visibility: Visibility;
  readonly channels: Channels;
  readonly rooms: Rooms;
  readonly rules: VisibilityRules;
  readonly teamId: string;
  /** With a slash at its end; `""` when it is not known. */
  readonly workspaceUrl: string;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** Tells who reads Muster's pages, and what they see there. While Slack does not tell, the answer is `away`: nothing is shown then. */
export class PageReaders {
  readonly #deps: PageReaderDeps;
  readonly #db: Kysely<BotTables>;

  constructor(deps: PageReaderDeps) {
    this.#deps = deps;
    this.#db = deps.database.as<BotTables>();
  }

  /** The person of a Slack id as they are now; undefined for a person who may read nothing. */
  async find(userId: string): Promise<PageReader | 'away' | undefined> {
    const person = await this.#identify(userId);
    if (person === undefined || person === 'away') return person;
    const unsure = await this.#findUnsure(await this.#joinedRooms(person), userId);
    const { userID } = await this.#deps.people.toKnown(person);
    const ids = [...new Set([userID, `${slackProvider}${userId}`])];
    return {
      name: person.name,
      seesDashboards: whyNotDashboards(person) === undefined,
      leftOut: unsure.length,
      sight: this.#toSight(person, ids, [await this.#joinedRooms(person), unsure]),
    };
  }

  /** Whether a person sees an incident, asked as closely as before an invitation. */
  async confirms(
    userId: string,
    { incidentID, isPrivate }: { incidentID: string; isPrivate: boolean },
  ): Promise<boolean | 'away'> {
    const { visibility, channels, rooms, rules, teamId } = this.#deps;
    const person = await this.#identify(userId);
    if (person === undefined || person === 'away') return person ?? false;
    const subject = { incidentID, incidentType: isPrivate ? 'private' : 'internal' };
    const viewer = { teamId, userId, isGuest: person.isGuest, channelId: '' };
    try {
      if (!(await visibility.sees('page', viewer, subject))) return false;
      const isByRoom = (person.isGuest && rules.guests === 'rooms') || (await visibility.isPrivate(subject));
      const room = isByRoom ? await rooms.ofIncident(incidentID) : undefined;
      return !room?.channelId || (await channels.knowsMembers(room.channelId, outsideAge)) || 'away';
    } catch (error) {
      if (error instanceof NotVisible) return false;
      throw error;
    }
  }

  /** Asks Slack, behind the answer, who is in the room of an incident that a person does not see. Never throws. */
  lookAgain(userId: string, incidentID: string): void {
    const { channels, rooms, log } = this.#deps;
    setImmediate(async () => {
      try {
        const room = await rooms.ofIncident(incidentID);
        if (!room?.channelId) return;
        await channels.look(room.channelId, outsideAge);
        await channels.isMember(room.channelId, userId, outsideAge);
      } catch (err) {
        log.debug({ err, incident: incidentID }, 'pages: could not look again who is in a room');
      }
    });
  }

  /** The address of the channel in which people handle an incident; `""` where there is none. */
  async channelOf(incidentID: string): Promise<string> {
    const { rooms, workspaceUrl } = this.#deps;
    const { channelId = '', refusal } = (await rooms.ofIncident(incidentID)) ?? {};
    const isNowhere = channelId === '' || isDirectMessage(channelId) || refusal === 'channel_not_found';
    return isNowhere || workspaceUrl === '' ? '' : `${workspaceUrl}archives/${channelId}`;
  }

  async #identify(userId: string): Promise<Person | 'away' | undefined> {
    try {
      const person = await this.#deps.people.identify({ teamId: this.#deps.teamId, userId }, 'page');
      return whyOut(person, 'told') === undefined ? person : undefined;
    } catch (error) {
      if (error instanceof NotIdentified) return 'away';
      throw error;
    }
  }

  /** The channels with incidents in which a person counts as a member, newest first; those of full members only where they are private. */
  async #joinedRooms({ userId, isGuest }: Person) {
    const rows = this.#db
      .selectFrom('bot_channel_member as member')
      .innerJoin('bot_channel as channel', join =>
        join.onRef('channel.team_id', '=', 'member.team_id').onRef('channel.channel_id', '=', 'member.channel_id'),
      )
      .innerJoin('bot_room as room', join =>
        join.onRef('room.team_id', '=', 'member.team_id').onRef('room.channel_id', '=', 'member.channel_id'),
      )
      .select('member.channel_id')
      .groupBy('member.channel_id')
      .where('member.team_id', '=', this.#deps.teamId)
      .where('member.user_id', '=', userId)
      .where('member.is_member', '=', 1)
      .$if(!isGuest, some => some.where('channel.is_private', '=', 1))
      .orderBy(({ fn }) => fn.max('room.created_at'), 'desc')
      .orderBy('member.channel_id');
    return (await rows.execute()).map(row => row.channel_id);
  }

  /** Has Slack say who is in these channels where that is old; yields the channels about which it did not in time. */
  async #findUnsure(ids: readonly string[], userId: string): Promise<readonly string[]> {
    const { channels, deadlines } = this.#deps;
    const old = await this.#onlyOld(ids);
    let isOver = old.length === 0;
    const ask = async () => {
      for (let at = 0; at < old.length && !isOver; at += atOnce)
        await Promise.all(old.slice(at, at + atOnce).map(id => channels.isMember(id, userId, sightAge)));
    };
    await settlesWithin(deadlines.rooms, ask());
    isOver = true;
    return await this.#onlyOld(old);
  }

  /** The channels whose present members are not known. */
  async #onlyOld(ids: readonly string[]): Promise<readonly string[]> {
    const old: string[] = [];
    for (const id of ids) if (!(await this.#deps.channels.knowsMembers(id, sightAge))) old.push(id);
    return old;
  }

  #toSight({ userId, isGuest }: Person, userIDs: readonly string[], rooms: unknown): PageSight {
    const { clock, rules, teamId } = this.#deps;
    const since = clock().getTime() - sightAge;
    const channel = sql`bot_channel channel on channel.team_id = room.team_id and channel.channel_id = room.channel_id`;
    return {
      seesPublic: !isGuest || rules.guests === 'all',
      userIDs,
      joined: sql`(select room.incident_id from bot_room room join ${channel} join bot_channel_member member
        on member.team_id = room.team_id and member.channel_id = room.channel_id
        where member.team_id = ${teamId} and member.user_id = ${userId} and member.is_member = 1
          and (channel.members_at >= ${since} or (channel.members_at > 0 and channel.is_archived + channel.is_deleted > 0)))`,
      roomed: sql`(select incident_id from bot_room where channel_id <> '')`,
      closed: sql`(select room.incident_id from bot_room room left join ${channel}
        where case when room.channel_id = '' then room.is_private else coalesce(channel.is_private, 1) end = 1)`,
      declared: sql`(select incident_id from bot_room where team_id = ${teamId} and declared_by = ${userId})`,
      mark: hash('sha256', JSON.stringify([isGuest, rooms])),
    };
  }
}
