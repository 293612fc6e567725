import { filteredList } from './filtered-list.ts';
import { nearInText, nearVerb } from './near-verbs.ts';
import { suggest } from './suggest.ts';
import { commandWord, isFlag, isHelp, type Token } from './tokens.ts';
import type { VerbShape } from './verb.ts';
import {
  bareVerb,
  fallbackOf,
  type Hit,
  incidents,
  listVerb,
  loneVerb,
  umbrella,
  type Vocabulary,
  verbIn,
} from './vocabulary.ts';
import { wordsOfOtherBots } from './words-of-other-bots.ts';

/** What the words of a line name; `next` is the first word behind the verb, `at` the word that was not understood. */
export type Found =
  | {
      kind: 'verb';
      hit: Hit;
      next: number;
      /** The place of an incident that was named before the verb: `/incident 7 resolve`. */
      ahead?: number;
      /** It is meant as it stands, though it reads like a sentence. */
      isClear?: true;
    }
  | { kind: 'help'; noun?: string | undefined; verb?: string | undefined; isWhole?: true }
  | { kind: 'bare'; noun?: string | undefined }
  | { kind: 'unknown'; at: number; noun?: string | undefined };

/** A command has at most this many nouns and `help`s before its verb. */
const maxLeadingWords = 8;

/**
 * Finds the verb of a line. It tries in this order, and the first that fits wins: a verb of the noun, the noun's fallback, another
 * noun, a verb before its noun, a verb that only one noun has. Only where no noun or the umbrella was typed may a line go on to
 * another noun: a verb typed under one noun never acts on another.
 */
export function findVerb(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): Found {
  const first = tokens[at];
  if (first === undefined) return { kind: 'bare', noun };
  if (at > maxLeadingWords) return { kind: 'unknown', at, noun };
  const fallback = fallbackOf(vocabulary, noun);
  if (fallback?.fallback === 'text') return findInText(vocabulary, tokens, fallback, at);
  if (isHelp(first)) return findHelp(vocabulary, tokens, noun, at + 1);
  const word = commandWord(first);
  const target = tokens.length === at + 1 ? bareTarget(vocabulary, first, noun) : undefined;
  if (target !== undefined) return { kind: 'verb', hit: { shape: target, rank: 2 }, next: at };
  const filtered = isVerbNamed(vocabulary, tokens, noun, at) ? undefined : filteredList(vocabulary, tokens, noun, at);
  if (filtered !== undefined) return { kind: 'verb', hit: { shape: filtered, rank: 2 }, next: at };
  const listed = listOfIncidents(vocabulary, tokens, noun, at);
  if (listed !== undefined) return { kind: 'verb', hit: { shape: listed, rank: 2 }, next: tokens.length };
  const behind = behindIncident(vocabulary, tokens, noun, at);
  if (behind !== undefined) return behind;
  const shown = shownNoun(vocabulary, tokens, noun, at) ?? shownVerb(vocabulary, tokens, noun, at);
  if (shown !== undefined) return { kind: 'verb', hit: shown, next: tokens.length };
  const own = verbIn(vocabulary, noun, word);
  const isOwn = own !== undefined && own.shape.noun === noun;
  const named = isOwn ? undefined : verbBeforeNoun(vocabulary, noun, tokens, at);
  const isWord = own?.shape.begins === 'nothing' && verbIn(vocabulary, noun, commandWord(tokens[at + 1])) === undefined;
  if (isWord && tokens.length > at + 2 && isOfOtherBots(noun, tokens[at + 1])) {
    return { kind: 'unknown', at: at + 1, noun };
  }
  if (own !== undefined && named === undefined && !isAnothersNumber(own, noun, tokens[at + 1])) {
    return withWords(vocabulary, tokens, own, at, noun);
  }
  const numbered = verbBeforeNumber(vocabulary, noun, word, tokens.slice(at + 1));
  if (numbered !== undefined) return { kind: 'verb', hit: { shape: numbered, rank: 1 }, next: at + 1 };
  if (fallback !== undefined) {
    const isNearly = suggest(vocabulary, noun, word, undefined).some(({ shape }) => shape.noun === noun);
    if (isNearly || wordsOfOtherBots(noun, word) !== undefined) return { kind: 'unknown', at, noun };
    return { kind: 'verb', hit: { shape: fallback, rank: 2 }, next: at };
  }
  const typedNoun = vocabulary.nouns.get(word);
  if (noun !== undefined && noun !== umbrella) {
    return typedNoun === noun ? findVerb(vocabulary, tokens, noun, at + 1) : { kind: 'unknown', at, noun };
  }
  const underNoun = typedNoun === undefined ? undefined : findVerb(vocabulary, tokens, typedNoun, at + 1);
  if (underNoun !== undefined && underNoun.kind !== 'unknown') return underNoun;
  if (named !== undefined) return { kind: 'verb', hit: named, next: at + 2 };
  const isAlone = tokens.slice(at + 1).every((each, place) => place === 0 && isHelp(each));
  const lone = noun === undefined ? loneVerb(vocabulary, word, isAlone) : undefined;
  if (lone !== undefined && !isAnothersNumber(lone, noun, tokens[at + 1])) {
    return withWords(vocabulary, tokens, lone, at, noun);
  }
  return underNoun ?? { kind: 'unknown', at, noun };
}

