import { trimEnd } from '../../trim-end.ts';
import { nearest } from '../text/distance.ts';
import { answersTo, isDictated, isQuestion, joinPhrases } from './casual.ts';
import { choicesFor, includePeopleAhead, textReading } from './choices.ts';
import { beforeIncident, behindFillers, findInLine, firstOfPeople, isNumber, requested } from './find-verb.ts';
import { replyTo } from './phrasebook.ts';
import type { FlagShape, Reading, VerbShape } from './verb.ts';
import {
  argumentsWithin,
  commandWord,
  distinct,
  goesOn,
  type IncidentReference,
  incidents,
  isHelp,
  Line,
  type Meaning,
  type MeantVerb,
  normalize,
  readAs,
  readReference,
  type Token,
  tokenize,
  umbrella,
  Vocabulary,
  withoutPolite,
  withoutSigns,
} from './words.ts';

/**
 * The grammar of the lines that people type at the bot, without Slack: `/task add fix it @bob`, `/incident add task …`, `/muster …`.
 * Features declare verbs; the forms people have in their fingers from other tools are derived (docs/decisions.md, Command words).
 */

/** A person, group or channel that is mentioned; `label` is the name Slack sent, or the id when it sent none. Not verified. */
interface Mention {
  id: string;
  label: string;
}

/**
 * The arguments of a verb. People and groups mentioned at either end, or alone, are arguments and leave the text; within a
 * sentence they are part of it (`ask @bob about DNS`) and stay as `@label`.
 */
export interface Args {
  /** The verb that was typed, by its own name: of a verb with older words, one of these. */
  verb: string;
  /** The words without flags, every mention in its place, decoded, line breaks kept, quotes gone when they wrapped all of it. */
  text: string;
  /** The words without flags and mentions. */
  rest: string;
  /** The arguments as split, quotes gone: a quoted run is one. */
  words: readonly string[];
  users: readonly Mention[];
  groups: readonly Mention[];
  /** All people and groups of `text`, each as often as it is named; `shown` is the name there, with its `@`. */
  mentions: readonly { readonly kind: 'user' | 'group'; readonly id: string; readonly shown: string }[];
  /** All of them: a channel is also part of the text. */
  channels: readonly Mention[];
  /** `@names` in the place of a mention that Slack did not turn into one; they are also in the text. */
  unresolved: readonly string[];
  flags: Readonly<Record<string, FlagValue>>;
  /** Exactly what followed the verb, decoded, mentions as `@label`: nothing typed is ever lost. */
  raw: string;
}

/** A command that was understood: a verb of a noun, with its arguments. */
interface Command {
  kind: 'verb';
  noun: string;
  verb: string;
  args: Args;
  named?: NamedIncident;
}

/**
 * A line, understood or not. `bare` is a root or noun alone, `isWhole` a wish for the help on everything. `typed` is the word that was not understood, and `at` its
 * place.
 */
export type Parsed =
  | Command
  | { kind: 'help'; noun?: string; verb?: string; isWhole?: true }
  | { kind: 'bare'; noun?: string }
  | { kind: 'unknown'; typed: string; at: number; noun?: string; says: string; readings: readonly Reading[] }
  | { kind: 'invalid'; noun: string; verb: string; problem: string; raw: string }
  /** Small talk, and what Muster says to it. */
  | { kind: 'talk'; says: string };

/**
 * An incident that was named right behind the verb, or before it. Where it can be nothing else, it has left the arguments. Where it may be text,
 * it is in them, and `apart` reads the line without it.
 */
export interface NamedIncident {
  readonly reference: IncidentReference;
  readonly isCertain: boolean;
  /** It is a number and nothing else: `7`, and not `#7`. */
  readonly isBare: boolean;
  /** Nothing else stands behind the verb but flags. */
  readonly isAlone?: boolean;
  /** It is before the verb: the whole line is another command's text then, if it is a text. */
  readonly isAhead: boolean;
  readonly apart: Reading;
  readonly whole: Reading;
}

