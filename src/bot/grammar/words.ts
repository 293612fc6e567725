import { toNormalForm } from '../../normal-form.ts';
import { trimEnd } from '../../trim-end.ts';
import { readSlackText, stripControls, tokenToText } from '../text/words.ts';
import { type Reading, rootNoun, type VerbShape } from './verb.ts';

/**
 * Other names for our nouns, apart from their plurals (docs/decisions.md, Command words: what people type in other bots). A row for a
 * noun that no verb uses has no effect.
 */
const nounSynonyms: Readonly<Record<string, readonly string[]>> = {
  incident: ['inc'],
  task: ['todo', 'todos', 'action', 'actions', 'actionitem', 'actionitems', 'followup', 'followups'],
  role: ['responder', 'responders'],
  dash: ['dashboard', 'dashboards', 'dashes'],
};

/** The verbs that take a whole line as their text, by their nouns. */
const textVerbs: Readonly<Record<string, string>> = { task: 'add', note: 'add', incident: 'declare' };

/** The noun under which the other nouns may be typed: `/incident task add`, as in other bots. */
export const umbrella = 'incident';

/** The plural of the umbrella. It means all of them, and so it is no other word for the one at hand. */
export const incidents = `${umbrella}s`;

/**
 * The meaning of a line: a verb, where `next` is the first word behind it; help; a noun alone; or nothing known, where `at` is the place of the
 * word that was not understood.
 */
export type Meaning =
  | MeantVerb
  | { kind: 'help'; noun?: string | undefined; verb?: string | undefined; isWhole?: true }
  | { kind: 'bare'; noun?: string | undefined }
  | { kind: 'unknown'; at: number; noun?: string | undefined };

/** A line that means a verb. */
export interface MeantVerb {
  kind: 'verb';
  hit: Hit;
  next: number;
  /** The place of an incident that was named before the verb: `/incident 7 resolve`. */
  ahead?: number;
  /** Its words are plainly this verb: dictated, or said in one of a few ways. */
  isClear?: true;
}

/** A verb that a word may mean, and how directly: 0 its own name, 1 an alias, 2 an inflected form. */
export interface Hit {
  shape: VerbShape;
  rank: 0 | 1 | 2;
  /** Text that the word implies, from `shorthands`. */
  instead?: string;
}

/** A line that is read as this verb, with everything from the word `from` on as its arguments. */
export function readAs({ shape, instead }: { shape: VerbShape; instead?: string }, from: number): Reading {
  return { noun: shape.noun, verb: shape.verb, from, ...(instead === undefined ? {} : { instead }) };
}

/** Each reading once, where it comes first. */
export function distinct(readings: readonly Reading[]): readonly Reading[] {
  return [...new Map(readings.map(each => [JSON.stringify(each), each])).values()];
}

/** Every word the grammar knows, for one list of verbs. Build it once per list. */
export class Vocabulary {
  readonly verbs: readonly VerbShape[];
  /** Noun, plural or synonym → noun. */
  readonly nouns = new Map<string, string>();
  /** Word → the verbs it may mean, at most one per noun, most direct first. */
  readonly hits = new Map<string, readonly Hit[]>();
  /** Words that mean a verb under another noun, by that noun and the word: `incident lead`. */
  readonly #guests = new Map<string, Hit>();

  /** Indexes verbs by every word that may mean them. On a clash within a noun the more direct one wins, then the earlier one. */
  constructor(verbs: readonly VerbShape[]) {
    this.verbs = verbs;
    for (const noun of new Set(verbs.map(shape => shape.noun))) {
      const words = noun === rootNoun ? [] : [noun, `${noun}s`, ...(nounSynonyms[noun] ?? [])];
      for (const word of words.map(normalize)) if (!this.nouns.has(word)) this.nouns.set(word, noun);
    }
    for (const shape of verbs) {
      for (const [word, hit] of wordsFor(shape)) this.#add(word, hit);
      for (const [noun, words] of Object.entries(shape.under ?? {}))
        for (const word of words) {
          const instead = shape.shorthands?.[word];
          const hit: Hit = { shape, rank: 1, ...(instead === undefined ? {} : { instead }) };
          this.#guests.set(`${noun} ${normalize(word)}`, hit);
        }
    }
  }

