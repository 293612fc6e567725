import type { Incident } from '../contract/incidents.ts';
import { sentence, type Words } from './blocks.ts';
import type { Aftermath } from './journal/intent.ts';
import type { Room } from './memory/rooms.ts';
import { slackReason, slackRefusal } from './slack.ts';

/** How an incident's place in Slack is to be made. */
export interface RoomPlan {
  /** Makes a channel; otherwise the incident stays where it was declared. */
  readonly makeChannel: boolean;
  readonly isPrivate: boolean;
  /** Slack ids of those to invite. */
  readonly invite: readonly string[];
}

/** A channel's name has at most 80 characters (slack.md 7); some are left for a suffix. */
const maxName = 70;
/** Names tried before giving up: the plain one, then with suffixes. */
const maxNames = 20;

/** The name of an incident's channel: `inc-7-db-is-down`, with a suffix from the second attempt on. */
export function channelName(prefix: string, incident: Pick<Incident, 'incidentID' | 'title'>, attempt = 1): string {
  const slug = incident.title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const name = `${prefix}${incident.incidentID.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${slug}`;
  const cut = [...name].slice(0, maxName).join('').replace(/-+$/, '');
  return attempt === 1 ? cut : `${cut}-${attempt}`;
}

/**
 * Makes an incident's place in Slack: channel, topic, invitations, card, pin, announcement. A step that fails is said and
 * the others go on: the incident itself is never at stake. Yields the room, and a sentence of mrkdwn for each failure.
 */
export async function makeRoom(
  aftermath: Aftermath,
  incident: Incident,
  plan: RoomPlan,
): Promise<{ room: Room; troubles: readonly string[] }> {
  const { desk, actor, place, now } = aftermath;
  const troubles: string[] = [];
  let room: Room = {
    incidentID: incident.incidentID,
    teamId: actor.teamId,
    channelId: '',
    channelName: '',
    isPrivate: plan.isPrivate,
    cardTs: '',
    announcementChannelId: '',
    announcementTs: '',
  };
  const keep = async (known: Partial<Room>) => {
    room = { ...room, ...known };
    if (room.channelId !== '') await desk.rooms.keep(room, now);
  };
  /** Runs one step; what Slack refuses becomes a sentence. */
  const step = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      aftermath.log.warn(
        { reason: slackReason(error), step: what, incident: incident.incidentID },
        'a Slack step failed',
      );
      troubles.push(`I could not ${what}: ${reasonWords(error)}`);
    }
  };

  const openPlace = plan.isPrivate ? '' : place.channelId;
  if (plan.makeChannel) {
    await step('make a channel for this incident', async () => keep(await createChannel(aftermath, incident, plan)));
    if (room.channelId !== '') {
      await step('invite everybody', () => invite(aftermath, room.channelId, plan.invite));
      await step('set the channel’s topic', () => desk.cards.setTopic(room.channelId, incident));
    }
  }
  // Whatever was to be private is never shown where others read.
  const home = room.channelId || openPlace;
  if (plan.isPrivate && home === '') {
    troubles.push('It was to be private, so its card is shown nowhere, and nobody else has been told of it.');
  }
  if (home !== '') {
    await step('post the incident’s card here', async () => {
      const cardTs = await post(aftermath, home, desk.cards.card(incident));
      await keep({ channelId: home, cardTs });
    });
  }
  if (room.cardTs !== '') {
    await step('pin the card', async () => {
      await desk.slack.once.pins.add({ channel: home, timestamp: room.cardTs });
    });
  }
  const announceIn = desk.house.announceChannel;
  if (announceIn !== '' && announceIn !== home && !plan.isPrivate) {
    await step(`announce it in <#${announceIn}>`, async () => {
      const linked = room.channelName === '' ? '' : room.channelId;
      const announcementTs = await post(aftermath, announceIn, desk.cards.announcement(incident, linked));
      await keep({ announcementChannelId: announceIn, announcementTs });
    });
  }
  return { room, troubles };
}

async function createChannel(
  { desk }: Aftermath,
  incident: Incident,
  plan: RoomPlan,
): Promise<{ channelId: string; channelName: string }> {
  for (let attempt = 1; ; attempt += 1) {
    const name = channelName(desk.house.channelPrefix, incident, attempt);
    try {
      const { channel } = await desk.slack.once.conversations.create({ name, is_private: plan.isPrivate });
      return { channelId: channel?.id ?? '', channelName: channel?.name ?? name };
    } catch (error) {
      if (slackRefusal(error) !== 'name_taken' || attempt >= maxNames) throw error;
    }
  }
}

async function invite({ desk }: Aftermath, channel: string, users: readonly string[]): Promise<void> {
  if (users.length === 0) return;
  try {
    await desk.slack.web.conversations.invite({ channel, users: [...new Set(users)].join(','), force: true });
  } catch (error) {
    if (slackRefusal(error) !== 'already_in_channel') throw error;
  }
}

async function post({ desk }: Pick<Aftermath, 'desk'>, channel: string, words: Words): Promise<string> {
  const { ts } = await desk.slack.once.chat.postMessage({
    channel,
    text: words.text,
    blocks: [...(words.blocks ?? [])],
    unfurl_links: false,
    unfurl_media: false,
  });
  return ts ?? '';
}

/**
 * Says a line to everybody in the incident's channel. Yields why nobody read it, as a sentence of mrkdwn, and `""` when it
 * stands there or there is no channel to say it in.
 */
export async function tellRoom(
  { desk, log }: Pick<Aftermath, 'desk' | 'log'>,
  incidentID: string,
  line: string,
): Promise<string> {
  const room = await desk.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return '';
  try {
    await post({ desk }, room.channelId, sentence(line));
    return '';
  } catch (error) {
    log.warn({ reason: slackReason(error), channel: room.channelId }, 'a line could not be posted');
    return `I could not say so in <#${room.channelId}>: ${reasonWords(error)}`;
  }
}

/** What Slack's refusals mean and who can do something about them, in mrkdwn. */
export function reasonWords(error: unknown): string {
  const word = slackReason(error);
  switch (word) {
    case 'restricted_action':
      return 'this workspace does not let apps do that. An administrator can allow it.';
    case 'name_taken':
      return 'every name I tried is taken. Make one by hand and invite me.';
    case 'ratelimited':
      return 'Slack is rate limiting me. Do it by hand, or try again in a minute.';
    case 'not_in_channel':
    case 'channel_not_found':
      return `I am not in that channel. Invite me with \`/invite @Muster\`.`;
    case 'is_archived':
      return 'that channel is archived.';
    case 'missing_scope':
      return 'the app lacks a permission. Whoever runs Muster must install it again with the current manifest.';
    case 'unreachable':
      return 'Slack did not answer in time, so it may or may not have happened.';
    default:
      return `Slack said \`${word.replaceAll('`', "'")}\`.`;
  }
}

/** Where the incident is, for a receipt: the channel's mention, or nothing. */
export function roomMention(room: Room | undefined): string {
  return room && room.channelName !== '' ? `<#${room.channelId}>` : '';
}
