import {
  type Channel,
  type FakeSlack,
  type Message,
  type Person,
  renderMessage,
  renderView,
} from '../../fake-slack/fake-slack.ts';

/** Something that the app did in Slack and that somebody sees. Texts are rendered, as people read them. */
export type News =
  | { readonly kind: 'form'; readonly reader: string; readonly text: string }
  | { readonly kind: 'channel'; readonly channel: Channel; readonly members: readonly string[] }
  | ({ readonly kind: 'message'; readonly text: string } & Seen)
  | ({ readonly kind: 'edit'; readonly text: string; readonly before: string } & Seen)
  | ({ readonly kind: 'reaction'; readonly names: readonly string[] } & Seen);

/** A message, where it stands, and the name of the one person who sees it; none when everybody does. */
export interface Seen {
  readonly channel: Channel;
  readonly message: Message;
  readonly reader: string | undefined;
}

/** Opens a look-out for what the app does: each call yields what is new since the last one, in the order it happened. */
export function openWatch(slack: FakeSlack): () => readonly News[] {
  const channels = new Set<string>(slack.channels.map(channel => channel.id));
  const forms = new Map<string, string>();
  const texts = new Map<string, string>();
  const reactions = new Map<string, number>();
  const nameOf = (id: string) => slack.directory.personName(id) ?? id;
  const peopleIn = (channel: Channel) => [...channel.members].filter(id => id !== slack.botUserId).map(nameOf);

  function newsOfForm(person: Person): News[] {
    const text = person.view ? renderView(slack, person.view) : '';
    const isNew = text !== '' && forms.get(person.id) !== text;
    forms.set(person.id, text);
    return isNew ? [{ kind: 'form', reader: person.name, text }] : [];
  }

  function newsOfMessage(channel: Channel, message: Message): News[] {
    const key = `${channel.id} ${message.ts}`;
    const reader = message.ephemeralTo ?? channel.imUserId;
    const seen: Seen = { channel, message, reader: reader === undefined ? undefined : nameOf(reader) };
    const news: News[] = [];
    if (message.botId === slack.botId) {
      const text = renderMessage(slack, message);
      const before = texts.get(key);
      texts.set(key, text);
      if (before === undefined) news.push({ kind: 'message', text, ...seen });
      else if (before !== text) news.push({ kind: 'edit', text, before, ...seen });
    }
    const known = reactions.get(key) ?? 0;
    reactions.set(key, message.reactions.length);
    const names = message.reactions.slice(known).map(reaction => reaction.name);
    return names.length > 0 ? [...news, { kind: 'reaction', names, ...seen }] : news;
  }

  function newsOfChannel(channel: Channel): News[] {
    const isNew = !channels.has(channel.id) && !channel.isIm;
    channels.add(channel.id);
    const shown = channel.messages.filter(message => message.subtype === undefined);
    const news = shown.flatMap(message => newsOfMessage(channel, message));
    return isNew ? [{ kind: 'channel', channel, members: peopleIn(channel) }, ...news] : news;
  }

  return () =>
    [...slack.people.flatMap(newsOfForm), ...slack.channels.flatMap(newsOfChannel)].toSorted(
      (one, other) => timeOf(one) - timeOf(other),
    );
}

/** When it happened, in seconds as Slack counts; what bears no time of its own comes first (forms) or last (reactions). */
function timeOf(news: News): number {
  switch (news.kind) {
    case 'form':
      return 0;
    case 'channel':
      return Number(news.channel.messages[0]?.ts ?? 0);
    case 'message':
      return Number(news.message.ts);
    case 'edit':
      return Number(news.message.edited?.ts ?? news.message.ts);
    case 'reaction':
      return Number.POSITIVE_INFINITY;
  }
}

/**
 * The lines of a message, with the short facts of a card each on one line: `Status: Active`. Slack shows them in two columns,
 * a fact's name above its value.
 */
export function foldLabels(message: Message, text: string): string[] {
  const labels = new Set(message.blocks.flatMap(labelsOf));
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const above = lines.at(-1) ?? '';
    if (labels.has(above)) lines.splice(-1, 1, `${above}: ${line}`);
    else lines.push(line);
  }
  return lines;
}

/** The names of a section's fields, which stand in bold on their first line. */
function labelsOf({ fields }: Message['blocks'][number]): string[] {
  if (!Array.isArray(fields)) return [];
  return fields.flatMap((field: { text?: unknown }) => /^\*(.+)\*\n/.exec(String(field.text))?.[1] ?? []);
}

/** The lines that were not there before; all of them when lines were only taken away. */
export function changedLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const changed = after.filter(line => !before.includes(line));
  return changed.length === 0 ? after : changed;
}

/** How many messages to everybody say the same as an earlier one in the same place. */
export function countDuplicates(slack: FakeSlack): number {
  let duplicates = 0;
  for (const channel of slack.channels) {
    const said = new Set<string>();
    for (const message of channel.messages) {
      if (message.botId !== slack.botId || message.ephemeralTo !== undefined) continue;
      const text = `${message.threadTs ?? ''} ${renderMessage(slack, message)}`;
      if (said.has(text)) duplicates += 1;
      said.add(text);
    }
  }
  return duplicates;
}