/** Where text was typed: `root` is a slash command with or without its slash, or 'mention' for text to the bot. */
interface CommandInput {
  readonly root: string;
  readonly commandRoot: string;
  /** As Slack sent it, encoded. */
  readonly text: string;
  /** How the names of incident channels begin: `inc-`. */
  readonly channelPrefix?: string;
  /** The Slack id of the bot: its own mention only calls it. */
  readonly self?: string;
  /** How the person chose to have it read, when they were asked. */
  readonly as?: Reading | undefined;
}

const maxTyped = 60;

const vocabularies = new WeakMap<readonly VerbShape[], Vocabulary>();

/** Reads one command. Never throws; the words it gives back are plain text, to be escaped like any other. */
export function parseCommand(verbs: readonly VerbShape[], input: CommandInput): Parsed {
  const vocabulary = vocabularies.get(verbs) ?? new Vocabulary(verbs);
  vocabularies.set(verbs, vocabulary);
  const root = normalize(input.root);
  const typed = tokenize(root === 'mention' && input.self ? withoutCallBehind(input.text, input.self) : input.text);
  const noun = vocabulary.nouns.get(root);
  const isMention = root === 'mention';
  // In text to the bot, its own mention and a root typed out of habit come before the command.
  const called = isMention ? typed.tokens.findIndex(token => token.mention === undefined) : 0;
  const start = called < 0 ? typed.tokens.length : called;
  const first = isMention && commandWord(typed.tokens[start]) === normalize(input.commandRoot) ? start + 1 : start;
  const isOfIncidents = noun === undefined || noun === umbrella;
  const takesPhrases = isOfIncidents || noun === 'role';
  const tokens = takesPhrases ? joinPhrases(typed.tokens, vocabulary, { first, isOfIncidents }) : typed.tokens;
  const from = isMention ? firstOfPeople(tokens, first, input.self) : first;
  const isToOthers = tokens.slice(0, first).some(({ mention }) => mention !== undefined && mention.id !== input.self);
  const line = new Line(vocabulary, tokens, noun);
  const text = typed.text.slice(tokens[first]?.start ?? typed.text.length);
  const small = isOfIncidents && input.as === undefined ? replyTo(text) : undefined;
  if (small !== undefined) return { kind: 'talk', says: small };
  const found =
    chosenVerb(vocabulary, input.as) ??
    (root === incidents && tokens.length === 0 ? listOfAll(vocabulary) : undefined) ??
    findInLine(line, { text, first, from });
  if (found.kind === 'help' || found.kind === 'bare') return withoutUndefined(found);
  if (found.kind === 'unknown') {
    const asked = toUnknown(line, found, isMention);
    const [only, ...others] = asked.readings;
    const isOnly = isMention && !isToOthers && asked.says === '' && others.length === 0 && only?.from === found.at;
    if (isOnly && isPlainText(line, found)) return parseCommand(verbs, { ...input, as: only });
    return includePeopleAhead(line, asked, first, from);
  }
  const read = readVerb(line, typed, found, input);
  if (read === undefined) return toUnknown(line, { kind: 'unknown', at: found.ahead ?? 0, noun }, isMention);
  if (!isMention || input.as !== undefined || read.kind !== 'verb' || found.hit.shape.reads) return read;
  // It is for the people ahead of it, unless it gives them a role.
  const isForOthers = isToOthers && found.next >= first;
  if (!isForOthers && isDictated(line, found, { ...read.args, end: endOf(line, found, read.named) })) return read;
  const asked = toTalk(line, first, actOf(line, found, read.named));
  return includePeopleAhead(line, isForOthers ? { ...asked, says: forOthers } : asked, first, from);
}

