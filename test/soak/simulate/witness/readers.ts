import type { Channel, Person } from '../../../../playground/fake-slack/fake-slack.ts';
import { outsideAge, sightAge } from '../../../../src/bot/incident/state/channels.ts';
import { type ChannelEvent, toChannelEvent } from '../../../../src/bot/slack/channel-events.ts';
import { oneWorkspace } from '../../../../src/bot/slack/workspaces.ts';
import { type Act, type Acts, bears } from '../people/acts.ts';
import type { Setting } from '../setting.ts';
import type { Presence } from './presence.ts';

/** A change of who reads a channel, and whether Muster knows of it. */
interface Change {
  readonly channelId: string;
  readonly kind: 'made private' | 'left' | 'shared' | 'unshared';
  /** Who left; `""` for the other kinds. */
  readonly userId: string;
  readonly at: number;
  /** When Muster took Slack's event about it; undefined while it has not. */
  toldAt: number | undefined;
}

/** How long what was decided before Muster knew better may be on its way, in milliseconds: Slack is slow, and calls are repeated. */
const onItsWay = 10_000;

const marks = /\bm\d+\b/g;
/** For how long a process takes somebody for who they were whom another process heard of, in milliseconds. */
export const heardWithin = 600_000;
/** Reminders, calls, and the offer to catch up. */
const unaskedSigns = /:alarm_clock:|📟|This incident has been going on/u;

/**
 * Knows who may see which incident at every moment, and looks at everything that people are shown: what bears a mark of an
 * incident tells of it. The rule is that of `visibility.ts`, on what Slack itself knows. Where Slack told Muster nothing of a
 * change, what Muster read before counts for as long as `channels.ts` says.
 */
export class Readers {
  /** What somebody read who may not, whether or not they had asked for it. */
  readonly complaints: string[] = [];
  /** Those of it that Muster said unasked, or where it announces incidents. */
  readonly unasked: string[] = [];
  /** Marks of incidents that were declared as private. */
  readonly declaredPrivate = new Set<string>();
  readonly #setting: Setting;
  readonly #acts: Acts;
  readonly #presence: Presence;
  readonly #changes: Change[] = [];

  constructor(setting: Setting, acts: Acts, presence: Presence) {
    this.#setting = setting;
    this.#acts = acts;
    this.#presence = presence;
  }

  /** The room that Muster made for an incident; undefined while there is none. */
  roomOf(incident: string): Channel | undefined {
    const name = new RegExp(`(^|-)${incident}-`);
    const { channels, botUserId } = this.#setting.slack;
    return channels.find(each => each.creator === botUserId && name.test(each.name));
  }

  /** Whether the person may see the incident now. */
  maySee({ id, record }: Person, incident: string): boolean {
    if (record.isStranger) return false;
    const room = this.knownRoomOf(incident);
    if (!record.isRestricted && !room?.isPrivate && !this.declaredPrivate.has(incident)) return true;
    return room ? room.members.has(id) : this.#isInvolved(id, incident);
  }

  /** The room, once Muster has said something in it: the answer to its making may have been lost. */
  knownRoomOf(incident: string): Channel | undefined {
    const room = this.roomOf(incident);
    const { botId } = this.#setting.slack;
    return room?.messages.some(each => each.botId === botId && each.ephemeralTo === undefined) ? room : undefined;
  }

  /** Changes a channel. */
  change({ id: channelId }: Channel, kind: Change['kind'], userId: string, work: () => void): void {
    this.#changes.push({ channelId, kind, userId, at: this.#setting.time.now(), toldAt: undefined });
    work();
  }

