import {
  type Channel,
  type FakeSlack,
  type Message,
  type Person,
  renderMessage,
  renderView,
} from './fake-slack/fake-slack.ts';

/** Something the app did in Slack, and who sees it. Texts are rendered: they are what people read. */
export type Observation =
  | { readonly kind: 'form'; readonly reader: string; readonly text: string }
  | { readonly kind: 'home'; readonly reader: string; readonly text: string }
  | { readonly kind: 'channel'; readonly channel: Channel; readonly members: readonly string[] }
  | ({ readonly kind: 'message'; readonly text: string } & SeenMessage)
  | ({ readonly kind: 'edit'; readonly text: string; readonly before: string } & SeenMessage)
  | ({ readonly kind: 'reaction'; readonly names: readonly string[] } & SeenMessage);

/** A message and its channel. */
export interface SeenMessage {
  readonly channel: Channel;
  readonly message: Message;
  /** The name of the only person who sees it; absent when everybody in the channel does. */
  readonly reader: string | undefined;
}

/** Watches a workspace. Each call returns what the app did since the call before, in the order it happened. */
export function openObserver(slack: FakeSlack): () => readonly Observation[] {
  const channels = new Set<string>(slack.channels.map(channel => channel.id));
  const forms = new Map<string, string>();
  const homes = new Map<string, string>();
  const texts = new Map<string, string>();
  const reactions = new Map<string, number>();
  const nameOf = (id: string) => slack.directory.personName(id) ?? id;
  const peopleIn = (channel: Channel) => [...channel.members].filter(id => id !== slack.botUserId).map(nameOf);

  function observeForm(person: Person): Observation[] {
    const text = person.view ? renderView(slack, person.view) : '';
    const isNew = text !== '' && forms.get(person.id) !== text;
    forms.set(person.id, text);
    return isNew ? [{ kind: 'form', reader: person.name, text }] : [];
  }

  function observeHome(person: Person): Observation[] {
    const text = person.home ? renderView(slack, person.home) : '';
    const isNew = text !== '' && homes.get(person.id) !== text;
    homes.set(person.id, text);
    return isNew ? [{ kind: 'home', reader: person.name, text }] : [];
  }

  function observeMessage(channel: Channel, message: Message): Observation[] {
    const key = `${channel.id} ${message.ts}`;
    const reader = message.ephemeralTo ?? channel.imUserId;
    const seen: SeenMessage = { channel, message, reader: reader === undefined ? undefined : nameOf(reader) };
    const observed: Observation[] = [];
    if (message.botId === slack.botId) {
      const text = renderMessage(slack, message);
      const before = texts.get(key);
      texts.set(key, text);
      if (before === undefined) observed.push({ kind: 'message', text, ...seen });
      else if (before !== text) observed.push({ kind: 'edit', text, before, ...seen });
    }
    const known = reactions.get(key) ?? 0;
    reactions.set(key, message.reactions.length);
    const names = message.reactions.slice(known).map(reaction => reaction.name);
    return names.length > 0 ? [...observed, { kind: 'reaction', names, ...seen }] : observed;
  }

  function observeChannel(channel: Channel): Observation[] {
    const isNew = !channels.has(channel.id) && !channel.isIm;
    channels.add(channel.id);
    const shown = channel.messages.filter(({ subtype }) => subtype === undefined || subtype === 'thread_broadcast');
    const observed = shown.flatMap(message => observeMessage(channel, message));
    return isNew ? [{ kind: 'channel', channel, members: peopleIn(channel) }, ...observed] : observed;
  }

  return () =>
    [
      ...slack.people.flatMap(observeForm),
      ...slack.channels.flatMap(observeChannel),
      ...slack.people.flatMap(observeHome),
    ].toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** Unix seconds. Slack gives forms, reactions and home tabs no time: forms come first, the others last. */
function timeOf(observation: Observation): number {
  switch (observation.kind) {
    case 'form':
      return 0;
    case 'channel':
      return Number(observation.channel.messages[0]?.ts ?? 0);
    case 'message':
      return Number(observation.message.ts);
    case 'edit':
      return Number(observation.message.edited?.ts ?? observation.message.ts);
    case 'reaction':
    case 'home':
      return Number.POSITIVE_INFINITY;
  }
}

/**
 * The lines of a message. Slack shows the fields of a section in two columns, a field's name above its value; here each field
 * is one line, such as `Status: Active`.
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

/** The names of a section's fields: the bold first line of each. */
function labelsOf({ fields }: Message['blocks'][number]): string[] {
  if (!Array.isArray(fields)) return [];
  return fields.flatMap((field: { text?: unknown }) => /^\*(.+)\*\n/.exec(String(field.text))?.[1] ?? []);
}

/** An age such as “4 minutes ago”: it grows, and says nothing new. */
const age = /\b(?:just now|yesterday|(?:an?|\d+) \w+ ago|last \w+)\b/g;

/** The lines of `after` that `before` lacks, ages aside; all lines of `after` when it only lacks some. */
export function changedLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Set(before.map(line => line.replace(age, '')));
  const changed = after.filter(line => !known.has(line.replace(age, '')));
  return changed.length === 0 ? after : changed;
}

/** Counts the app's messages to everybody that repeat an earlier one in the same channel and thread. */
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
