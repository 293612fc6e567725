import { isProvisional } from '../../journal/provisional-id.ts';
import { whyOut } from '../../people/reach.ts';
import type { ChannelEvent, RoomTalk } from '../../slack/channel-events.ts';
import { slackReason } from '../../slack/clients.ts';
import { actions, section, toMrkdwn } from '../../text/blocks.ts';
import { formatDuration } from '../../text/times.ts';
import { tellPerson } from '../answers/tell-person.ts';
import type { Deps } from '../feature/deps.ts';
import { catchUpButton } from '../feature/faces.ts';

/** How old an incident is before those who join its room are late, in milliseconds. Who was there since then is not. */
const lateAfter = 10 * 60_000;
/** Muster offers a catch-up to so many newcomers within a minute, in all rooms together. The others find the button on the card. */
const mostInMinute = 10;
const minute = 60_000;

/** A person came into a channel, when Slack says so: an event may be late. */
interface Entrance {
  readonly channelId: string;
  readonly userId: string;
  readonly at: number;
}

/**
 * Follows who is in which channel, and who writes there. A person who joins the room of an incident late is offered once, alone, to be
 * caught up.
 */
export function followChannels(deps: Deps, clock: () => Date) {
  const { slack, visits, channels, duties, calls } = deps;
  /** When newcomers were told within the last minute, in epoch milliseconds. */
  let told: number[] = [];
  let telling = Promise.resolve();

  async function welcome({ channelId, userId, at }: Entrance): Promise<void> {
    const now = clock();
    const late = await findLate(deps, { channelId, userId, at: at || now.getTime() }, now);
    if (!late) return;
    told = told.filter(at => at > now.getTime() - minute);
    if (told.length >= mostInMinute) return;
    told.push(now.getTime());
    const person = await deps.people.find(userId);
    if (!person || whyOut(person, 'told') !== undefined) return;
    if (!(await deps.visibility.sees('read', { ...person, channelId }, late))) return;
    if (!(await visits.isFirstOffer(late.incidentID, userId, now))) return;
    const text = `This incident has been going on for ${formatDuration(late.age / 1000)}: “${toMrkdwn(late.title, 150)}”.`;
    const words = { text, blocks: [section(text), actions([catchUpButton(late.incidentID)])] };
    const location = { channelId, threadTs: '' };
    await tellPerson(slack, { userId, location }, words, { unsure: 'directly', log: deps.log });
  }

  return {
    /** Follows an event about a channel. Resolves when it is stored. */
    take: async (event: ChannelEvent): Promise<void> => {
      await channels.take(event);
      if (!('userId' in event) || !event.isMember || event.userId === slack.identity.botUserId) return;
      telling = telling
        .then(() => welcome(event))
        .catch(error =>
          deps.log.warn({ reason: slackReason(error), channel: event.channelId }, 'newcomers: could not tell somebody'),
        );
    },
    /** A person wrote in a channel. */
    hear: ({ channelId, userId, text }: RoomTalk): void => {
      duties.hear(channelId);
      calls.noteThere(userId, { channelId });
      // A question to Muster is no sign that a person knows how things are.
      if (!text.includes(`<@${slack.identity.botUserId}`)) visits.hear(channelId, userId, clock());
    },
    /** Resolves when everything begun is done. */
    idle: async () => {
      await telling;
      await visits.flush();
    },
  };
}

/** The active incident of a channel that a person joins late; undefined when there is none, or they have just looked at it. */
async function findLate(
  { rooms, snapshots, visits, slack }: Deps,
  { channelId, userId, at }: Entrance,
  now: Date,
): Promise<{ readonly incidentID: string; readonly title: string; readonly age: number } | undefined> {
  for (const { incidentID } of await rooms.allOfChannel(slack.identity.teamId, channelId, now)) {
    const summary = isProvisional(incidentID) ? undefined : (await snapshots.get(incidentID))?.summary;
    if (!summary || summary.status === 'resolved') continue;
    const declared = Date.parse(summary.createdTime);
    const last = (await visits.last(incidentID, userId))?.getTime() ?? 0;
    const isLate = at - Math.max(declared, last) >= lateAfter;
    return isLate ? { incidentID, title: summary.title, age: now.getTime() - declared } : undefined;
  }
  return undefined;
}