/** The text without mentions of the bot at its end: they only call it once more. */
function withoutCallBehind(text: string, self: string): string {
  let words = text.trimEnd();
  for (let at = words.lastIndexOf('<@'); at > 0; at = words.lastIndexOf('<@')) {
    if (/^<@(\w+)(?:\|[^>]*)?>$/.exec(words.slice(at))?.[1] !== self) break;
    words = words.slice(0, at).trimEnd();
  }
  return words;
}

/** The reading that the person chose; undefined when they were not asked, or the verb is gone. */
function chosenVerb(vocabulary: Vocabulary, as: Reading | undefined): MeantVerb | undefined {
  const shape = as && vocabulary.find(as.noun, as.verb);
  if (!as || !shape) return undefined;
  const { instead, from } = as;
  return { kind: 'verb', hit: { shape, rank: 0, ...(instead === undefined ? {} : { instead }) }, next: from };
}

/** The list of incidents, which their plural alone means as a slash command. */
function listOfAll({ list: shape }: Vocabulary): MeantVerb | undefined {
  return shape && { kind: 'verb', hit: { shape, rank: 2 }, next: 0 };
}

/** The first word behind the verb and the incident that it names. */
function endOf({ tokens }: Line, { next }: MeantVerb, named: NamedIncident | undefined): number {
  return named?.isAlone ? tokens.length : Math.max(next, named?.apart.from ?? 0);
}

/** The command that a line of talk may mean, for the incident that it names; none where the incident before it would be lost. */
function actOf({ tokens }: Line, found: MeantVerb, named: NamedIncident | undefined): Reading | undefined {
  if (found.ahead !== undefined) return undefined;
  if (named?.apart.names?.incident) return named.apart;
  return readAs(found.hit, isQuestion(tokens) ? behindFillers(tokens, found.next) : found.next);
}

/** A line that means a verb, with its arguments; undefined where the word before the verb names no incident after all. */
function readVerb(line: Line, typed: ReturnType<typeof tokenize>, found: MeantVerb, input: CommandInput) {
  const { tokens } = line;
  const { text, channels, mentions } = typed;
  const { shape, instead } = found.hit;
  const { noun, verb } = shape;
  const prefix = input.channelPrefix ?? '';
  const named = input.as !== undefined ? undefined : readNamed(line, found, typed.text, prefix);
  if (named === 'several') return toSeveral(line, found, typed.text, prefix);
  if (found.ahead !== undefined && named === undefined) return undefined;
  const { names } = input.as ?? {};
  const next = named?.isCertain ? named.apart.from : found.next;
  const naming = new Set(names?.at);
  const rest = tokens.slice(next).filter((_token, at) => !naming.has(next + at));
  const from = tokens[next - 1]?.end ?? 0;
  const withInstead = (words: string) => [instead, words].filter(Boolean).join(' ');
  const raw = withInstead(names === undefined ? text.slice(from).trim() : join(text, rest));
  // Behind a colon are words: “note: run it with --incident 7”, “note: help”.
  const isSpoken = input.root === 'mention' && !shape.reads && tokens[next - 1]?.text.endsWith(':') === true;
  if (rest.length === 1 && isHelp(rest[0]) && input.as === undefined && !isSpoken)
    return { kind: 'help', noun, verb } as const;
  // A flag that the verb does not know, and a mention within, are words of a sentence.
  const isProse = shape.argumentKind === 'prose' || shape.argumentKind === 'reason';
  const { incident, ...ownFlags } = shape.flags ?? {};
  const flags = incident && !(isSpoken && isProse && !shape.grave) ? { ...ownFlags, incident } : ownFlags;
  const read = readFlags(flags, rest, text, { isProse, isSpoken });
  if (read.kind === 'help') return { kind: 'help', noun, verb } as const;
  if (read.kind === 'invalid') return { kind: 'invalid', noun, verb, problem: read.problem, raw } as const;
  // Words that filter are no sentence: each mention among them is apart, and comes last.
  const order = ({ mention }: Token) => (mention === undefined ? 0 : 1);
  const ordered = shape.filters === undefined ? read.rest : read.rest.toSorted((a, b) => order(a) - order(b));
  const positional = argumentsWithin(ordered, isProse);
  const namedAs = (wanted: 'user' | 'group') =>
    positional.mentions.flatMap(({ kind, id, label }) => (kind === wanted ? [{ id, label }] : []));
  const args: Args = {
    verb,
    text: withInstead(join(text, read.rest)),
    rest: withInstead(join(text, positional.words)),
    words: [...(instead === undefined ? [] : [instead]), ...positional.words.map(token => token.text)],
    users: namedAs('user'),
    groups: namedAs('group'),
    mentions: mentions
      .filter(mention => mention.start >= from)
      .map(({ kind, id, start, end }) => ({ kind, id, shown: text.slice(start, end) })),
    channels: channels.filter(channel => channel.start >= from).map(({ id, label }) => ({ id, label })),
    unresolved: unresolvedIn(positional.words),
    flags: names?.incident ? { ...read.flags, incident: names.incident } : read.flags,
    raw,
  };
  return { kind: 'verb', noun, verb, args, ...(named === undefined ? {} : { named }) } as const;
}

