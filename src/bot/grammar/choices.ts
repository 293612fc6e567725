import { findVerb, isNumber } from './find-verb.ts';
import { nearInText, nearVerb } from './near-verbs.ts';
import type { Offer } from './other-bots.ts';
import { suggest } from './suggest.ts';
import { commandWord, type Token } from './tokens.ts';
import type { Reading, VerbShape } from './verb.ts';
import { bareVerb, fallbackOf, loneVerb, umbrella, type Vocabulary, verbIn, verbsElsewhere } from './vocabulary.ts';
import { wordsOfOtherBots } from './words-of-other-bots.ts';

/** Answers to a line that names no verb of its noun. */
interface Choices {
  /** A sentence of mrkdwn on a word of another bot; `""` when it is none. */
  readonly says: string;
  /** What may have been meant, likeliest first. */
  readonly readings: readonly Reading[];
}

const most = 4;

/** Which verb takes a whole line as its text when nothing else fits. */
const textVerbs: Readonly<Record<string, string>> = { task: 'add', note: 'add', incident: 'declare' };

/**
 * What may have been meant by a line whose word `at` names no verb: the command that Muster has for a word of another bot, the same
 * word under another noun, the nearest verbs, and the whole as a text. Nothing of it is done without a press.
 */
export function choicesFor(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  { at, noun }: { at: number; noun?: string | undefined },
): Choices {
  const word = commandWord(tokens[at]);
  const next = commandWord(tokens[at + 1]);
  const shown = showOrSay(vocabulary, tokens, noun, at);
  if (shown !== undefined) return shown;
  const near = nearChoices(vocabulary, tokens, noun, at);
  if (near !== undefined) return near;
  const elsewhere = wordsOfOtherBots(noun, word);
  const behind = elsewhere === undefined ? [] : behindWord(vocabulary, tokens, noun, at + 1);
  const counted = behindNumber(vocabulary, tokens, noun, at);
  const offered = (elsewhere?.offers ?? []).flatMap(each => toReading(vocabulary, tokens, at, each));
  const others = elsewhere !== undefined ? [] : elsewhereMeant(vocabulary, tokens, noun, at);
  const nearest =
    elsewhere !== undefined || others.length > 0
      ? []
      : suggest(vocabulary, noun, word, next).map(({ shape, words }) => readAs({ shape }, at + words));
  const all = [...counted, ...behind, ...offered, ...others, ...nearest].slice(0, most - 1);
  const isText = noun === 'task' || noun === 'note' || (elsewhere === undefined && mayBeTitle(tokens, noun, at, all));
  const readings = [...all, ...(isText ? asText(vocabulary, tokens, noun, at) : [])];
  return {
    says: elsewhere?.says ?? '',
    readings: onceEach(readings),
  };
}

/** `/incident update add we roll back`: a verb of another bot, or the first word of what is said. */
function nearChoices(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): Choices | undefined {
  const fallback = fallbackOf(vocabulary, noun);
  const isText = fallback?.fallback === 'text';
  const word = commandWord(tokens[at]);
  const hit = noun === undefined ? loneVerb(vocabulary, word, false) : verbIn(vocabulary, noun, word);
  const near = isText
    ? nearInText(vocabulary, tokens, fallback, at)
    : hit && nearVerb(vocabulary, tokens, hit, at, noun);
  if (near === undefined || 'verb' in near || (isText && near.meant.length === 1)) return undefined;
  return {
    says: 'That may be a command with words behind it, or only words, so nothing was changed.',
    readings: near.meant.map(({ shape, from }) => readAs({ shape }, from)),
  };
}

/** `/incident status we roll back`: to show something, or to post the words behind it. */
function showOrSay(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): Choices | undefined {
  const word = commandWord(tokens[at]);
  const shape = (noun === undefined ? loneVerb(vocabulary, word, false) : verbIn(vocabulary, noun, word))?.shape;
  const other = shape?.withWords === undefined ? undefined : verbIn(vocabulary, shape.noun, shape.withWords)?.shape;
  if (shape === undefined || other === undefined || tokens.length === at + 1) return undefined;
  const isAgain = verbIn(vocabulary, shape.noun, commandWord(tokens[at + 1]))?.shape === other;
  // `/incident status resolved` wants what the word says.
  const alone = tokens.length === at + 2 ? verbIn(vocabulary, shape.noun, commandWord(tokens[at + 1])) : undefined;
  const isAct = alone !== undefined && alone.rank === 2 && !alone.shape.reads && alone.shape !== other;
  // Under a noun that takes free text the first word may belong to it.
  const from = other.fallback === 'text' ? at : at + (isAgain ? 2 : 1);
  return {
    says: `\`/${shape.noun} ${shape.verb}\` only shows something: do you want to see it, or to say these words?`,
    readings: [
      ...(isAct ? [readAs(alone, at + 2)] : []),
      readAs({ shape }, tokens.length),
      readAs({ shape: other }, from),
      ...(isAgain ? [] : behindWord(vocabulary, tokens, shape.noun, at + 1)),
    ],
  };
}

