import { rootNoun, type VerbShape } from './verb.ts';

/**
 * Other names for our nouns, beside their plurals (docs/decisions.md, Command words: what people type in other bots). A row for a
 * noun that no verb uses has no effect.
 */
const nounSynonyms: Readonly<Record<string, readonly string[]>> = {
  incident: ['inc'],
  task: ['todo', 'todos', 'action', 'actions', 'actionitem', 'actionitems', 'followup', 'followups'],
  role: ['responder', 'responders'],
  dash: ['dashboard', 'dashboards', 'dashes'],
};

/** The noun under which the other nouns may be typed: `/incident task add`, as in other bots. */
export const umbrella = 'incident';

/** The plural of the umbrella. It means all of them, and so it is no other word for the one at hand. */
export const incidents = `${umbrella}s`;

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
  /** The same for words that mean a verb under another noun, by that noun and the word: `incident lead`. */
  guests: ReadonlyMap<string, Hit>;
  /** Noun → the verb that takes what follows it. */
  fallbacks: ReadonlyMap<string | undefined, VerbShape>;
}

/** The lookbehind lets each run of signs be tried once, not once for each of its signs. */
const signsAround = /^\/+|(?<![,.:;!])[,.:;!]+$/g;

/** A word that is compared as it is, as most are. */
const plainWord = /^[a-z0-9]*$/;

/** How a word is compared: without case, hyphens, a leading slash, or punctuation at its end. */
export function normalize(word: string): string {
  if (plainWord.test(word)) return word;
  return word.normalize('NFKC').toLowerCase().replace(signsAround, '').replace(/[-_]/g, '');
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
  const fallbacks = new Map(
    verbs.flatMap(shape => (shape.fallback === undefined ? [] : [[shape.noun, shape] as const])),
  );
  return { verbs, nouns, hits, guests: createGuests(verbs), fallbacks };
}

function createGuests(verbs: readonly VerbShape[]): Map<string, Hit> {
  const guests = new Map<string, Hit>();
  for (const shape of verbs) {
    for (const [noun, words] of Object.entries(shape.under ?? {})) {
      for (const word of words) {
        const instead = shape.shorthands?.[word];
        guests.set(guestKey(noun, normalize(word)), { shape, rank: 1, ...(instead === undefined ? {} : { instead }) });
      }
    }
  }
  return guests;
}

function guestKey(noun: string, word: string): string {
  return `${noun} ${word}`;
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

/** The verb a word means within one noun, also one that is a guest there. */
export function verbIn(vocabulary: Vocabulary, noun: string | undefined, word: string): Hit | undefined {
  if (noun === undefined) return undefined;
  const own = vocabulary.hits.get(word)?.find(hit => hit.shape.noun === noun);
  return own ?? vocabulary.guests.get(guestKey(noun, word));
}

/** The verb that the noun alone means. */
export function bareVerb(vocabulary: Vocabulary, noun: string | undefined): VerbShape | undefined {
  return vocabulary.verbs.find(shape => shape.bare && shape.noun === noun);
}

/** The verb that lists incidents. */
export function listVerb(vocabulary: Vocabulary): VerbShape | undefined {
  return vocabulary.verbs.find(shape => shape.noun === umbrella && shape.verb === 'list');
}

/** The verb that takes what follows a noun. */
export function fallbackOf(vocabulary: Vocabulary, noun: string | undefined): VerbShape | undefined {
  return vocabulary.fallbacks.get(noun);
}

/**
 * The verb that a word means where no noun was typed: that of the only noun that has the word, or that of incidents when no other
 * verb is named more directly. `/muster new` and `/muster close` are about incidents, as in other bots. An inflected word is none.
 * `isAlone`: nothing stands behind the word.
 */
export function loneVerb(vocabulary: Vocabulary, word: string, isAlone: boolean): Hit | undefined {
  const named = (vocabulary.hits.get(word) ?? []).filter(hit => hit.rank < 2);
  const alone = isAlone ? named.find(hit => hit.shape.alone) : undefined;
  if (alone) return alone;
  const hits = named.filter(hit => !hit.shape.alone);
  const guest = vocabulary.guests.get(guestKey(umbrella, word));
  const best = hits.filter(hit => hit.rank === hits[0]?.rank);
  const found = guest ?? (hits.length === 1 ? hits[0] : best.find(hit => hit.shape.noun === umbrella));
  const needs = found?.shape.needsNoun;
  return needs === true || (typeof needs === 'object' && needs.includes(word)) ? undefined : found;
}

/** Every verb that a word means under any noun but this one, most direct first. */
export function verbsElsewhere(vocabulary: Vocabulary, noun: string | undefined, word: string): readonly Hit[] {
  const numbered = vocabulary.verbs.filter(shape => shape.beforeNumber?.includes(word));
  const hits = [...(vocabulary.hits.get(word) ?? []), ...numbered.map(shape => ({ shape, rank: 1 as const }))];
  return hits.filter(hit => hit.shape.noun !== noun);
}
