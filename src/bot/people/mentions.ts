import type { Logger } from 'pino';
import { trimEnd } from '../../trim-end.ts';
import type { Args } from '../grammar/grammar.ts';
import { withoutPolite } from '../grammar/words.ts';
import { type Slack, slackReason } from '../slack/clients.ts';
import { mention, toMrkdwn } from '../text/blocks.ts';
import { escapeMrkdwn, toComparable, toOneLine } from '../text/words.ts';
import { namesOf, type People } from './directory.ts';
import type { Person } from './person.ts';
import { whyNotHolder, whyNotMentioned } from './reach.ts';

/** The people that a command names. */
export interface MentionedPeople {
  /** Slack ids, each once: mentions as Slack resolved them, and the id of the typist for `me`. */
  readonly ids: readonly string[];
  /** The words around them. */
  readonly rest: string;
  /** A sentence of mrkdwn about a name that is no mention; `""` when there is none. */
  readonly problem: string;
}

/**
 * Reads the people that a command names. A name that Slack did not turn into a mention is a problem, and so is a group: nobody is
 * guessed. `me` counts at either end of the text; in free text (`onlyAt`) only as `@me`.
 */
export function readMentions(args: Args, me: string, options: { onlyAt?: boolean } = {}): MentionedPeople {
  const isMe = (word: string) => (options.onlyAt ? /^@me[,:]?$/i : /^(@?me|@?myself)[,:]?$/i).test(word);
  const unknownNames = args.unresolved.filter(word => !isMe(word));
  const cutNames = new Set(options.onlyAt ? [] : unknownNames);
  // “1 to @bob, please”: what asks nicely stands behind the person.
  const rest = options.onlyAt ? args.rest : withoutPolite(args.rest);
  const shown = new Map(rest === args.rest ? [] : args.mentions.map(each => [each.shown, each]));
  const ends = cutEnds(rest, word => isMe(word) || cutNames.has(word) || shown.get(word)?.kind === 'user');
  const named = ends.cut.flatMap(word => shown.get(word)?.id ?? (isMe(word) ? me : []));
  const ids = [...args.users.map(user => user.id), ...named];
  return { ids: [...new Set(ids)], rest: ends.text, problem: problemWith(unknownNames, args) };
}

/** Words that ask a list for what is one's own. */
const ownWords = ['me', '@me', 'mine', 'my', 'myself', 'own'];

/** Whether what was typed behind a list asks for one's own alone: `/task list me`. */
export function asksForOwn(typed: string): boolean {
  return ownWords.includes(toComparable(typed));
}

/** Takes words off both ends of a text as long as they match. */
function cutEnds(text: string, matches: (word: string) => boolean): { text: string; cut: readonly string[] } {
  const cut: string[] = [];
  let rest = text.trim();
  for (let word = firstWord(rest); word !== '' && matches(word); word = firstWord(rest)) {
    cut.push(word);
    rest = rest.slice(word.length).trimStart();
  }
  for (let word = lastWord(rest); word !== '' && matches(word); word = lastWord(rest)) {
    cut.push(word);
    rest = rest.slice(0, -word.length).trimEnd();
  }
  return { text: rest, cut };
}

function firstWord(text: string): string {
  const end = text.search(/\s/);
  return end < 0 ? text : text.slice(0, end);
}

function lastWord(text: string): string {
  let start = text.length;
  while (start > 0 && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start);
}

function problemWith(unknownNames: readonly string[], args: Args): string {
  const group = args.groups[0];
  if (group) return `@${toMrkdwn(group.label, 80).replace(/^@/, '')} is a group: name people, one by one.`;
  if (unknownNames.length === 0) return '';
  const names = unknownNames.map(word => toMrkdwn(trimEnd(word, /[,.;:!?]/), 80)).join(' and ');
  return unknownName(names);
}

/** Why names (mrkdwn) that Slack did not turn into mentions name nobody, and what to do. */
export function unknownName(names: string): string {
  return `I do not know ${names}: pick the name from Slack’s list while you type, so that it becomes a mention.`;
}

interface LookupDeps {
  readonly people: Pick<People, 'find'>;
  readonly log: Logger;
}

/**
 * What people are named for: to hold a role, to do a task, or to lose what they have. The last also allows bots, people who left and
 * people of other organisations: a person who left can still lose a role.
 */