/** Whether a verb is named behind the singular of its noun: `/task done`, and not `/incident tasks done`. */
function isVerbNamed(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number): boolean {
  const before = commandWord(tokens[at - 1]);
  const isPlural = before !== noun && vocabulary.nouns.get(before) === noun;
  const own = verbIn(vocabulary, noun, commandWord(tokens[at]));
  return !isPlural && own !== undefined && own.rank < 2 && !own.shape.bare;
}

/**
 * A verb with what is behind it. `/incident status we roll back` may mean the verb that takes words, and `/incident update severity major`
 * either verb, so both ask.
 */
function withWords(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  hit: Hit,
  at: number,
  noun: string | undefined,
): Found {
  const plain: Found = { kind: 'verb', hit, next: at + 1 };
  const rest = tokens.slice(at + 1);
  if (hit.shape.withWords !== undefined && !isTarget(rest)) {
    const target = targetAmong(rest);
    return target === undefined ? { kind: 'unknown', at, noun } : { kind: 'verb', hit, next: at + 1 + target };
  }
  const near = hit.shape.noun === umbrella ? nearVerb(vocabulary, tokens, hit, at, noun) : undefined;
  if (near !== undefined)
    return 'verb' in near ? { kind: 'verb', hit: near.verb, next: near.next } : { kind: 'unknown', at, noun };
  const asks = hit.shape.asksBeforeVerbs && namesVerb(vocabulary, hit.shape, rest);
  return asks ? { kind: 'unknown', at, noun } : plain;
}

/** Whether words begin with another verb of that noun, or are the name of another noun alone. */
function namesVerb(vocabulary: Vocabulary, { noun, verb }: VerbShape, rest: readonly Token[]): boolean {
  const [first] = rest;
  if (first !== undefined && isFlag(first)) return false;
  const word = commandWord(first);
  const hit = first?.quoted ? undefined : verbIn(vocabulary, noun, word);
  if (hit !== undefined && hit.rank < 2) return hit.shape.verb !== verb;
  return rest.length === 1 && bareVerb(vocabulary, vocabulary.nouns.get(word)) !== undefined;
}