/**
 * The incident that is named before its verb. A bare number before a verb with words behind it may begin a text: `/incident 3 open
 * circuits in Berlin`.
 */
function namedAhead(
  { vocabulary, tokens, noun }: Line,
  { hit, next, ahead = 0 }: MeantVerb,
  channelPrefix: string,
): NamedIncident | undefined {
  const reference = readReference(withoutSigns(tokens[ahead]), channelPrefix);
  if (reference === undefined) return undefined;
  const apart = readAs(hit, next);
  const asText = textReading(vocabulary, noun, ahead);
  const isBare = reference.kind === 'number' && reference.isPlain && !tokens[ahead]?.text.startsWith('#');
  const hasWords = tokens.slice(next).some((token, at) => at === 0 && (token.quoted || !/^(--|—|–)/.test(token.text)));
  const mayBeText = isBare && hasWords && hit.shape.argumentKind !== 'words' && asText !== undefined;
  return { reference, isCertain: !mayBeText, isBare, isAhead: true, apart, whole: asText ?? apart };
}

/** The incident that is named right behind a verb that takes `--incident`. */
function namedBehind({ tokens }: Line, { hit, next }: MeantVerb, channelPrefix: string): NamedIncident | undefined {
  const { shape, instead } = hit;
  const isLast = shape.argumentKind === 'nothing' || shape.argumentKind === 'reason';
  const token = isLast ? withoutSigns(tokens[next]) : tokens[next];
  const reference = shape.flags?.incident === undefined ? undefined : readReference(token, channelPrefix);
  if (reference === undefined) return undefined;
  const isText = shape.argumentKind === 'text' || shape.argumentKind === 'prose';
  const isPlain = reference.kind === 'number' && reference.isPlain;
  const isDays = shape.argumentKind === 'days' && isPlain;
  const hasMore = tokens.slice(next + 1).some(token => token.quoted || withoutPolite(token.text) !== '');
  const isArgument = isPlain && !isText && !isLast && !isDays && !(shape.argumentKind === 'words' && hasMore);
  if (isArgument) return undefined;
  const isBare = isPlain && !tokens[next]?.text.startsWith('#');
  const [apart, whole] = [readAs(hit, next + 1), readAs(hit, next)];
  // “Duplicate 2” may be said of the incident here.
  const isPart = shape.argumentKind === 'reason' && (instead !== undefined || (isBare && hasMore));
  const isCertain = !isText && !isDays && !isPart;
  return { reference, isCertain, isBare, isAhead: false, apart, whole };
}

