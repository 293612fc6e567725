/**
 * What people type at the bot, read without Slack: `/task add fix it @bob`, `/incident add task …`, `/muster …`.
 * Features declare verbs; the forms people have in their fingers from other tools are derived (docs/decisions.md, Command words).
 */
import { type FlagValue, readFlags } from './flags.ts';
import { type Token, tokenize } from './tokens.ts';
import type { VerbShape } from './verb.ts';
import { createVocabulary, type Hit, loneVerb, normalize, suggest, type Vocabulary, verbIn } from './vocabulary.ts';

/** Someone or something mentioned; `label` is the name Slack sent, or the id when it sent none. Not verified. */
export interface Mention {
  id: string;
  label: string;
}

/**
 * What followed a verb. People and groups mentioned at either end, or alone, are arguments and leave the text; within a
 * sentence they are part of it (`ask @bob about DNS`) and stay as `@label`.
 */
export interface Args {
  /** What remains beside flags and mentions, decoded, line breaks kept, quotes gone when they wrapped all of it. */
  text: string;
  /** The same with every mention in its place, for titles and summaries. */
  sentence: string;
  /** The arguments as split, quotes gone: a quoted run is one. */
  words: readonly string[];
  users: readonly Mention[];
  groups: readonly Mention[];
  /** All of them: a channel is also part of the text. */
  channels: readonly Mention[];
  /** `@names` where a mention would stand that Slack did not turn into one; they are also in the text. */
  unresolved: readonly string[];
  flags: Readonly<Record<string, FlagValue>>;
  /** Exactly what followed the verb, decoded, mentions as `@label`: nothing typed is ever lost. */
  raw: string;
}

/** What was typed, understood or not. `bare` is a root or noun alone; `typed` is the word that was not understood. */
export type Parsed =
  | { kind: 'verb'; noun: string; verb: string; args: Args }
  | { kind: 'help'; noun?: string; verb?: string }
  | { kind: 'bare'; noun?: string }
  | { kind: 'unknown'; typed: string; noun?: string; suggestions: readonly { noun: string; verb: string }[] }
  | { kind: 'invalid'; noun: string; verb: string; problem: string; raw: string };

/** Where text was typed: `root` is a slash command with or without its slash, or 'mention' for text to the bot. */
export interface CommandInput {
  root: string;
  commandRoot: string;
  /** As Slack sent it, encoded. */
  text: string;
}

const helpPattern = /^(?:(?:--?|—|–)?help|-h|\?+)$/i;
/** A command has at most this many nouns and `help`s before its verb. */
const maxLeadingWords = 8;
const maxTyped = 60;

const vocabularies = new WeakMap<readonly VerbShape[], Vocabulary>();