  #add(word: string, hit: Hit): void {
    const known = this.hits.get(word) ?? [];
    const rival = known.find(other => other.shape.noun === hit.shape.noun);
    if (rival !== undefined && rival.rank <= hit.rank) return;
    this.hits.set(
      word,
      [...known.filter(other => other !== rival), hit].sort((a, b) => a.rank - b.rank),
    );
  }

  /** The verb of that noun and name. */
  find(noun: string, verb: string | undefined): VerbShape | undefined {
    return this.verbs.find(each => each.noun === noun && each.verb === verb);
  }

  /** The verb a word means within one noun, also one that is a guest there. */
  verbIn(noun: string | undefined, word: string): Hit | undefined {
    if (noun === undefined) return undefined;
    return this.hits.get(word)?.find(hit => hit.shape.noun === noun) ?? this.#guests.get(`${noun} ${word}`);
  }

  /** The verb that the noun alone means. */
  bareVerb(noun: string | undefined): VerbShape | undefined {
    return this.verbs.find(shape => shape.bare && shape.noun === noun);
  }

  /** The verb that takes a whole line as its text, where nothing else fits: of a noun, or without one of incidents. */
  textVerb(noun = umbrella): VerbShape | undefined {
    return this.find(noun, textVerbs[noun]);
  }

  /** The verb that lists incidents. */
  get list(): VerbShape | undefined {
    return this.find(umbrella, 'list');
  }

  /**
   * The verb that a word means where no noun was typed: that of the only noun that has the word, or that of incidents when no other
   * verb is named more directly. `/muster new` and `/muster close` are about incidents, as in other bots. An inflected word is none.
   * `isAlone`: no word follows.
   */
  loneVerb(word: string, isAlone: boolean): Hit | undefined {
    const named = (this.hits.get(word) ?? []).filter(hit => hit.rank < 2);
    const alone = isAlone ? named.find(hit => hit.shape.alone) : undefined;
    if (alone) return alone;
    const hits = named.filter(hit => !hit.shape.alone);
    const best = hits.filter(hit => hit.rank === hits[0]?.rank);
    const only = hits.length === 1 ? hits[0] : best.find(hit => hit.shape.noun === umbrella);
    const found = this.#guests.get(`${umbrella} ${word}`) ?? only;
    const needs = found?.shape.needsNoun;
    return needs === true || (typeof needs === 'object' && needs.includes(word)) ? undefined : found;
  }

  /**
   * The verbs that a word may mean where it is none of the noun, most direct first: the verb of this noun that others have it for, else those of
   * other nouns. `/task rm` is `/task delete`. Where no noun was typed, a verb of incidents is meant before the others of its name.
   */
  elsewhere(noun: string | undefined, word: string, isBeforeNumber: boolean): readonly Hit[] {
    const numbered = isBeforeNumber ? this.verbs.filter(shape => shape.beforeNumber?.includes(word)) : [];
    const all = [...(this.hits.get(word) ?? []), ...numbered.map(shape => ({ shape, rank: 1 as const }))];
    const hits = all.filter(hit => hit.shape.noun !== noun);
    const own =
      noun === undefined || noun === umbrella ? [] : hits.flatMap(({ shape }) => this.find(noun, shape.verb) ?? []);
    const named = own.filter(shape => shape !== this.textVerb(noun));
    if (named.length > 0) return named.map(shape => ({ shape, rank: 1 }));
    const ofIncidents = hits.find(hit => hit.shape.noun === umbrella && hit.rank === 0);
    return noun === undefined && ofIncidents ? [ofIncidents] : hits;
  }
}

function* wordsFor(shape: VerbShape): Generator<[string, Hit]> {
  yield [normalize(shape.verb), { shape, rank: 0 }];
  for (const alias of shape.aliases ?? []) yield [normalize(alias), { shape, rank: 1 }];
  for (const [word, instead] of Object.entries(shape.shorthands ?? {})) {
    yield [normalize(word), { shape, rank: 1, instead }];
  }
  for (const base of [shape.verb, ...(shape.aliases ?? [])]) {
    for (const form of formsOf(normalize(base))) yield [form, { shape, rank: 2 }];
  }
}

