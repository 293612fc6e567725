import type { Logger } from 'pino';
import type { ValuesOf } from '../../config/setting.ts';
import type { teamSettings } from '../../config/team-settings.ts';
import { toMrkdwn } from '../text/blocks.ts';

/** A person who looks at incidents. */
export interface Viewer {
  readonly teamId: string;
  readonly userId: string;
  readonly isGuest: boolean;
  /** The channel in which Slack says that they act at this moment, so that they are in it; `""` for none. */
  readonly channelId: string;
}

/** An incident by its id, and what the API said of it where it has been read. */
export interface Subject {
  readonly incidentID: string;
  /** `private` when the API marks it so. */
  readonly incidentType?: string;
}

/** Where the rule gets its facts. `isClose`: they decide about a post or an invitation, so they are asked for again. */
export interface PrivacyReader {
  roomOf(incidentID: string): Promise<string>;
  /** Throws {@link NotVisible} when there is no such incident, and the RpcError when that cannot be told. */
  privacyOf(
    subject: Subject,
    isClose: boolean,
  ): Promise<{
    /** The channel that is its room; `""` for none. */
    readonly roomId: string;
    /** Its room is private, or the API marks it as private, or nobody can tell. */
    readonly isPrivate: boolean;
  }>;
  isMember(channelId: string, userId: string, isClose: boolean): Promise<boolean>;
  /** Whether a person declared an incident or holds a role in it. */
  isInvolved(viewer: Viewer, incidentID: string): Promise<boolean>;
  /** Whether people of another organisation read a channel; undefined while Slack does not tell. */
  isShared(channelId: string, isClose: boolean): Promise<boolean | undefined>;
  /** Whether guests read a channel; undefined while Slack does not tell. */
  hasGuests(channelId: string, isClose: boolean): Promise<boolean | undefined>;
  /** Whether only its members read a channel; false when Slack does not say. */
  isClosed(channelId: string, isClose: boolean): Promise<boolean>;
}

/** The settings by which a team allows more than the rule. */
export type VisibilityRules = ValuesOf<typeof teamSettings, 'GUESTS' | 'SHARED_CHANNELS'>;

/** The ways by which people come to see or change incidents. The log names the one that was refused. */
const doors = [
  'read',
  'list',
  'channel',
  'snapshot',
  'latest snapshots',
  'queued changes',
  'write',
  'form',
  'own change',
  'late receipt',
  'assignee',
  'invitation',
  'page',
] as const;
/** One of {@link doors}. */
export type Door = (typeof doors)[number];
/** Those where an old fact does not do. */
const closeDoors: readonly Door[] = ['assignee', 'invitation', 'page'];

/** The ways by which Muster shows incidents to whole channels. */
const stages = ['card', 'announcement', 'line', 'topic', 'status', 'posted list', 'dashboard'] as const;
/** One of {@link stages}. */
export type Stage = (typeof stages)[number];

/**
 * The part of an incident that the readers of a channel may see: all of it, a stub that names nothing but the number, or nothing. `unknown`
 * while Slack does not tell who reads the channel. Muster then shows a stub at most, takes nothing back that it cannot show again, and asks
 * again for everything that it holds back.
 */
export type Share = 'all' | 'stub' | 'nothing' | 'unknown';

/** People of another organisation; guests; `unknown` while Slack does not tell whether there are any. */
type Outsiders = 'strangers' | 'guests' | 'unknown';

/** There is no such incident for this person. The words are the same whether it exists or not. */
export class NotVisible extends Error {
  readonly mrkdwn: string;

  constructor(incidentID: string) {
    super('no such incident for this person');
    this.name = 'NotVisible';
    // Only numbers are for people.
    const name = incidentID.startsWith('~') ? 'such incident' : `incident ${toMrkdwn(incidentID, 40)}`;
    this.mrkdwn = `There is no ${name} that you can see: it does not exist, or it is private and you are not in its channel. \`/incident list\` shows the rest.`;
  }
}

/**
 * The one rule for sight. An incident whose room is private, or that the API marks as private, is visible to the members of its room
 * alone; without a room, to who declared it or holds a role in it. Guests see the incidents whose room they are in. Other
 * organisations see nothing of an incident. A channel shows what all its readers may see (docs/decisions.md, Private incidents).
 */
