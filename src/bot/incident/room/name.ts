import type { Incident } from '../../../contract/incidents.ts';
import { slackLimits } from '../../slack/limits.ts';

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
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const number = incident.incidentID.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const name = `${prefix}${number}${number === '' ? '' : '-'}${slug}`;
  const cut = [...name].slice(0, maxName).join('').replace(/-+$/, '');
  return attempt === 1 ? cut : `${cut}-${attempt}`;
}
