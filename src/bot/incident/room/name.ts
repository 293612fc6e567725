import type { Incident } from '../../../contract/incidents.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { postOnce } from '../../slack/post-once.ts';
import { sentence } from '../../text/blocks.ts';
import type { AfterDoneContext } from '../acts/intent-kind.ts';
import { reasonWords } from '../state/refusal-words.ts';

/** Some characters of a channel's name are left for a suffix. */
const maxName = slackLimits.channelName - 10;
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
