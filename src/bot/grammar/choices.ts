import { findVerb, isNumber, verbBeforeCounted } from './find-verb.ts';
import { nearInText, nearVerb } from './near-verbs.ts';
import { type Offer, wordsOfOtherBots } from './phrasebook.ts';
import { suggest } from './suggest.ts';
import { type Reading, rootNoun, type VerbShape } from './verb.ts';
import { distinct, type Line, readAs, umbrella, type Vocabulary } from './words.ts';

/** Answers to a line that names no verb of its noun. */
interface Choices {
  /** A sentence of mrkdwn on a word of another bot; `""` when it is none. */
  readonly says: string;
  /** The possible meanings, likeliest first. */
  readonly readings: readonly Reading[];
}

const most = 4;

/**
 * The possible meanings of a line whose word `at` names no verb: the command that Muster has for a word of another bot, the same
 * word under another noun, the nearest verbs, and the whole as a text. Nothing of it is done without a press.
 */
export function choicesFor(line: Line, at: number): Choices {
  const { vocabulary, tokens, noun } = line;
  const shown = showOrSay(line, at) ?? commandOrText(line, at) ?? thingOrText(line, at);
  if (shown !== undefined) return shown;
  const isOneWord = tokens.length === at + 1;
  const elsewhere = ofOtherBots(line, at);
  const others = elsewhere === undefined ? underOtherNouns(line, at) : [];
  const near = (elsewhere ?? others[0]) ? [] : suggest(line, line.word(at), line.word(at + 1));
  const guesses = near.flatMap(({ shape, words }) => (shape.grave ? [] : readAs({ shape }, at + words)));
  const offers = elsewhere?.offers.flatMap(offer => toReadings(line, at, offer)) ?? [];
  const ahead = elsewhere === undefined ? [] : behindWord(line, at + 1);
  const likeliest = [...behindNumber(line, at), ...ahead, ...offers, ...others, ...guesses].slice(0, most - 1);
  const slip = guesses.length === 0 ? near[0]?.shape : undefined;
  // Of a short word only a turned pair of letters is likely a slip: `pgae`, and not “most”.
  const grave = slip && (line.word(at).length > 4 || isTurned(line.word(at), slip)) ? slip : undefined;
  // One word is rather a verb that was mistyped than a title, and so is a line that fits another one.
  const isTitle = noun === undefined ? others.length === 0 && !isOneWord : likeliest.length === 0 || !isOneWord;
  const isText = noun === 'task' || noun === 'note' || (!elsewhere && isTitle && !(grave && isOneWord));
  // Without a noun, the whole line may be the title of a new incident or a note.
  const nouns = !isText || tokens[at] === undefined ? [] : noun === undefined ? [umbrella, 'note'] : [noun];
  const texts = nouns.flatMap(each => textReading(vocabulary, each, at) ?? []);
  return { says: elsewhere?.says ?? (grave ? notGuessed(grave) : ''), readings: distinct([...likeliest, ...texts]) };
}

/** The answer to a slip in the name of an act that ends an incident, wakes people or tells everybody. */
const notGuessed = ({ noun, verb }: VerbShape) =>
  `Nothing was done: nobody was paged or called, and nothing was ended or posted. If you mean \`/${noun} ${verb}\`, type it: such an act is never guessed.`;

/** Whether a word is one of the verb with its letters in another order. */
function isTurned(word: string, { verb, aliases = [] }: VerbShape): boolean {
  const sorted = (each: string) => [...each].sort().join('');
  return [verb, ...aliases].some(each => sorted(each) === sorted(word));
}

/** `/incident update add we roll back`: a verb of another bot, or the first word of a text. */
function commandOrText(line: Line, at: number): Choices | undefined {
  const { fallback } = line;
  const isText = fallback?.fallback === 'text';
  const hit = line.verbAt(at);
  const near = isText ? nearInText(line, fallback, at) : hit && nearVerb(line, hit, at);
  if (near?.kind !== 'several' || (isText && near.readings.length === 1)) return undefined;
  const says = 'That may be a command with words behind it, or only words, so nothing was changed.';
  return { says, readings: near.readings };
}

/** `/incident open task 1`: an act on what is counted, or the first word of a text. */
function thingOrText(line: Line, at: number): Choices | undefined {
  const counted = verbBeforeCounted(line, at);
  const hit = line.verbAt(at);
  if (counted === undefined || hit === undefined) return undefined;
  const says = `That may be about a ${counted.noun}, or a text, so nothing was changed.`;
  return { says, readings: [readAs({ shape: counted }, at + 2), readAs(hit, at + 1)] };
}

/** `/incident status we roll back`: to show something, or to post the words behind it. */
function showOrSay(line: Line, at: number): Choices | undefined {
  const { vocabulary, tokens } = line;
  const hit = line.verbAt(at);
  const shape = hit?.shape;
  // “Status” alone is how other bots post an update.
  const text = shape?.textVerb === undefined ? undefined : vocabulary.find(shape.noun, shape.textVerb);
  const other = text?.grave && hit?.rank !== 0 ? vocabulary.textVerb('note') : text;
  if (shape === undefined || other === undefined || tokens.length === at + 1) return undefined;
  const next = vocabulary.verbIn(shape.noun, line.word(at + 1));
  const isAgain = next?.shape === other;
  // `/incident status resolved` wants the act that the word names.
  const isAct = tokens.length === at + 2 && next?.rank === 2 && !next.shape.reads && !isAgain;
  // Under a noun that takes free text the first word may belong to it.
  const from = other.fallback === 'text' ? at : at + (isAgain ? 2 : 1);
  return {
    says: `\`/${shape.noun} ${shape.verb}\` only shows something: do you want to see it, or to say these words?`,
    readings: [
      ...(isAct ? [readAs(next, at + 2)] : []),
      readAs({ shape }, tokens.length),
      readAs({ shape: other }, from),
      ...(isAgain ? [] : behindWord(line.under(shape.noun), at + 1)),
    ],
  };
}

