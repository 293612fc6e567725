import { renderMrkdwn } from '../../fake-slack/render/mrkdwn.ts';
import type { WorkspaceView } from '../../workspace/protocol.ts';
import { emojiOf } from '../blocks/emoji.ts';

/** A day, a time of day or both, such as `Nov 24, 2026 11:11 PM`: its words belong together. */
const moment =
  /(?:[A-Z][a-z]+ \d{1,2}, \d{4}|\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?: [AP]M)?)(?:(?: at)? \d{1,2}:\d\d(?: [AP]M)?)?/g;

/** The words of mrkdwn on one line, for labels and announcements: about `most` characters, cut between words. */
export function plainText({ people, channels, groups }: WorkspaceView, mrkdwn: string, most: number): string {
  const directory = {
    personName: (id: string) => people.find(each => each.id === id)?.name,
    channelName: (id: string) => channels.find(each => each.id === id)?.name,
    groupHandle: (id: string) => groups.find(each => each.id === id)?.handle,
  };
  const words = renderMrkdwn(directory, mrkdwn).replace(/:([a-z0-9_+-]+):/g, (whole, name) => emojiOf(name) ?? whole);
  return shorten(words.replace(/\s+/g, ' ').trim(), most);
}

/** Cuts a text between words, and never within a time. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const torn = [...text.matchAll(moment)].find(({ index, 0: words }) => index < most && index + words.length > most);
  const kept = text.slice(0, torn?.index ?? most + 1);
  const between = kept.replace(/\s+\S*$/, '');
  // A single long word has no place to be cut but its middle.
  return `${between.trim() === '' || between === kept ? text.slice(0, most) : between}…`;
}