/** Past tense and third person, regular: `resolved`, `adds`, `dropped`, `tried`. */
function formsOf(base: string): string[] {
  if (!/^[a-z]{3,}$/.test(base)) return [];
  if (base.endsWith('e')) return [`${base}d`, `${base}s`];
  if (/[^aeiou]y$/.test(base)) return [`${base.slice(0, -1)}ied`, `${base.slice(0, -1)}ies`];
  const plain = [`${base}ed`, /(s|x|z|ch|sh)$/.test(base) ? `${base}es` : `${base}s`];
  return /[^aeiou][aeiou][^aeiouwxy]$/.test(base) ? [...plain, `${base}${base.slice(-1)}ed`] : plain;
}

/** A line that is read: its words, and the noun under which they are read; undefined where none was typed. */
export class Line {
  readonly vocabulary: Vocabulary;
  readonly tokens: readonly Token[];
  readonly noun: string | undefined;

  constructor(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined) {
    this.vocabulary = vocabulary;
    this.tokens = tokens;
    this.noun = noun;
  }

  /** No noun was typed, or that of incidents: another one may follow. */
  get isOpen(): boolean {
    return this.noun === undefined || this.noun === umbrella;
  }

  /** The verb that takes the words behind the noun. */
  get fallback(): VerbShape | undefined {
    return this.vocabulary.verbs.findLast(each => each.fallback !== undefined && each.noun === this.noun);
  }

  /** Its words under another noun. */
  under(noun: string | undefined): Line {
    return new Line(this.vocabulary, this.tokens, noun);
  }

  /** The word at a place, as commands compare it; `""` where no word is. */
  word(at: number): string {
    return commandWord(this.tokens[at]);
  }

  /** The noun that the word at a place is. */
  nounAt(at: number): string | undefined {
    return this.vocabulary.nouns.get(this.word(at));
  }

  /** The verb that the word at a place means under the noun. */
  own(at: number): Hit | undefined {
    return this.vocabulary.verbIn(this.noun, this.word(at));
  }

  /** The verb that the word at a place means, where the noun is typed or need not be. */
  verbAt(at: number): Hit | undefined {
    return this.noun === undefined ? this.vocabulary.loneVerb(this.word(at), false) : this.own(at);
  }
}

/** The words after a command, decoded, and its arguments in order. */
interface Typed {
  /** Decoded, mentions as `@label`, controls removed: every offset below counts in this text. */
  text: string;
  tokens: readonly Token[];
  channels: readonly (Marked & { kind: 'channel' })[];
  /** People and groups anywhere in the text. */
  mentions: readonly Named[];
}

/** One argument: a word, a quoted run, or a person or group mentioned on their own. */
export interface Token {
  /** Without the quotes that wrapped it. */
  text: string;
  /** The white space before it. */
  space: string;
  start: number;
  end: number;
  quoted: boolean;
  mention?: Marked & { kind: 'user' | 'group' };
  /** The channel that Slack marked, when it is the whole word. */
  channel?: Marked & { kind: 'channel' };
}

interface Marked {
  kind: 'user' | 'channel' | 'group' | 'link';
  id: string;
  /** The name Slack gave, or the id; an address for a link. */
  label: string;
  start: number;
  end: number;
}

/** Quotes people and their keyboards use (docs/decisions.md, Command words); within a family any mark closes what any other opened. */
const quoteFamilies = [
  { open: '"“”„‟', close: '"“”„‟' },
  { open: "'‘’‚‛", close: "'‘’‚‛" },
  { open: '«', close: '»' },
] as const;

const flagAssignment = /(?:--|—|–)[a-z][\w-]*=/iy;
const spacePattern = /\s/;

/** Splits what Slack sent after a command. Never fails: a quote that nothing closes is a character like any other. */
export function tokenize(slackText: string): Typed {
  const { text, marks } = decode(stripControls(slackText));
  const tokens = split(text, new Map(marks.map(mark => [mark.start, mark])));
  const mentions = marks.filter((mark): mark is Named => mark.kind === 'user' || mark.kind === 'group');
  return { text, tokens, channels: marks.filter(mark => mark.kind === 'channel'), mentions };
}