/** The answer to a word of another bot, or to one that another noun has for such a word alone: `rm` is `delete` under `dash`. */
function ofOtherBots(line: Line, at: number): ReturnType<typeof wordsOfOtherBots> {
  const { vocabulary, noun } = line;
  const word = line.word(at);
  const row = wordsOfOtherBots(noun, word);
  if (row !== undefined) {
    const isOfThings = row.offers.length > 0 && row.offers.every(each => each.when === 'thing');
    return isOfThings && namesPerson(line, at) ? undefined : row;
  }
  const hits = (vocabulary.hits.get(word) ?? []).filter(({ shape, rank }) => rank < 2 && shape.noun !== rootNoun);
  const [verb, ...others] = new Set(hits.map(({ shape }) => shape.verb));
  const found = verb === undefined || others.length > 0 ? undefined : wordsOfOtherBots(noun, verb);
  return found && { ...found, offers: found.offers.filter(each => !vocabulary.find(each.noun, each.verb)?.grave) };
}

function namesPerson({ tokens }: Line, at: number): boolean {
  return tokens.slice(at).some(each => each.mention !== undefined);
}

/** The command under another noun that was typed, or the verbs that other nouns have for the word. */
function underOtherNouns(line: Line, at: number): readonly Reading[] {
  const { vocabulary, tokens, noun } = line;
  const typed = line.nounAt(at);
  const found = typed === undefined ? undefined : findVerb(line.under(typed), at + 1);
  if (found?.kind === 'verb') return [readAs(found.hit, found.next)];
  const alone = found?.kind === 'bare' ? vocabulary.bareVerb(typed) : undefined;
  if (alone !== undefined) return [readAs({ shape: alone }, at + 1)];
  const isAlone = tokens.length === at + 1;
  const isBeforeNumber = tokens.length === at + 2 && isNumber(tokens[at + 1]);
  const hits = vocabulary.elsewhere(noun, line.word(at), isBeforeNumber).filter(({ shape }) => !shape.alone || isAlone);
  return hits.map(hit => readAs(hit, at + 1));
}

/** `update severity major` and `edit roles`: the verb or the noun behind another bot's word. */
function behindWord(line: Line, at: number): readonly Reading[] {
  const { vocabulary, tokens, noun } = line;
  const hit = vocabulary.verbIn(noun ?? umbrella, line.word(at));
  if (hit !== undefined && hit.rank < 2) return [readAs(hit, at + 1)];
  const shape = tokens.length === at + 1 ? vocabulary.bareVerb(line.nounAt(at)) : undefined;
  return shape === undefined ? [] : [readAs({ shape }, at + 1)];
}

/** `/task 3 done`: the verb behind the number of what it is about. */
function behindNumber(line: Line, at: number): readonly Reading[] {
  const { vocabulary, tokens, noun } = line;
  const number = tokens[at];
  if (number === undefined || noun === undefined || line.isOpen || !isNumber(number)) return [];
  const behind = (words: RegExp) => at + (words.test(line.word(at + 1)) ? 2 : 1);
  const first = behind(/^(?:to|for)$/);
  const people = tokens.slice(first);
  const isPerson = (place: number) => tokens[place]?.mention !== undefined || line.word(place) === 'me';
  const isGiven = people.length > 0 && people.every((_each, place) => isPerson(first + place));
  const given = isGiven ? vocabulary.verbIn(noun, 'assign') : undefined;
  if (given !== undefined) return [readAs(given, at)];
  const next = behind(/^(?:is|as|was)$/);
  const hit = line.own(next);
  if (hit === undefined || hit.shape.argumentKind !== undefined) return [];
  return [readAs({ shape: hit.shape, instead: number.text.replace(/^#|[.):]$/g, '') }, next + 1)];
}

function toReadings({ vocabulary, tokens }: Line, at: number, offer: Offer): readonly Reading[] {
  const shape = vocabulary.find(offer.noun, offer.verb);
  const next = tokens[at + 1];
  const isText = next !== undefined;
  const fits = { nothing: !isText, number: isNumber(next), text: isText, thing: isText };
  if (shape === undefined || (offer.when !== undefined && !fits[offer.when])) return [];
  const { instead } = offer;
  // A list takes no words. Whatever is written has all of them, and a note that word too.
  const isNote = shape === vocabulary.textVerb('note');
  const from = shape.reads && shape.argumentKind === 'nothing' ? tokens.length : isNote ? at : at + 1;
  return [readAs({ shape, ...(instead === undefined ? {} : { instead }) }, from)];
}

/** The line from the word `at` on as the text that its noun, or without one an incident, takes; undefined where it takes none. */
export function textReading(vocabulary: Vocabulary, noun = umbrella, at: number): Reading | undefined {
  const shape = vocabulary.textVerb(noun);
  return shape && readAs({ shape }, at);
}

/**
 * The readings of a line, where what takes the whole line as its text takes the people too who are named before its first word, from the
 * word `from` on.
 */
export function includePeopleAhead<T extends { readonly readings: readonly Reading[] }>(
  { vocabulary }: Line,
  asked: T,
  first: number,
  from: number,
): T {
  const isWhole = ({ noun, verb, from: at }: Reading) =>
    from < first && at === first && vocabulary.textVerb(noun)?.verb === verb;
  return { ...asked, readings: asked.readings.map(each => (isWhole(each) ? { ...each, from } : each)) };
}
