import type { Stand } from '../chaos/stand.ts';

/** What Slack shows twice: rooms, cards, and lines about one act; empty when nothing was repeated. */
export function findDoubled({ slack, stages, crowd }: Stand): readonly string[] {
  const people = new Set<string | undefined>(crowd.people.map(each => each.id));
  const rooms = slack.channels.filter(each => each.name.startsWith('inc-')).map(each => each.name);
  return [
    ...repeated(rooms),
    ...stages.flatMap(({ room }) => {
      const own = room.messages.filter(each => each.ephemeralTo === undefined && !people.has(each.userId));
      const cards = own.filter(each => each.pinned).map(() => `the card of ${room.name}`);
      const lines = own.filter(each => !each.pinned).flatMap(each => each.text.split('\n'));
      return [...repeated(cards), ...repeated(lines.filter(line => line.includes('word-')))];
    }),
  ];
}

function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