type Named = Marked & { kind: 'user' | 'group' };
type Mark = Named | (Marked & ({ kind: 'channel' } | { kind: 'link' }));
type Marks = ReadonlyMap<number, Mark>;

function decode(source: string): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  let text = '';
  for (const token of readSlackText(source)) {
    const start = text.length;
    text += tokenToText(token);
    const end = text.length;
    if (token.kind === 'link' && text.endsWith(')'))
      marks.push({ kind: 'link', id: '', label: token.url.replace(/^mailto:/i, ''), start, end });
    if (token.kind === 'link' || token.kind === 'text') continue;
    marks.push({ kind: token.kind, id: token.id, label: token.label || token.id, start, end });
  }
  return { text, marks };
}

function split(text: string, marks: Marks): Token[] {
  const tokens: Token[] = [];
  const unclosed = new Set<string>();
  let at = skip(text, 0, spacePattern);
  let space = '';
  while (at < text.length) {
    const read = readMention(text, marks, at) ?? readQuoted(text, marks, at, unclosed) ?? readWord(text, marks, at);
    tokens.push({ ...read, space, start: at });
    at = skip(text, read.end, spacePattern);
    space = text.slice(read.end, at);
  }
  return tokens;
}

type Read = Omit<Token, 'space' | 'start'>;

function readMention(text: string, marks: Marks, start: number): Read | undefined {
  const mention = marks.get(start);
  if (mention === undefined || mention.kind === 'channel' || mention.kind === 'link') return undefined;
  const end = skip(text, mention.end, /[,.;:!?]/);
  return { text: text.slice(start, end), end, quoted: false, mention };
}

/** `unclosed` remembers which quotes nothing further on closes, so that no text is searched again and again. */
function readQuoted(text: string, marks: Marks, start: number, unclosed: Set<string>): Read | undefined {
  flagAssignment.lastIndex = start;
  const flag = flagAssignment.exec(text)?.[0] ?? '';
  const open = start + flag.length;
  const quotes = quoteFamilies.find(family => open < text.length && family.open.includes(text.charAt(open)));
  if (quotes === undefined || unclosed.has(quotes.close)) return undefined;
  const close = findClosing(text, marks, open + 1, quotes.close);
  if (close !== undefined) return { text: flag + text.slice(open + 1, close), end: close + 1, quoted: flag === '' };
  unclosed.add(quotes.close);
  return undefined;
}

/** A closing quote ends a word; anywhere else it is an apostrophe or an inch mark. */
function findClosing(text: string, marks: Marks, from: number, closing: string): number | undefined {
  for (let at = from; at < text.length; at = marks.get(at)?.end ?? at + 1) {
    const endsWord = at + 1 === text.length || spacePattern.test(text.charAt(at + 1));
    if (endsWord && closing.includes(text.charAt(at))) return at;
  }
  return undefined;
}

function readWord(text: string, marks: Marks, start: number): Read {
  let end = start;
  while (end < text.length && !spacePattern.test(text.charAt(end))) end = marks.get(end)?.end ?? end + 1;
  const mark = marks.get(start);
  const isChannel = mark?.kind === 'channel' && /^[,.:;]*$/.test(text.slice(mark.end, end));
  // People pass the address of a link to a command, not its label.
  const word = mark?.kind === 'link' ? mark.label + text.slice(mark.end, end) : text.slice(start, end);
  return { text: word, end, quoted: false, ...(isChannel ? { channel: mark } : {}) };
}

function skip(text: string, from: number, what: RegExp): number {
  let at = from;
  while (at < text.length && what.test(text.charAt(at))) at += 1;
  return at;
}

/** A word that is compared as it is, as most are. */
const plainWord = /^[a-z0-9]*$/;

/** How a word is compared: without case, hyphens, a leading slash, or punctuation at its end. */
export function normalize(word: string): string {
  if (plainWord.test(word)) return word;
  return trimEnd(toNormalForm(word, 'NFKC').toLowerCase(), /[,.:;!]/).replace(/^\/+|[-_]/g, '');
}