/** Under a noun that takes free text: its own verb by name, another one with nothing behind it, else text. */
function findInText(vocabulary: Vocabulary, tokens: readonly Token[], fallback: VerbShape, at: number): Found {
  const { noun } = fallback;
  const [first, ...rest] = tokens.slice(at);
  const word = commandWord(first);
  const own = verbIn(vocabulary, noun, word);
  if (own?.rank === 0 && own.shape === fallback) return { kind: 'verb', hit: own, next: at + 1 };
  const asksHelp = rest.length === 0 || (rest.length === 1 && verbIn(vocabulary, noun, commandWord(rest[0])));
  if (isHelp(first) && asksHelp) return findHelp(vocabulary, tokens, noun, at + 1);
  if (own !== undefined && own.rank < 2 && own.shape !== fallback && isTarget(rest)) {
    return { kind: 'verb', hit: own, next: at + 1 };
  }
  if (own !== undefined && own.rank < 2 && own.shape.reads) return { kind: 'unknown', at, noun };
  const near = nearInText(vocabulary, tokens, fallback, at);
  if (near !== undefined)
    return 'verb' in near ? { kind: 'verb', hit: near.verb, next: near.next } : { kind: 'unknown', at, noun };
  const isAlone = rest.length === 0 || (rest.length === 1 && isNumber(rest[0]));
  if (isAlone && isOfOtherBots(noun, first)) return { kind: 'unknown', at, noun };
  if (rest.length === 0) {
    if (vocabulary.nouns.get(word) === noun) return { kind: 'bare', noun };
    const isNearly = suggest(vocabulary, noun, word, undefined).some(({ shape }) => shape.noun === noun);
    if (own !== undefined || isNearly) return { kind: 'unknown', at, noun };
  }
  return { kind: 'verb', hit: { shape: fallback, rank: 2 }, next: at };
}

/** `/incident 7` and `/task INC-7`: an incident alone behind a noun stands for the verb that the noun alone means. */
function bareTarget(vocabulary: Vocabulary, only: Token, noun: string | undefined): VerbShape | undefined {
  const isIncident = isIncidentName(only) || ((noun ?? umbrella) === umbrella && isNumber(only));
  return isIncident ? bareVerb(vocabulary, noun ?? umbrella) : undefined;
}

/** `/muster incidents` and `/incident show incidents`: the plural of incidents alone means their list, and never the one at hand. */
function listOfIncidents(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): VerbShape | undefined {
  const isPlural = commandWord(tokens.at(-1)) === incidents;
  const isAlone = tokens.length === at + 1;
  const list = listVerb(vocabulary);
  const before = tokens.length === at + 2 ? verbIn(vocabulary, umbrella, commandWord(tokens[at]))?.shape : undefined;
  const isShown = before !== undefined && (before.bare || before === list);
  return isPlural && (noun ?? umbrella) === umbrella && (isAlone || isShown) ? list : undefined;
}

/**
 * `/incident 7 resolve` and `/task INC-7 list`: an incident before its verb, which must take one. A number before a verb that counts
 * tasks is a task's, and no incident's.
 */
function behindIncident(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): Found | undefined {
  const first = tokens[at];
  const isNamed = first !== undefined && isIncidentName(first);
  const isBefore = at === 0 || !isIncidentOrNumber(tokens[at - 1]);
  if (!(isNamed || isNumber(first)) || tokens.length === at + 1 || !isBefore) return undefined;
  const found = findVerb(vocabulary, tokens, noun, at + 1);
  if (found.kind === 'help') return found;
  const bare = found.kind === 'bare' ? bareVerb(vocabulary, found.noun) : undefined;
  if (bare?.flags?.incident) return { kind: 'verb', hit: { shape: bare, rank: 2 }, next: tokens.length, ahead: at };
  if (found.kind !== 'verb' || found.next === at + 1 || !found.hit.shape.flags?.incident) return undefined;
  const isOfTask = !isNamed && found.hit.shape.begins === undefined && noun !== undefined && noun !== umbrella;
  return isOfTask ? undefined : { ...found, ahead: at };
}

function isIncidentOrNumber(token: Token | undefined): boolean {
  return token !== undefined && (isIncidentName(token) || isNumber(token));
}