  /** Whether Muster took no event about a change of how private or shared a channel is. */
  isUntold(channelId: string): boolean {
    return this.#changes.some(
      each => each.channelId === channelId && each.kind !== 'left' && each.toldAt === undefined,
    );
  }

  /** Whether people of another organisation ever read a channel. */
  wasShared(channelId: string): boolean {
    return this.#changes.some(each => each.channelId === channelId && each.kind === 'shared');
  }

  /** Muster took an event. */
  told(body: string): void {
    const event = toChannelEvent(JSON.parse(body), { identity: this.#setting.slack, workspaces: oneWorkspace() });
    if (!event) return;
    const isOfEvent = (change: Change) => change.channelId === event.channelId && isAbout(event, change);
    const change = this.#changes.findLast(each => isOfEvent(each) && each.at <= event.at + 1000);
    if (change && event.at + 1000 >= change.at) change.toldAt ??= this.#setting.time.now();
  }

  /** Something stands in a channel for all who read it. */
  showInChannel(channelId: string, text: string): void {
    const channel = this.#setting.slack.channels.find(each => each.id === channelId);
    if (!channel) return;
    for (const person of this.#setting.slack.people) {
      const { isStranger, isRestricted } = person.record;
      const reads = channel.members.has(person.id) || !(channel.isPrivate || isStranger || isRestricted);
      if (reads) this.#look(person, text, channel);
    }
  }

  /** Somebody alone is shown something. */
  show(userId: string, text: string): void {
    this.#look(this.#setting.slack.person(userId), text, undefined);
  }

  #look(person: Person, text: string, channel: Channel | undefined): void {
    const { time, history } = this.#setting;
    const incidents = [...new Set(text.match(marks))]
      .filter(mark => !this.#wrote(person.id, mark))
      .flatMap(mark => this.#acts.all.find(act => act.mark === mark && act.incident !== '')?.incident ?? []);
    for (const incident of new Set(incidents)) {
      if (this.maySee(person, incident)) continue;
      const what = `${person.name} reads of ${incident} ${channel ? `in #${channel.name}` : 'alone'}: ${text.slice(0, 300)}`;
      const isExcused = time.now() <= this.#excusedUntil(person, incident, channel);
      history.add('world', `${isExcused ? 'as nobody could know yet,' : 'and may not,'} ${what}`);
      if (isExcused) continue;
      this.complaints.push(what);
      const isAnnounced = channel?.id === this.#setting.settings.announceChannel;
      if (isAnnounced || unaskedSigns.test(text)) this.unasked.push(what);
    }
  }

  /** What a person typed may be given back to them. */
  #wrote(userId: string, mark: string): boolean {
    const isOwn = (act: Act) => act.mark === mark || act.value === mark || bears(act.what, mark);
    return this.#acts.all.some(act => act.userId === userId && isOwn(act));
  }

  /** Until when Muster may take a person for somebody who sees an incident, or a channel for one that nobody else reads. */
  #excusedUntil({ id, record }: Person, incident: string, channel: Channel | undefined): number {
    const place = record.isStranger ? channel : this.roomOf(incident);
    const kinds: readonly Change['kind'][] = record.isStranger ? ['shared'] : ['made private', 'left'];
    const latest = kinds.flatMap(kind => {
      const isOurs = (each: Change) =>
        each.kind === kind && each.channelId === place?.id && (kind !== 'left' || each.userId === id);
      return this.#changes.findLast(isOurs) ?? [];
    });
    const age = channel && !record.isStranger ? outsideAge : sightAge;
    // Slack does not always answer before all trouble is over, and what is stored counts until it does.
    const moments = latest.map(({ at, toldAt }) => toldAt ?? Math.max(at + age, this.#setting.calm));
    const guest = record.isRestricted ? (this.#presence.absences(id).at(-1)?.from ?? 0) + heardWithin : 0;
    return Math.max(...moments.map(each => each + onItsWay), guest);
  }

  /** Whether they declared the incident, or were given a role in it. */
  #isInvolved(userId: string, incident: string): boolean {
    return this.#acts.all.some(
      act =>
        act.incident === incident &&
        ((act.kind === 'declare' && act.userId === userId) || (act.kind === 'role' && act.value.endsWith(userId))),
    );
  }
}

function isAbout(event: ChannelEvent, { kind, userId }: Change): boolean {
  if ('userId' in event) return kind === 'left' && !event.isMember && event.userId === userId;
  const { isPrivate, isShared } = 'change' in event ? event.change : {};
  return { 'made private': isPrivate === true, shared: isShared === true, unshared: isShared === false, left: false }[
    kind
  ];
}