/** Words that go on with a sentence about the noun or verb before them: “title is wrong”, “a task for bob”. */
const goingOn =
  /^(?:(?:is|are|was|were|has|have|had|does|do|did|wo|would|should|can|could|might|must)(?:n't)?|be|will|shall|may|needs|seems|looks|sounds|feels|went|goes|got|came|keeps|works|to|for|of|about|by|with)$/;

/** Whether a word goes on with a sentence that the words before it began. */
export function goesOn(word: string): boolean {
  return goingOn.test(word.replaceAll('’', "'"));
}

const helpPattern = /^(?:(?:--?|—|–)?help[!?.]*|-h|\?+)$/i;

/** No command has a word of more characters. */
const longestWord = 60;

/** A token as commands compare words. It is empty, which is no word, for anything in quotes, mentioned or too long: those are text. */
export function commandWord(token: Token | undefined): string {
  const isText = token === undefined || token.quoted || token.mention !== undefined;
  return isText || token.text.length > longestWord ? '' : normalize(token.text);
}

/** Whether a word is a flag, as people and keyboards write it: `--now`, `—now`. */
export function isFlag({ text }: Token): boolean {
  return /^(--|—|–)\p{L}/u.test(text);
}

/** Whether a word asks for help: `help`, `--help`, `-h`, `?`. */
export function isHelp(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && token.mention === undefined && helpPattern.test(token.text);
}

/** An incident that a person named in a command: by its number, or by a channel of its own. */
export type IncidentReference =
  | {
      readonly kind: 'number';
      readonly id: string;
      /** Whether it can be nothing but an incident: `INC-7`, and not `7`. */
      readonly isPlain: boolean;
    }
  | { readonly kind: 'channel'; readonly channelId: string; readonly id: string };

const plainNumber = /^#?(\d{1,9})[,.:;]?$/;
const named = /^#?(?:inc|incident)[-_]?(\d{1,9})[,.:;]?$/i;

/**
 * The incident that a word names: `7`, `#7`, `INC-7`, `#inc-7-checkout`, or a channel that Slack marked. `channelPrefix` is how
 * incident channels begin here.
 */
export function readReference(token: Token | undefined, channelPrefix: string): IncidentReference | undefined {
  if (token === undefined || token.quoted || token.mention !== undefined) return undefined;
  const { channel, text } = token;
  const inName = numberOfChannel(text, channelPrefix);
  if (channel !== undefined) return { kind: 'channel', channelId: channel.id, id: inName ?? '' };
  const plain = plainNumber.exec(text)?.[1];
  if (plain !== undefined) return { kind: 'number', id: String(Number(plain)), isPlain: true };
  const id = named.exec(text)?.[1] ?? inName;
  return id === undefined ? undefined : { kind: 'number', id: String(Number(id)), isPlain: false };
}

/** A word without the signs of a question or a call behind it: `7` of `7?`. A verb that takes no text has no other use for them. */
export function withoutSigns(token: Token | undefined): Token | undefined {
  return token && { ...token, text: trimEnd(token.text, /[?!]/) };
}

/** The number in the name of an incident's channel: 7 in `#inc-7-checkout`. */
function numberOfChannel(text: string, channelPrefix: string): string | undefined {
  const name = text.replace(/^#/, '').toLowerCase();
  const prefix = channelPrefix.toLowerCase();
  if (prefix === '' || !name.startsWith(prefix)) return undefined;
  const number = /^(\d{1,9})(?:-[\p{L}\p{N}_-]*)?[,.:;]?$/u.exec(name.slice(prefix.length))?.[1];
  return number === undefined ? undefined : String(Number(number));
}

/** Words and signs at the end of a command that say nothing. The signs between two words are read in one way alone. */
const polite =
  /(?:(?:^|(?:[\s,.;!–—-]|:(?![a-z0-9_+-]+:))+)(?:please|pls|plz|thanks|thx|ty|thank you|now|:[a-z0-9_+-]+:|\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d)*))+[.!]*$/iu;
/** The characters at the end among which these are looked for. */
const mostPolite = 60;

/** A text without the end of a command that says nothing: `1 please`, `commander, thanks!`, an emoji. */
export function withoutPolite(text: string): string {
  const from = Math.max(0, text.length - mostPolite);
  return text.slice(0, from) + text.slice(from).replace(polite, '');
}

/** Words between two mentions that are arguments: “for @bob and @carol”. */
const between = /^(and|or|&|\+|,|\/)$/i;
/** Words of a sentence that take the mention behind them: “talk to @bob”; and verbs that do where they begin it: “ask @bob”. */
const takesMention = /^(to|with|from|about|by|of|behind|than|via|without|that|whether|is|was|and)$/i;
const asksMention = /^(ask|tell|ping|call|page|help|let|wake|relieve|thank|invite)$/i;
/** Verbs that take a person behind “for”. */
const takesFor = /^(wait|waits|waiting|look|looks|looking|ask|stand|fill|cover|search)$/i;
/** Words behind the person at the end of a text: nothing more, or until when. */
const behindPerson =
  /^(?:please|pls|plz|thanks|thx|asap|today|tonight|tomorrow|(?:by|before|until|till) \S+(?: \S+){0,3})$/i;

/** A text up to the person who is named near its end. `ends` are the words behind that say until when. */
function untilPerson(tokens: readonly Token[]): { readonly tokens: readonly Token[]; readonly ends: readonly Token[] } {
  const last = tokens.findLastIndex(each => each.mention !== undefined);
  const ends = tokens.slice(last + 1);
  const words = trimEnd(ends.map(each => each.text).join(' '), /[.!]/);
  if (last < 1 || ends.length === 0 || ends.length > 5 || !behindPerson.test(words)) return { tokens, ends: [] };
  return { tokens: tokens.slice(0, last + 1), ends: withoutPolite(words) === '' ? [] : ends };
}

/** The mentions that are arguments, at either end, and the words between. In prose a mention that belongs to the sentence stays in it. */
export function argumentsWithin(
  all: readonly Token[],
  isProse: boolean,
): { words: readonly Token[]; mentions: readonly Named[] } {
  const { tokens, ends } = isProse ? untilPerson(all) : { tokens: all, ends: [] };
  const { words, mentions } = argumentsBetween(tokens, isProse);
  // A person within the sentence stays there, with the words behind.
  const isWithin = tokens !== all && mentions.length === 0;
  return isWithin ? argumentsBetween(all, isProse) : { words: [...words, ...ends], mentions };
}

function argumentsBetween(tokens: readonly Token[], isProse: boolean) {
  // “@bob’s laptop” is one word.
  const isTorn = (next: Token | undefined) => next?.space === '' && next.mention === undefined;
  const isMention = (at: number) => tokens[at]?.mention !== undefined && !isTorn(tokens[at + 1]);
  const isBetween = (at: number) => between.test(tokens[at]?.text ?? '') && isMention(at - 1) && isMention(at + 1);
  const isApart = (at: number) => isMention(at) || (isProse && isBetween(at));
  let first = 0;
  while (first < tokens.length && isApart(first)) first += 1;
  let last = tokens.length - 1;
  while (last >= first && isApart(last)) last -= 1;
  const mentionsIn = (some: readonly Token[]) => some.flatMap(token => token.mention ?? []);
  const ahead = mentionsIn(tokens.slice(0, first));
  const mentions = [...ahead, ...mentionsIn(tokens.slice(last + 1))];
  const words = tokens.slice(first, last + 1);
  if (!isProse || last === tokens.length - 1) return { words, mentions };
  const before = words.at(-1)?.text ?? '';
  const isWaiting = /^for$/i.test(before) && takesFor.test(words.at(-2)?.text ?? '');
  if (isWaiting || takesMention.test(before) || (words.length === 1 && asksMention.test(before)))
    return { words: tokens.slice(first), mentions: ahead };
  if (/^(?:for|->|=>|→|[-–—:=])$/i.test(before) && words.length > 1) return { words: words.slice(0, -1), mentions };
  const end = words.at(-1);
  const text = trimEnd(before, /[,;]/);
  // “Check pods, @bob”
  if (end === undefined || text === before || end.quoted) return { words, mentions };
  return { words: [...words.slice(0, -1), { ...end, text, end: end.end - (before.length - text.length) }], mentions };
}
