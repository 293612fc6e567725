import { nearness } from '../text/distance.ts';
import type { VerbShape } from './verb.ts';
import type { Line } from './words.ts';

/** A verb that an unknown word may mean; `words` is how many words name it: two where a noun is misspelt too. */
interface Suggestion {
  readonly shape: VerbShape;
  readonly words: 1 | 2;
}

const most = 3;

/**
 * The verbs that an unknown word may mean: the nearest ones alone, at most three, and those of the noun alone where one was typed. A word that is
 * two slips off must begin like the verb, so that “please” suggests nothing.
 */
export function suggest(
  { vocabulary, noun, isOpen }: Line,
  word: string,
  next: string | undefined = undefined,
): readonly Suggestion[] {
  const isNear = ([key]: readonly [string, string]) => next !== undefined && slipsOf(next, key) !== undefined;
  const [, nearNoun] = [...vocabulary.nouns].find(isNear) ?? [];
  const found: (Suggestion & { slips: number; rank: number })[] = [];
  for (const [key, hits] of vocabulary.hits) {
    const slips = slipsOf(word, key);
    if (slips === undefined) continue;
    for (const { shape, rank } of hits) {
      const isGuest = noun !== undefined && shape.under?.[noun]?.includes(key) === true;
      const isMeant = shape.noun === noun || isGuest || (isOpen && nearNoun === shape.noun);
      // Nor is a verb that runs behind its noun alone meant by a word that was mistyped without it.
      if (!isMeant && (noun !== undefined || shape.needsNoun === true)) continue;
      // “Web is down” begins a title.
      if (shape.alone && next !== undefined && next !== '') continue;
      found.push({ shape, words: 1, slips, rank: rank / 10 + (isMeant ? 0 : 1) });
    }
  }
  for (const [key, name] of vocabulary.nouns) {
    const slips = slipsOf(word, key);
    if (!isOpen || slips === undefined || slips > 1) continue;
    const verb = next === undefined || next === '' ? undefined : vocabulary.verbIn(name, next)?.shape;
    const shape = verb ?? vocabulary.bareVerb(name);
    if (shape) found.push({ shape, words: verb === undefined ? 1 : 2, slips, rank: verb === undefined ? 1 : -1 });
  }
  const fewest = Math.min(...found.map(each => each.slips));
  const nearest = found.filter(each => each.slips === fewest).sort((a, b) => a.rank - b.rank);
  const isOwn = nearest.some(each => each.rank < 1);
  const fitting = nearest.filter(each => !isOwn || each.rank < 1);
  return fitting.filter((each, at) => fitting.findIndex(({ shape }) => shape === each.shape) === at).slice(0, most);
}

/** How many slips off a known word is, when it may be meant. */
function slipsOf(typed: string, known: string): number | undefined {
  const slips = nearness(typed, known);
  return slips !== undefined && slips > 1 && typed[0] !== known[0] ? undefined : slips;
}
