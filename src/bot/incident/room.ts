import type { Incident } from '../../contract/incidents.ts';
import { missingScope, refusalLevel, slackReason } from '../slack/clients.ts';
import { postOnce } from '../slack/post-once.ts';
import { sentence } from '../text/blocks.ts';
import type { AfterDoneContext } from './intent-kind.ts';
import type { Room } from './room-store.ts';

/** A channel's name has at most 80 characters (docs/slack.md 7); some are left for a suffix. */
const maxName = 70;
/** Names tried before giving up: the plain one, then with suffixes. */
export const maxNames = 20;

/** The name of an incident's channel: `inc-7-db-is-down`, without its number while it has none; with a suffix from the second attempt on. */
export function channelName(prefix: string, incident: Pick<Incident, 'incidentID' | 'title'>, attempt = 1): string {
  const slug = incident.title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const number = incident.incidentID.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const name = `${prefix}${number}${number === '' ? '' : '-'}${slug}`;
  const cut = [...name].slice(0, maxName).join('').replace(/-+$/, '');
  return attempt === 1 ? cut : `${cut}-${attempt}`;
}

/**
 * Posts a line in the incident's channel, once. Returns a sentence of mrkdwn when that failed, and `""` when it is there or the
 * incident has no channel.
 */
export async function tellRoom(ctx: AfterDoneContext, incidentID: string, line: string): Promise<string> {
  const { deps, log, id: intent, mayStand, askedAt: since } = ctx;
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return '';
  const { channelId: channel } = room;
  try {
    const share = await deps.visibility.share('line', { incidentID }, channel);
    if (share !== 'all') return `I did not say so in <#${channel}>: people of another organisation read it.`;
    await postOnce(deps.slack, { channel, words: sentence(line), intent, part: 'line', mayStand, since });
    return '';
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'room: could not post a line');
    return `I could not say so in <#${channel}>: ${reasonWords(error)}`;
  }
}

/** Why Slack refused and what to do, in mrkdwn. */
export function reasonWords(error: unknown): string {
  const word = slackReason(error);
  switch (word) {
    case 'restricted_action':
      return 'this workspace does not let apps do that. An administrator can allow it.';
    case 'name_taken':
      return 'every name I tried is taken. Create a channel yourself and invite me.';
    case 'ratelimited':
      return 'Slack is rate limiting me. Do it by hand, or try again in a minute.';
    case 'not_in_channel':
      return `I am not in that channel. Invite me with \`/invite @Muster\`.`;
    case 'channel_not_found':
      return 'that channel no longer exists, or I cannot see it. Invite me there with `/invite @Muster`.';
    case 'is_archived':
      return 'that channel is archived.';
    case 'missing_scope':
      return missingScopeWords(missingScope(error));
    case 'unreachable':
      return 'Slack did not answer in time, so it may or may not have happened.';
    default:
      return `Slack said \`${word.replaceAll('`', "'")}\`.`;
  }
}

/** One line for the person: which permission is missing, and who can add it. */
function missingScopeWords(scope: string): string {
  const name = scope === '' ? 'a permission' : `the permission \`${scope}\``;
  return `the app lacks ${name}. Your Muster administrator can add it: \`muster doctor\` says how.`;
}

/** The mention of the incident's channel; `""` when it has none. */
export function roomMention(room: Room | undefined): string {
  return room && room.channelName !== '' ? `<#${room.channelId}>` : '';
}