/** Reads one command. Never throws; the words it gives back are plain text, to be escaped like any other. */
export function parseCommand(verbs: readonly VerbShape[], input: CommandInput): Parsed {
  const vocabulary = vocabularies.get(verbs) ?? createVocabulary(verbs);
  vocabularies.set(verbs, vocabulary);
  const { text, tokens, channels } = tokenize(input.text);
  const root = normalize(input.root);
  const found = resolve(vocabulary, tokens, vocabulary.nouns.get(root), firstWord(root, input.commandRoot, tokens));
  if (found.kind === 'help') return toTopic(found.kind, found.noun, found.verb);
  if (found.kind === 'bare') return toTopic(found.kind, found.noun);
  if (found.kind === 'unknown') return toUnknown(vocabulary, tokens, found);

  const { shape, instead } = found.hit;
  const { noun, verb } = shape;
  const rest = tokens.slice(found.next);
  const from = tokens[found.next - 1]?.end ?? 0;
  const raw = withInstead(instead, text.slice(from).trim());
  if (rest.length === 1 && isHelp(rest[0])) return { kind: 'help', noun, verb };
  const read = readFlags(shape.flags ?? {}, rest, text);
  if (read.kind === 'help') return { kind: 'help', noun, verb };
  if (read.kind === 'invalid') return { kind: 'invalid', noun, verb, problem: read.problem, raw };

  const positional = argumentsWithin(read.rest);
  const args: Args = {
    text: withInstead(instead, join(text, positional.words)),
    sentence: withInstead(instead, join(text, read.rest)),
    words: [...(instead === undefined ? [] : [instead]), ...positional.words.map(token => token.text)],
    users: positional.mentions.flatMap(({ kind, id, label }) => (kind === 'user' ? [{ id, label }] : [])),
    groups: positional.mentions.flatMap(({ kind, id, label }) => (kind === 'group' ? [{ id, label }] : [])),
    channels: channels.filter(channel => channel.start >= from).map(({ id, label }) => ({ id, label })),
    unresolved: unresolvedIn(positional.words),
    flags: read.flags,
    raw,
  };
  return { kind: 'verb', noun, verb, args };
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

type Found =
  | { kind: 'verb'; hit: Hit; next: number }
  | { kind: 'help'; noun?: string | undefined; verb?: string | undefined }
  | { kind: 'bare'; noun?: string | undefined }
  | { kind: 'unknown'; at: number; noun?: string | undefined };

/** In text to the bot, its own mention and a root typed out of habit come before the command. */
function firstWord(root: string, commandRoot: string, tokens: readonly Token[]): number {
  if (root !== 'mention') return 0;
  const start = tokens.findIndex(token => token.mention === undefined);
  const first = start < 0 ? tokens.length : start;
  return commandWord(tokens[first]) === normalize(commandRoot) ? first + 1 : first;
}

/**
 * Tries in this order, and the first that fits wins: a verb of the noun, the noun's fallback, another noun, a verb before its noun,
 * a verb that only one noun has.
 */
function resolve(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number): Found {
  const first = tokens[at];
  if (first === undefined) return { kind: 'bare', noun };
  if (at > maxLeadingWords) return { kind: 'unknown', at, noun };
  if (isHelp(first)) return resolveHelp(vocabulary, tokens, noun, at + 1);
  const word = commandWord(first);
  const own = verbIn(vocabulary, noun, word);
  if (own !== undefined) return { kind: 'verb', hit: own, next: at + 1 };
  const fallback = vocabulary.verbs.find(shape => shape.fallback && shape.noun === noun);
  if (fallback !== undefined) {
    const nearOwn = suggest(vocabulary, noun, word, undefined).some(near => near.noun === noun);
    return nearOwn ? { kind: 'unknown', at, noun } : { kind: 'verb', hit: { shape: fallback, rank: 2 }, next: at };
  }
  const typedNoun = vocabulary.nouns.get(word);
  const underNoun = typedNoun === undefined ? undefined : resolve(vocabulary, tokens, typedNoun, at + 1);
  if (underNoun !== undefined && underNoun.kind !== 'unknown') return underNoun;
  const verbFirst = verbIn(vocabulary, vocabulary.nouns.get(commandWord(tokens[at + 1])), word);
  if (verbFirst !== undefined) return { kind: 'verb', hit: verbFirst, next: at + 2 };
  const lone = loneVerb(vocabulary, noun, word);
  if (lone !== undefined) return { kind: 'verb', hit: lone, next: at + 1 };
  return underNoun ?? { kind: 'unknown', at, noun };
}

function resolveHelp(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number): Found {
  const about = resolve(vocabulary, tokens, noun, at);
  if (about.kind === 'verb') return { kind: 'help', noun: about.hit.shape.noun, verb: about.hit.shape.verb };
  return { kind: 'help', noun: about.noun, verb: about.kind === 'help' ? about.verb : undefined };
}

function toUnknown(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  { at, noun }: Found & { kind: 'unknown' },
): Parsed {
  const typed = tokens[at]?.text.slice(0, maxTyped).toWellFormed() ?? '';
  const next = tokens[at + 1] === undefined ? undefined : commandWord(tokens[at + 1]);
  const suggestions = suggest(vocabulary, noun, normalize(typed), next);
  return { kind: 'unknown', typed, ...(noun === undefined ? {} : { noun }), suggestions };
}

function toTopic(kind: 'help' | 'bare', noun?: string, verb?: string): Parsed {
  return { kind, ...(noun === undefined ? {} : { noun }), ...(verb === undefined ? {} : { verb }) };
}

/** The empty word, which is no verb, for anything in quotes or mentioned: those are text. */
function commandWord(token: Token | undefined): string {
  return token === undefined || token.quoted || token.mention !== undefined ? '' : normalize(token.text);
}

function isHelp(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && token.mention === undefined && helpPattern.test(token.text);
}

function argumentsWithin(tokens: readonly Token[]) {
  const first = tokens.findIndex(token => token.mention === undefined);
  const last = tokens.findLastIndex(token => token.mention === undefined);
  const outside = first < 0 ? tokens : [...tokens.slice(0, first), ...tokens.slice(last + 1)];
  const words = first < 0 ? [] : tokens.slice(first, last + 1);
  return { words, mentions: outside.flatMap(token => (token.mention === undefined ? [] : [token.mention])) };
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

function withInstead(instead: string | undefined, text: string): string {
  return [instead, text].filter(Boolean).join(' ');
}
