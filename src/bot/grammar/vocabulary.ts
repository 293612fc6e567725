import { nearness } from '../text/distance.ts';
import { rootNoun, type VerbShape } from './verb.ts';

/**
 * Other names for our nouns, beside their plurals (docs/decisions.md, Command words: what people type in other bots). A row for a
 * noun that no verb uses has no effect.
 */
export const nounSynonyms: Readonly<Record<string, readonly string[]>> = {
  incident: ['inc'],
  task: ['todo', 'todos', 'action', 'actions'],
  dash: ['dashboard', 'dashboards', 'dashes'],
  note: ['timeline'],
};

/** A verb that a word may mean, and how directly: 0 its own name, 1 an alias, 2 an inflected form. */
export interface Hit {
  shape: VerbShape;
  rank: 0 | 1 | 2;
  /** Text that the word implies, from `shorthands`. */
  instead?: string;
}

/** Every word the grammar knows, for one list of verbs. Build it once per list. */
export interface Vocabulary {
  verbs: readonly VerbShape[];
  /** Noun, plural or synonym → noun. */
  nouns: ReadonlyMap<string, string>;
  /** Word → the verbs it may mean, at most one per noun, most direct first. */
  hits: ReadonlyMap<string, readonly Hit[]>;
}

/** How a word is compared: without case, hyphens, a leading slash, or punctuation at its end. */
export function normalize(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^\/+|[,.:;!]+$/g, '')
    .replace(/[-_]/g, '');
}

/** Indexes verbs by every word that may mean them. On a clash within a noun the more direct one wins, then the earlier one. */
export function createVocabulary(verbs: readonly VerbShape[]): Vocabulary {
  const nouns = new Map<string, string>();
  for (const noun of new Set(verbs.map(shape => shape.noun))) {
    if (noun === rootNoun) continue;
    for (const word of [noun, `${noun}s`, ...(nounSynonyms[noun] ?? [])]) {
      if (!nouns.has(normalize(word))) nouns.set(normalize(word), noun);
    }
  }
  const hits = new Map<string, Hit[]>();
  for (const shape of verbs) {
    for (const [word, hit] of wordsFor(shape)) hits.set(word, withHit(hits.get(word) ?? [], hit));
  }
  return { verbs, nouns, hits };
}

function withHit(known: readonly Hit[], hit: Hit): Hit[] {
  const rival = known.find(other => other.shape.noun === hit.shape.noun);
  if (rival !== undefined && rival.rank <= hit.rank) return [...known];
  return [...known.filter(other => other !== rival), hit].sort((a, b) => a.rank - b.rank);
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

/** The verb a word means within one noun. */
export function verbIn(vocabulary: Vocabulary, noun: string | undefined, word: string): Hit | undefined {
  return vocabulary.hits.get(word)?.find(hit => hit.shape.noun === noun);
}

/**
 * The verb a word means without its noun: the only one, or the only one that the word names most directly. Where no
 * noun is given at all, incidents win a tie: `/muster new` and `/muster close` are about them, as in other bots.
 */
export function loneVerb(vocabulary: Vocabulary, noun: string | undefined, word: string): Hit | undefined {
  const hits = vocabulary.hits.get(word) ?? [];
  const best = hits.filter(hit => hit.rank === hits[0]?.rank);
  if (best.length < 2) return best[0];
  return noun === undefined ? best.find(hit => hit.shape.noun === 'incident') : undefined;
}

/** Suggestions for an unknown word, likeliest first, at most three. */
export function suggest(
  vocabulary: Vocabulary,
  noun: string | undefined,
  word: string,
  next: string | undefined,
): { noun: string; verb: string }[] {
  const found: { shape: VerbShape; score: number }[] = [];
  const nearNoun = (text: string | undefined, name: string) =>
    [...vocabulary.nouns].some(([key, value]) => value === name && nearness(text ?? '', key) !== undefined);
  for (const [key, hits] of vocabulary.hits) {
    const slips = nearness(word, key);
    if (slips === undefined) continue;
    for (const { shape, rank } of hits) {
      const fits = shape.noun === noun || nearNoun(next, shape.noun);
      found.push({ shape, score: slips + rank / 10 + (fits ? 0 : 0.5) });
    }
  }
  for (const [key, name] of vocabulary.nouns) {
    const slips = nearness(word, key);
    if (slips === undefined) continue;
    const meant = next === undefined ? undefined : verbIn(vocabulary, name, next)?.shape;
    for (const shape of vocabulary.verbs) {
      if (shape.noun === name) found.push({ shape, score: slips + (shape === meant ? -0.5 : 0.6) });
    }
  }
  found.sort((a, b) => a.score - b.score);
  return [...new Set(found.map(({ shape }) => shape))]
    .slice(0, 3)
    .map(shape => ({ noun: shape.noun, verb: shape.verb }));
}