export class Visibility {
  readonly #facts: PrivacyReader;
  readonly #rules: VisibilityRules;
  readonly #log: Logger;
  #isUnsure = false;

  constructor(deps: { facts: PrivacyReader; rules: VisibilityRules; log: Logger }) {
    this.#facts = deps.facts;
    this.#rules = deps.rules;
    this.#log = deps.log;
  }

  /** Whether a share was `unknown` since this was opened. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** Whether a person sees an incident. Throws {@link NotVisible} when there is none, and the RpcError when that cannot be told. */
  async sees(door: Door, viewer: Viewer, subject: Subject): Promise<boolean> {
    const mayPass = await this.#mayPass(viewer, subject, closeDoors.includes(door));
    if (!mayPass) this.#log.info({ door, incident: subject.incidentID, user: viewer.userId }, 'visibility: refused');
    return mayPass;
  }

  /** What the readers of a channel may see of an incident. Throws as {@link sees}. */
  async share(stage: Stage, subject: Subject, channelId: string): Promise<Share> {
    const share = await this.#share(subject, channelId);
    this.#isUnsure ||= share === 'unknown';
    if (share !== 'all')
      this.#log.info({ stage, share, incident: subject.incidentID, channel: channelId }, 'visibility: held back');
    return share;
  }

  /**
   * What the readers of a channel would see of an incident whose room it became. A private incident has room only in a private channel
   * that no other organisation reads. Throws as {@link sees}.
   */
  async shareAsRoom(subject: Subject, channelId: string): Promise<Share> {
    const isShared = (await this.#facts.isShared(channelId, true)) ?? true;
    const { isPrivate } = await this.#facts.privacyOf(subject, true);
    if (isPrivate && (isShared || !(await this.#facts.isClosed(channelId, true)))) return 'nothing';
    return isShared && this.#rules.sharedChannels === 'number' ? 'stub' : 'all';
  }

  /** The readers of a channel who may not see the incidents of other channels there, nor alerts; undefined for none. */
  async outsidersIn(channelId: string): Promise<Outsiders | undefined> {
    const outsiders = await this.#outsidersIn(channelId, false);
    this.#isUnsure ||= outsiders === 'unknown';
    return outsiders;
  }

  /** Whether an incident is private. Throws as {@link sees}. */
  async isPrivate(subject: Subject): Promise<boolean> {
    return (await this.#facts.privacyOf(subject, true)).isPrivate;
  }

  /** Whether a person would see an incident that had no room. Throws as {@link sees}. */
  async seesWithoutRoom(viewer: Viewer, subject: Subject): Promise<boolean> {
    const { isPrivate } = await this.#facts.privacyOf(subject, true);
    return !isPrivate || (await this.#facts.isInvolved(viewer, subject.incidentID));
  }

  async #mayPass(viewer: Viewer, subject: Subject, isClose: boolean): Promise<boolean> {
    const { incidentID } = subject;
    if (viewer.channelId !== '' && viewer.channelId === (await this.#facts.roomOf(incidentID))) return true;
    const { roomId, isPrivate } = await this.#facts.privacyOf(subject, isClose);
    if (!isPrivate && (!viewer.isGuest || this.#rules.guests === 'all')) return true;
    return roomId === ''
      ? this.#facts.isInvolved(viewer, incidentID)
      : this.#facts.isMember(roomId, viewer.userId, isClose);
  }

  async #share(subject: Subject, channelId: string): Promise<Share> {
    const isHome = channelId === (await this.#facts.roomOf(subject.incidentID));
    if (!isHome && (await this.#facts.privacyOf(subject, true)).isPrivate) return 'nothing';
    const outsiders = await this.#outsidersIn(channelId, isHome);
    if (outsiders === 'unknown') return outsiders;
    return outsiders === undefined ? 'all' : 'stub';
  }

  async #outsidersIn(channelId: string, isHome: boolean): Promise<Outsiders | undefined> {
    const { sharedChannels, guests } = this.#rules;
    const isShared = sharedChannels === 'number' ? await this.#facts.isShared(channelId, !isHome) : false;
    if (isShared) return 'strangers';
    // Guests who are in its room see the incident.
    const hasGuests = isHome || guests === 'all' ? false : await this.#facts.hasGuests(channelId, true);
    if (hasGuests) return 'guests';
    return isShared === undefined || hasGuests === undefined ? 'unknown' : undefined;
  }
}
