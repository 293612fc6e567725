import type { Logger } from 'pino';
import type { Args } from '../grammar/grammar.ts';
import { type Slack, slackReason } from '../slack/clients.ts';
import { mention, toMrkdwn } from '../text/blocks.ts';
import { escapeMrkdwn, toComparable, toOneLine } from '../text/words.ts';
import { whyNotHolder, whyNotMentioned } from './access.ts';
import { namesOf, type People } from './directory.ts';
import type { Person } from './person.ts';

/** The people that a command names. */
export interface MentionedPeople {
  /** Slack ids, each once: mentions as Slack resolved them, and the id of the typist for `me`. */
  readonly ids: readonly string[];
  /** The text beside them. */
  readonly text: string;
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
  const ends = cutEnds(args.text, word => isMe(word) || cutNames.has(word));
  const ids = [...args.users.map(user => user.id), ...(ends.cut.some(isMe) ? [me] : [])];
  return { ids: [...new Set(ids)], text: ends.text, problem: problemWith(unknownNames, args) };
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
  if (group) return `@${toMrkdwn(group.label, 80).replace(/^@/, '')} is a group. Name people, one by one.`;
  if (unknownNames.length === 0) return '';
  const names = unknownNames.map(word => toMrkdwn(word.replace(/(?<![,.;:!?])[,.;:!?]+$/, ''), 80)).join(' and ');
  return `I do not know ${names}. Pick the name from Slack’s list while you type, so that it becomes a mention.`;
}

/** Where people are looked up. */
interface LookupDeps {
  readonly people: Pick<People, 'find'>;
  readonly log: Logger;
}

/**
 * What people are named for: to hold a role, to do a task, or to lose what they have. The last also allows bots, people who left and
 * people of other organisations: a person who left can still lose a role.
 */
export type Purpose = 'role' | 'task' | 'removal';

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
      : { problem: `Slack does not know ${mention(id)} here. Name somebody in this workspace.` };
  } catch (error) {
    deps.log.warn({ reason: slackReason(error) }, 'people: could not look up a mention');
    return { problem: `Slack did not tell me who ${mention(id)} is. Try again in a moment.` };
  }
}

/** Where names are looked up. */
interface LabelDeps {
  readonly people: Pick<People, 'find'>;
  readonly slack: {
    readonly quick: { readonly conversations: Pick<Slack['quick']['conversations'], 'info'> };
    readonly identity: Pick<Slack['identity'], 'botUserId'>;
  };
}

/** A person or a channel that Slack names by its id alone (docs/slack.md 4). */
const unlabelled = /<([@#])([UWCG][A-Z0-9]+)(?:\|\s*)?>/g;
/** Channels whose names are looked up at once, at most. */
const maxChannels = 10;

/**
 * Adds a name to each id in a text of Slack's: `<@U1>` becomes `<@U1|bob>`, so later readers see names. The id of a private channel
 * gets no name, because only its members may know it. An id whose name Slack does not tell gets none either. Never throws.
 */
export async function withLabels(deps: LabelDeps, slackText: string): Promise<string> {
  const found = [...slackText.matchAll(unlabelled)].map(([, sign, id = '']) => ({ sign, id }));
  if (found.length === 0) return slackText;
  const { botUserId } = deps.slack.identity;
  const idsOf = (wanted: string) => [...new Set(found.filter(each => each.sign === wanted).map(each => each.id))];
  const [people, channels] = await Promise.all([
    namesOf(
      deps.people,
      idsOf('@').filter(id => id !== botUserId),
    ),
    namesOfChannels(deps, idsOf('#').slice(0, maxChannels)),
  ]);
  const names = new Map([[botUserId, 'Muster'], ...people, ...channels]);
  return slackText.replace(unlabelled, (typed, sign: string, id: string) => {
    const name = toLabel(names.get(id) ?? '');
    return name === '' ? typed : `<${sign}${id}|${name}>`;
  });
}

/** Names of public channels by id. */
async function namesOfChannels({ slack }: LabelDeps, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const infos = await Promise.all(
    ids.map(channel => slack.quick.conversations.info({ channel }).catch(() => undefined)),
  );
  const named = infos.flatMap(info => {
    const { id = '', name = '', is_private: isPrivate } = info?.channel ?? {};
    return isPrivate === false ? [[id, name] as const] : [];
  });
  return new Map(named);
}

/** A name as it may stand within `<…>`. */
function toLabel(name: string): string {
  return escapeMrkdwn(toOneLine(name));
}