type Purpose = 'role' | 'task' | 'removal';

const refusals: Readonly<Record<Purpose, (person: Person, name: string) => string | undefined>> = {
  role: whyNotHolder,
  task: whyNotMentioned,
  removal: () => undefined,
};

/** The people behind Slack ids, or a sentence of mrkdwn on why one of them cannot be named. */
export async function findMentioned(
  deps: LookupDeps,
  ids: readonly string[],
  purpose: Purpose,
): Promise<{ readonly people: readonly Person[] } | { readonly problem: string }> {
  const people: Person[] = [];
  for (const id of ids) {
    const found = await findOne(deps, id);
    if ('problem' in found) return found;
    const problem = refusals[purpose](found.person, mention(id));
    if (problem) return { problem };
    people.push(found.person);
  }
  return { people };
}

async function findOne(deps: LookupDeps, id: string): Promise<{ person: Person } | { problem: string }> {
  try {
    const person = await deps.people.find(id);
    return person
      ? { person }
      : { problem: `Slack does not know ${mention(id)} here: name somebody in this workspace.` };
  } catch (error) {
    deps.log.warn({ reason: slackReason(error) }, 'people: could not look up a mention');
    return { problem: `Slack did not tell me who ${mention(id)} is: try again in a moment.` };
  }
}

interface LabelDeps {
  readonly people: Pick<People, 'find'>;
  readonly channels: {
    look(id: string, maxAge: number): Promise<{ readonly name: string; readonly isPrivate: boolean } | undefined>;
  };
  readonly slack: {
    readonly groups: Pick<Slack['groups'], 'handles'>;
    readonly identity: Pick<Slack['identity'], 'botUserId'>;
  };
}

/** A person, a channel or a group as Slack writes it: by its id, perhaps with a name (docs/slack.md 4). */
const byId = /<(@|#|!subteam\^)([A-Z][A-Z0-9]+)(?:\|([^<>]*))?>/g;
/** Channels whose names are looked up at once, at most. */
const maxChannels = 40;
/** How old the name of a channel may be, in milliseconds. */
const channelAge = 15 * 60_000;

/**
 * Gives names to the ids in a text of Slack's, whatever way it came: `<@U1>` becomes `<@U1|bob>`, so later readers see names. A private
 * channel loses the name that Slack gave, because only its members may know it. An id whose name Slack does not tell gets none, and
 * reads as “#a channel” or “@a group”. Never throws.
 */
export async function withLabels(deps: LabelDeps, slackText: string): Promise<string> {
  const found = [...slackText.matchAll(byId)].map(([, sign, id = '', label]) => ({ sign, id, label: label?.trim() }));
  if (found.length === 0) return slackText;
  const { identity, groups } = deps.slack;
  const idsOf = (wanted: string, isWanted = (label?: string) => !label) => [
    ...new Set(found.filter(each => each.sign === wanted && isWanted(each.label)).map(each => each.id)),
  ];
  const nameless = idsOf('!subteam^');
  const [people, channels, handles] = await Promise.all([
    namesOf(
      deps.people,
      idsOf('@').filter(id => id !== identity.botUserId),
    ),
    namesOfChannels(deps, idsOf('#', () => true).slice(0, maxChannels)),
    nameless.length > 0 ? groups.handles() : new Map<string, string>(),
  ]);
  const names = new Map([[identity.botUserId, 'Muster'], ...people, ...channels, ...handles]);
  return slackText.replace(byId, (_, sign: string, id: string, label = '') => {
    const known = names.get(id);
    const name = sign === '#' && known !== undefined ? toLabel(known) : label.trim() || toLabel(known ?? '');
    return name === '' ? `<${sign}${id}>` : `<${sign}${id}|${name}>`;
  });
}

/** Names of channels by id; `""` for those that are private. */
async function namesOfChannels(
  { channels }: LabelDeps,
  ids: readonly string[],
): Promise<readonly (readonly [id: string, name: string])[]> {
  const found = await Promise.all(ids.map(id => channels.look(id, channelAge).catch(() => undefined)));
  return ids.flatMap((id, index) => {
    const channel = found[index];
    return channel ? [[id, channel.isPrivate ? '' : channel.name] as const] : [];
  });
}

/** A name as it may stand within `<…>`. */
function toLabel(name: string): string {
  return escapeMrkdwn(toOneLine(name));
}