/** The incident that a line names. What ends, opens, wakes or publishes looks for it in all of its words; `several` where they are only that. */
function readNamed(line: Line, found: MeantVerb, text: string, prefix: string): NamedIncident | 'several' | undefined {
  if (found.ahead !== undefined) return namedAhead(line, found, prefix);
  const behind = namedBehind(line, found, prefix);
  const { grave, argumentKind, flags } = found.hit.shape;
  // An update of a number alone opens its form.
  const isBegun =
    argumentKind === 'prose' && line.tokens.length === found.next + 1 && isNumber(line.tokens[found.next]);
  const isAct = (grave || argumentKind === 'reason') && flags?.incident !== undefined && !isBegun;
  return (behind?.isCertain || !isAct ? undefined : namedWithin(line, found, text, prefix)) ?? behind;
}

/** Words that begin a sentence: a number before them counts nothing. */
const beginsSentence = /^(?:we|i|it|they|he|she|you|this|that|there|the)$/;
/** Words for more than one incident. */
const manyIncidents = /^(?:all|both|everything)$/;

/** Whether a word says nothing around the name of an incident. */
const isSmall = (word: string) => word === 'and' || beforeIncident.test(word) || withoutPolite(word) === '';

/** The words behind a verb without its flags, each with its place, the incident that it may be and what it is compared as. */
function saidBehind({ tokens }: Line, { hit, next }: MeantVerb, text: string, prefix: string) {
  const read = readFlags(hit.shape.flags ?? {}, tokens.slice(next), text, { isProse: true });
  const kept = new Set(read.kind === 'read' ? read.rest : []);
  return tokens.flatMap((token, at) => {
    if (!kept.has(token)) return [];
    const bare = trimEnd(token.text.replace(/^[([]+/, ''), /[)\].,:;!?]/);
    const reference = readReference({ ...token, text: bare, quoted: false }, prefix);
    const word = token.mention || token.quoted ? '"' : normalize(bare);
    const isSure =
      bare.startsWith('#') || (reference !== undefined && !(reference.kind === 'number' && reference.isPlain));
    return [{ token, at, reference, isSure, word }];
  });
}

/** The incident that is named anywhere among the words of an act, by name or by a number that can count nothing. */
function namedWithin(
  line: Line,
  found: MeantVerb,
  text: string,
  prefix: string,
): NamedIncident | 'several' | undefined {
  const { shape } = found.hit;
  const said = saidBehind(line, found, text, prefix);
  const others = said.filter(each => each.reference === undefined && !isSmall(each.word));
  const isAlone = others.length === 0;
  const wakes = shape.grave === true && !shape.ends && /^(?:text|words)$/.test(shape.argumentKind ?? '');
  const isMany = !wakes && others.length === 1 && manyIncidents.test(others[0]?.word ?? '');
  if (isMany || (isAlone && new Set(said.flatMap(each => each.reference?.id ?? [])).size > 1)) return 'several';
  const isTarget = wakes && others.filter(each => !each.token.mention).length < 2;
  const first = said.findIndex(each => !isSmall(each.word));
  const place = said.findIndex(({ token, reference, isSure }, at) => {
    if (reference === undefined || isSure || isAlone) return reference !== undefined;
    const before = said[at - 1]?.token.text ?? line.tokens[found.next - 1]?.text ?? '';
    if (/^(?:incident|inc|number|nr|no\.)$/i.test(before) || (isTarget && at === said.length - 1)) return true;
    return at === first && (token.text.endsWith(':') || beginsSentence.test(said[at + 1]?.word ?? ''));
  });
  const reference = said[place]?.reference;
  if (reference === undefined) return undefined;
  const from = said.slice(0, place).findLastIndex(each => !isSmall(each.word)) + 1;
  const at = (isAlone ? said : said.slice(from, place + 1)).map(each => each.at);
  const whole = readAs(found.hit, found.next);
  const apart = { ...whole, names: { at, incident: reference.id } };
  return { reference, isCertain: false, isBare: false, isAhead: false, isAlone, apart, whole };
}