function isIncidentName(token: Token): boolean {
  return !token.quoted && (token.channel !== undefined || /^#?inc(ident)?[-_]?\d{1,9}\b/i.test(token.text));
}

/** Whether words name at most an incident: nothing, `7`, `INC-7`, a channel, `--incident 7`; or ask for help. */
function isTarget(rest: readonly Token[]): boolean {
  const [first, second] = rest;
  if (first === undefined || (isHelp(first) && second === undefined)) return true;
  if (/^(--|—|–)incident(=|$)/i.test(first.text)) return rest.length <= (first.text.includes('=') ? 1 : 2);
  return second === undefined && (isNumber(first) || isIncidentName(first));
}

/** Words around the name of an incident that say nothing more. */
const fillers =
  /^(of|for|on|about|the|this|that|our|incident|channel|room|here|please|pls|now|right|current|me|us|all|again|thanks)[,.!?]*$/i;

/** Where the incident stands among words that say nothing else: 1 in `of INC-7`; undefined where they say more. */
function targetAmong(rest: readonly Token[]): number | undefined {
  const said = rest.flatMap((token, at) => (token.quoted || !fillers.test(token.text) ? [at] : []));
  const [only, ...others] = said;
  if (only === undefined) return rest.length;
  const token = rest[only];
  if (others.length > 0 || token === undefined) return undefined;
  return isFlag(token) || isNumber(token) || isIncidentName(token) ? only : undefined;
}

/** Words behind `help` that ask for all of it. */
const wholeWords = ['all', 'everything', 'commands'];

function findHelp(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number): Found {
  const isWhole = tokens.length === at + 1 && wholeWords.includes(commandWord(tokens[at]));
  if (isWhole) return { kind: 'help', noun, isWhole };
  const about = findVerb(vocabulary, tokens, noun, at);
  const fallback = fallbackOf(vocabulary, noun);
  if (about.kind === 'verb' && !(fallback?.fallback === 'text' && about.next === at)) {
    return { kind: 'help', noun: about.hit.shape.noun, verb: about.hit.shape.verb };
  }
  if (about.kind === 'verb') return { kind: 'help', noun };
  return { kind: 'help', noun: about.noun, verb: about.kind === 'help' ? about.verb : undefined };
}

/** `/incident status update we roll back`: a word of another bot, with words of its own, behind a verb that takes none. */
function isOfOtherBots(noun: string | undefined, token: Token | undefined): boolean {
  return wordsOfOtherBots(noun, commandWord(token)) !== undefined;
}

/** `/incident add task`: a verb before its noun, where any noun may be typed. */
function verbBeforeNoun(vocabulary: Vocabulary, noun: string | undefined, tokens: readonly Token[], at: number) {
  if (noun !== undefined && noun !== umbrella) return undefined;
  return verbIn(vocabulary, vocabulary.nouns.get(commandWord(tokens[at + 1])), commandWord(tokens[at]));
}

/** `/incident show tasks` shows the tasks: a verb that takes nothing, with the name of another noun alone behind it. */
function shownNoun(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number) {
  const named = tokens.length === at + 2 ? vocabulary.nouns.get(commandWord(tokens[at + 1])) : undefined;
  const shape = noun === umbrella && named !== noun ? bareVerb(vocabulary, named) : undefined;
  const hit = shape && verbIn(vocabulary, named, commandWord(tokens[at]));
  return hit?.shape === shape ? hit : undefined;
}

/** `/incident show the alerts` and “show me the timeline”: a word that asks to see what a verb of incidents only shows. */
function shownVerb(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number) {
  const words = tokens.slice(at).map(each => (each.quoted ? '"' : commandWord(each)));
  const [, named] = /^(?:show|see|view|display)(?: (?:me|us|the|all|our|its|of))* (\S+)$/.exec(words.join(' ')) ?? [];
  const hit = named === undefined || (noun ?? umbrella) !== umbrella ? undefined : verbIn(vocabulary, umbrella, named);
  return hit && hit.rank < 2 && hit.shape.reads && hit.shape.begins === 'nothing' ? hit : undefined;
}

/** True if the verb belongs to another noun, and the number after it counts that noun's things: `/incident assign 3 @bob` is about a task. */
function isAnothersNumber(hit: Hit, noun: string | undefined, next: Token | undefined): boolean {
  return hit.shape.noun !== (noun ?? umbrella) && hit.shape.begins === 'words' && isNumber(next);
}

/** The verb of a word that means it before a number alone. */
function verbBeforeNumber(
  { verbs }: Vocabulary,
  noun: string | undefined,
  word: string,
  rest: readonly Token[],
): VerbShape | undefined {
  if (rest.length !== 1 || !isNumber(rest[0])) return undefined;
  return verbs.find(shape => shape.noun === noun && shape.beforeNumber?.includes(word));
}

/** Whether a word is a number as lists show it: `3`, `#3`, `3.`. */
export function isNumber(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && /^#?\d{1,6}[.):]?$/.test(token.text);
}
