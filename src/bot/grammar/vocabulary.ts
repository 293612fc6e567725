import { commandWord, normalize, type Token } from './tokens.ts';
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
  /** Its words are plainly this verb, though they read like a sentence. */
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

  /** Every verb that a word means under any noun but this one, most direct first. */
  elsewhere(noun: string | undefined, word: string): readonly Hit[] {
    const numbered = this.verbs.filter(shape => shape.beforeNumber?.includes(word));
    const hits = [...(this.hits.get(word) ?? []), ...numbered.map(shape => ({ shape, rank: 1 as const }))];
    return hits.filter(hit => hit.shape.noun !== noun);
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