/** The text of a flag, or `undefined` when it was not given. */
export function flagText(args: Args, name: string): string | undefined {
  const value = args.flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a switch was given. */
export function flagOn(args: Args, name: string): boolean {
  return args.flags[name] === true;
}

/** Every text of a flag that may be repeated, in order. */
export function flagList(args: Args, name: string): readonly string[] {
  const value = args.flags[name];
  return value === undefined || value === true ? [] : typeof value === 'string' ? [value] : value;
}

/** The answer to talk. */
const casually =
  'That reads like a sentence and not like a command, so nothing was changed. With a colon it is one: `update: we roll back`.';

/** The answer to a command behind the name of another person. */
const forOthers =
  'That is addressed to somebody else, so nothing was changed. If you mean it yourself, press the button.';

function typedAt(tokens: readonly Token[], at: number): string {
  return tokens[at]?.text.slice(0, maxTyped).toWellFormed() ?? '';
}

/** Whether a line that names no verb is plainly the text of its noun: “task restart the pooler”. */
function isPlainText(line: Line, { at, noun }: Meaning & { kind: 'unknown' }): boolean {
  const isProse = noun !== undefined && line.vocabulary.textVerb(noun)?.argumentKind === 'prose';
  const isNoun =
    isProse && line.nounAt(at - 1) === noun && !line.word(at - 1).endsWith('s') && line.tokens.length > at + 1;
  return isNoun && /^\p{L}{2}/u.test(line.word(at)) && ![at, at + 1].some(place => goesOn(line.word(place)));
}

/** A line that names no known verb, with the readings that may be meant. */
function toUnknown(line: Line, { at, noun }: Meaning & { kind: 'unknown' }, isMention: boolean) {
  const wish = isMention ? requested(line, at) : undefined;
  const { says, readings } = choicesFor(line.under(noun), at);
  if (wish !== undefined || (isMention && says === '' && isQuestion(line.tokens))) return toTalk(line, at, wish);
  return withoutUndefined({ kind: 'unknown' as const, typed: typedAt(line.tokens, at), at, noun, says, readings });
}

/** A line by mention that asks, or that may be talk: the answers to a question, the command that may be meant, a note. */
function toTalk(line: Line, at: number, command: Reading | undefined) {
  const { vocabulary, tokens } = line;
  const answers = isQuestion(tokens) ? answersTo(line) : [];
  const note = command?.noun === 'note' ? undefined : textReading(vocabulary, 'note', at);
  const says = answers.length > 0 && command === undefined ? 'I answer questions with what I can show.' : casually;
  const readings = distinct([...answers, ...(command ? [command] : []), ...(note ? [note] : [])]);
  return { kind: 'unknown' as const, typed: typedAt(tokens, at), at, says, readings };
}

/** An act on more than one incident: nothing is done, and it is offered for the one at hand. */
function toSeveral(line: Line, found: MeantVerb, text: string, prefix: string) {
  const { vocabulary, tokens } = line;
  const { hit, next } = found;
  const says =
    'An act is about one incident, so nothing was changed. The second button is about the one of this channel; for another, type one number behind the verb.';
  const at = saidBehind(line, found, text, prefix).map(each => each.at);
  const act = { ...readAs(hit, next), names: { at, incident: '' } };
  const list = vocabulary.list === undefined ? [] : [readAs({ shape: vocabulary.list }, tokens.length)];
  return { kind: 'unknown' as const, typed: typedAt(tokens, next), at: next, says, readings: [...list, act] };
}

/** The object without the members that are undefined. */
function withoutUndefined<T extends object>(each: T) {
  return Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function unresolvedIn(words: readonly Token[]): string[] {
  const isName = (token: Token) => !token.quoted && token.mention === undefined && /^@[\p{L}\p{N}]/u.test(token.text);
  const first = words.findIndex(token => !isName(token));
  const last = words.findLastIndex(token => !isName(token));
  const outside = first < 0 ? words : [...words.slice(0, first), ...words.slice(last + 1)];
  return outside.map(token => token.text);
}

/** Puts arguments back together as they stood, each with the white space before it. */
function join(text: string, tokens: readonly Token[]): string {
  const [only, ...others] = tokens;
  if (only?.quoted && others.length === 0) return only.text;
  return tokens
    .map(token => token.space + text.slice(token.start, token.end))
    .join('')
    .trim();
}

/** The flags that were read, and the words that are left. */
type Flags =
  | { kind: 'read'; flags: Record<string, FlagValue>; rest: Token[] }
  | { kind: 'help' }
  | { kind: 'invalid'; problem: string };

/** A switch that is on, one text, or the texts of a flag that may be repeated. */
type FlagValue = string | true | readonly string[];

type FlagShapes = Readonly<Record<string, FlagShape>>;
type KnownFlag = { name: string; shape: FlagShape };

const maxShown = 40;

/**
 * Takes the flags out of a verb's arguments. `--` ends them. A long dash counts as `--` before a known flag only, since
 * keyboards turn `--` into it and people write it in sentences. In prose, a flag that is nearly none of the verb's is
 * text, and so is `--` within it. Spoken words keep each flag that is none, or has no value.
 */
function readFlags(
  shapes: FlagShapes,
  tokens: readonly Token[],
  text: string,
  { isProse, isSpoken = false }: { isProse: boolean; isSpoken?: boolean },
): Flags {
  const flags: Record<string, FlagValue> = {};
  const lists = new Map<string, string[]>();
  const rest: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const ends = !token.quoted && token.text === '--' && (!isProse || rest.length === 0);
    if (ends) return { kind: 'read', flags, rest: [...rest, ...tokens.slice(at + 1)] };
    const typed = asFlag(shapes, token);
    if (typed === undefined) {
      rest.push(token);
      continue;
    }
    const known = findFlag(shapes, typed.name);
    const isText = known === undefined && isProse && nearFlag(shapes, typed.name) === undefined;
    if (known === undefined && !isText && !isSpoken)
      return typed.name === 'help' ? { kind: 'help' } : unknownFlag(shapes, typed.name);
    const taken = known && takeValue(shapes, known, typed.value, { tokens, from: at + 1, text });
    if (known === undefined || taken === undefined || (isSpoken && 'problem' in taken)) {
      rest.push(token);
      continue;
    }
    if ('problem' in taken) return { kind: 'invalid', problem: taken.problem };
    at += taken.used;
    const { name } = known;
    if (known.shape.kind === 'list') {
      const values = lists.get(name) ?? [];
      values.push(String(taken.value));
      at += takeMore(shapes, values, tokens, at + 1);
      lists.set(name, values);
      flags[name] = values;
    } else if (taken.value === false) delete flags[name];
    else flags[name] = taken.value;
  }
  return { kind: 'read', flags, rest };
}

/** Takes the words behind a comma into a list, from the word `from` on, and tells how many: `--label db, checkout`. */
function takeMore(shapes: FlagShapes, values: string[], tokens: readonly Token[], from: number): number {
  let at = from;
  for (let next = tokens[at]; next && values.at(-1)?.endsWith(',') && !asFlag(shapes, next); next = tokens[at]) {
    values.splice(-1, 1, trimEnd(values.at(-1) ?? '', /,/), next.text);
    at += 1;
  }
  return at - from;
}

function asFlag(shapes: FlagShapes, token: Token): { name: string; value?: string } | undefined {
  if (token.quoted || token.mention !== undefined) return undefined;
  // A phone puts a full stop behind a word.
  const match = /^(--|—|–)([a-z][\w-]*)(?:[:=](.*)|[.,])?$/is.exec(token.text);
  if (match === null) return undefined;
  const [, dashes, typed = '', value] = match;
  const name = typed.toLowerCase();
  if (dashes !== '--' && name !== 'help' && findFlag(shapes, name) === undefined) return undefined;
  // `--severity: major` has its value behind it.
  const isEmpty = value === undefined || (value === '' && token.text.endsWith(':'));
  return isEmpty ? { name } : { name, value };
}

function findFlag(shapes: FlagShapes, typed: string): KnownFlag | undefined {
  for (const [name, shape] of Object.entries(shapes)) {
    if ([name, ...(shape.aliases ?? [])].some(word => word.toLowerCase() === typed)) return { name, shape };
  }
  return undefined;
}

/** The words behind a flag: those of the line from `from` on. A line may have thousands of flags, so it is never copied. */
interface Behind {
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly text: string;
}

type Taken = { value: string | boolean; used: number } | { problem: string };

function takeValue(shapes: FlagShapes, { name, shape }: KnownFlag, given: string | undefined, behind: Behind): Taken {
  if (shape.kind === 'switch') return takeSwitch(name, given);
  const missing = { problem: `--${name} needs a value${shape.hint ? `: ${shape.hint}` : ''}.` };
  const { tokens, from, text } = behind;
  const next = tokens[from];
  if (given === undefined) {
    const isMissing =
      next === undefined || next.text === '' || next.text === '--' || asFlag(shapes, next) !== undefined;
    if (isMissing) return missing;
    if (shape.kind !== 'phrase' || next.quoted) return { value: next.text, used: 1 };
  } else {
    const flag = tokens[from - 1];
    const isQuoted = flag !== undefined && !text.slice(flag.start, flag.end).endsWith(given);
    if (given.trim() === '') return missing;
    if (shape.kind !== 'phrase' || isQuoted) return { value: given, used: 0 };
  }
  const first = given === undefined ? [] : [given];
  const words = [...first, ...phraseWords(shapes, behind, given === undefined)];
  // Where none of the words is the phrase, the rest of the line is, so that the refusal shows what was typed.
  const length = shape.length?.(words) || words.length;
  return { value: words.slice(0, length).join(' '), used: length - first.length };
}

function takeSwitch(name: string, given: string | undefined): Taken {
  if (given === undefined || /^(true|yes|on|1)$/i.test(given)) return { value: true, used: 0 };
  if (/^(false|no|off|0)$/i.test(given)) return { value: false, used: 0 };
  return { problem: `--${name} takes no value: write it alone, or leave it out.` };
}

/** The words that can make a phrase: up to the next flag, quoted run, mention or end of the line. */
function phraseWords(shapes: FlagShapes, { tokens, from, text }: Behind, mayBeginLine: boolean): string[] {
  let end = from;
  for (let token = tokens[end]; token !== undefined; token = tokens[end]) {
    const before = end === from && mayBeginLine ? undefined : tokens[end - 1];
    const newLine = before !== undefined && text.slice(before.end, token.start).includes('\n');
    const ends =
      token.quoted || token.mention !== undefined || token.text === '--' || asFlag(shapes, token) !== undefined;
    if (ends || newLine) break;
    end += 1;
  }
  return tokens.slice(from, end).map(token => token.text);
}

/** The name of the flag that a misspelt one is near. */
function nearFlag(shapes: FlagShapes, typed: string): string | undefined {
  const words = Object.entries(shapes).flatMap(([name, shape]) =>
    [name, ...(shape.aliases ?? [])].map(word => ({ name, word })),
  );
  return nearest(typed, words, each => each.word)?.name;
}

function unknownFlag(shapes: FlagShapes, typed: string): Flags {
  const shown = `--${typed.slice(0, maxShown)}`;
  const near = nearFlag(shapes, typed);
  const all = Object.keys(shapes).map(name => `--${name}`);
  const way = near
    ? `Did you mean --${near}?`
    : all.length > 0
      ? `The flags here are ${all.join(', ')}.`
      : 'There are none here.';
  return { kind: 'invalid', problem: `There is no flag ${shown} (put it in quotes if it is text). ${way}` };
}