/** Whether a line may be a title or a note: one word is rather a verb that was mistyped, and so is a line that fits another one. */
function mayBeTitle(
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
  others: readonly Reading[],
): boolean {
  const isOneWord = tokens.length === at + 1;
  return noun === undefined ? others.length === 0 && !isOneWord : others.length === 0 || !isOneWord;
}

/** The command under another noun that was typed, or the verbs that other nouns have for the word. */
function elsewhereMeant(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): readonly Reading[] {
  const word = commandWord(tokens[at]);
  const typedNoun = vocabulary.nouns.get(word);
  const found = typedNoun === undefined ? undefined : findVerb(vocabulary, tokens, typedNoun, at + 1);
  if (found?.kind === 'verb') return [readAs(found.hit, found.next)];
  const alone = found?.kind === 'bare' ? bareVerb(vocabulary, typedNoun) : undefined;
  if (alone !== undefined) return [readAs({ shape: alone }, at + 1)];
  return verbsElsewhere(vocabulary, noun, word).map(hit => readAs(hit, at + 1));
}

/** Each reading once, where it comes first. */
export function onceEach(readings: readonly Reading[]): readonly Reading[] {
  return [...new Map(readings.map(each => [JSON.stringify(each), each])).values()];
}

/** A line read as this verb, with everything from the word `from` on as its arguments. */
export function readAs({ shape, instead }: { shape: VerbShape; instead?: string }, from: number): Reading {
  return { noun: shape.noun, verb: shape.verb, from, ...(instead === undefined ? {} : { instead }) };
}

/** `update severity major` and `edit roles`: the verb or the noun that stands behind another bot's word. */
function behindWord(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): readonly Reading[] {
  const word = commandWord(tokens[at]);
  const hit = verbIn(vocabulary, noun ?? umbrella, word);
  if (hit !== undefined && hit.rank < 2) return [readAs(hit, at + 1)];
  const shape = tokens.length === at + 1 ? bareVerb(vocabulary, vocabulary.nouns.get(word)) : undefined;
  return shape === undefined ? [] : [readAs({ shape }, at + 1)];
}

/** `/task 3 done`: the verb behind the number of what it is about. */
function behindNumber(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): readonly Reading[] {
  const number = tokens[at];
  if (number === undefined || noun === undefined || noun === umbrella || !isNumber(number)) return [];
  const next = /^(?:is|as|was)$/.test(commandWord(tokens[at + 1])) ? at + 2 : at + 1;
  const people = tokens.slice(/^(?:to|for)$/.test(commandWord(tokens[at + 1])) ? at + 2 : at + 1);
  const isGiven =
    people.length > 0 && people.every(token => token.mention !== undefined || commandWord(token) === 'me');
  const given = isGiven ? verbIn(vocabulary, noun, 'assign') : undefined;
  if (given !== undefined) return [readAs(given, at)];
  const hit = verbIn(vocabulary, noun, commandWord(tokens[next]));
  if (hit === undefined || hit.shape.begins !== undefined) return [];
  return [readAs({ shape: hit.shape, instead: number.text.replace(/^#|[.):]$/g, '') }, next + 1)];
}

function toReading(vocabulary: Vocabulary, tokens: readonly Token[], at: number, offer: Offer): readonly Reading[] {
  const shape = vocabulary.verbs.find(each => each.noun === offer.noun && each.verb === offer.verb);
  const next = tokens[at + 1];
  const fits =
    offer.when === undefined ||
    (offer.when === 'nothing' ? next === undefined : offer.when === 'number' ? isNumber(next) : next !== undefined);
  if (shape === undefined || !fits) return [];
  const from = offer.keeps ? at + 1 : tokens.length;
  return [readAs({ shape, ...(offer.instead === undefined ? {} : { instead: offer.instead }) }, from)];
}

/** Whether a verb takes a whole line as its text. */
export function takesWholeLine({ noun, verb }: Pick<VerbShape, 'noun' | 'verb'>): boolean {
  return textVerbs[noun] === verb;
}

/** The line from the word `at` on as the text that its noun, or without one an incident, takes; undefined where it takes none. */
export function textReading(vocabulary: Vocabulary, noun: string | undefined, at: number): Reading | undefined {
  const of = noun ?? umbrella;
  const shape = vocabulary.verbs.find(each => each.noun === of && each.verb === textVerbs[of]);
  return shape && readAs({ shape }, at);
}

/** The same, where what takes a whole line as its text takes the people too who stand before its first word, from the word `from` on. */
export function withPeopleAhead<T extends { readonly readings: readonly Reading[] }>(
  asked: T,
  first: number,
  from: number,
): T {
  const isWhole = (each: Reading) => from < first && each.from === first && takesWholeLine(each);
  return { ...asked, readings: asked.readings.map(each => (isWhole(each) ? { ...each, from } : each)) };
}

/** The whole line as a task, a note, or the title of a new incident. Without a noun it may be either of the last two. */
function asText(
  { verbs }: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): readonly Reading[] {
  if (tokens[at] === undefined) return [];
  const nouns = noun === undefined ? [umbrella, 'note'] : [noun];
  return nouns.flatMap(each => {
    const shape = verbs.find(({ noun: of, verb }) => of === each && verb === textVerbs[each]);
    return shape === undefined ? [] : [readAs({ shape }, at)];
  });
}
