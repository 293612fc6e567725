import { type Reading, settingVerbs, type VerbShape, writingVerbs } from './verb.ts';
import { type Hit, type Line, type MeantVerb, normalize, readAs, type Token, umbrella } from './words.ts';

/*
 * Other bots have verbs for what is a verb here: `updates add`, `title set`, `create update`. Such a word is that verb, or Muster asks: it
 * is never a word of the text that others read.
 */

const showing = ['list', 'show', 'view', 'ls', 'history', 'all'];
const removing = ['delete', 'remove', 'drop'];
/** The verbs of other bots behind a noun. */
const theirVerbs = new Set([
  ...[...writingVerbs, ...settingVerbs, ...showing, ...removing],
  ...['log', 'record', 'rename', 'close', 'assign', 'unassign'],
]);
/** Those of them that may precede a noun too. */
const making = ['new', 'create'];

/** The meaning of such a line: a verb, or several readings, likeliest first. */
type NearMeaning = MeantVerb | { readonly kind: 'several'; readonly readings: readonly Reading[] };

/** Reads another bot's verb behind the verb `hit`, whose word is at `at`; undefined where there is none. */
export function nearVerb(line: Line, hit: Hit, at: number): NearMeaning | undefined {
  const { vocabulary, tokens, noun } = line;
  const { shape } = hit;
  const name = line.word(at + 1);
  // The verb that other bots have as a noun, by its own name or its plural.
  const before = tokens[at + 1]?.quoted ? undefined : vocabulary.verbIn(noun ?? umbrella, name)?.shape;
  const isName = before?.managed !== undefined && [before.verb, `${before.verb}s`].includes(name);
  if (making.includes(line.word(at)) && isName && before !== shape) {
    return { kind: 'several', readings: [readAs({ shape: before }, at + 2), readAs({ shape }, at + 1)] };
  }
  return nearIn(line, { shape, isPlural: line.word(at) === `${normalize(shape.verb)}s`, next: at + 1 });
}

/** Reads another bot's verb behind a noun that takes free text. Its singular is followed by text as likely, so there few words are a verb. */
export function nearInText(line: Line, shape: VerbShape, next: number): NearMeaning | undefined {
  const isPlural = line.word(next - 1) === `${normalize(shape.noun)}s`;
  return isPlural || making.includes(line.word(next)) ? nearIn(line, { shape, isPlural, next }) : undefined;
}

function nearIn(
  line: Line,
  { shape, isPlural, next }: { shape: VerbShape; isPlural: boolean; next: number },
): NearMeaning | undefined {
  const { managed, argumentKind } = shape;
  const token: Token | undefined = line.tokens[next];
  const word = line.word(next);
  const isTheirs = theirVerbs.has(word) && managed?.reads?.includes(word) !== true;
  if (managed === undefined || token === undefined || token.quoted || !isTheirs) return undefined;
  const [first, second] = line.tokens.slice(next + 1);
  // “All systems are back”, “New York is slow”: so a sentence begins.
  const isText = word === 'all' || /^\p{Lu}\p{Ll}/u.test(token.text);
  if (isText && !isPlural && first !== undefined) return undefined;
  const isAgain = managed.words.includes(word);
  const isSure = isPlural || argumentKind === 'words' || first === undefined || (first.quoted && second === undefined);
  const isTo = argumentKind === 'words' && line.word(next + 1) === 'to';
  if (isAgain && isSure) return { kind: 'verb', hit: { shape, rank: 1 }, next: next + (isTo ? 2 : 1) };
  const other = isAgain ? readAs({ shape }, next + 1) : otherReading(line, shape, next);
  return { kind: 'several', readings: [...(other === undefined ? [] : [other]), readAs({ shape }, next)] };
}

/** The other meaning of a word that does not make the thing: showing it, taking it away, or the part that is named behind it. */
function otherReading(line: Line, { noun, managed }: VerbShape, next: number): Reading | undefined {
  const { vocabulary } = line;
  const word = line.word(next);
  if (showing.includes(word)) {
    const shape = vocabulary.find(noun, managed?.shownBy) ?? vocabulary.bareVerb(noun);
    return shape && readAs({ shape }, line.tokens.length);
  }
  const shape = removing.includes(word) ? vocabulary.find(noun, managed?.removedBy) : undefined;
  if (shape !== undefined) return readAs({ shape }, next + 1);
  const part = line.under(noun).own(next + 1);
  return part === undefined || part.rank > 1 ? undefined : readAs({ shape: part.shape }, next + 2);
}
