/** The noun of verbs about Muster itself. Only the root carries them (`/muster doctor`): it is no slash command of its own. */
export const rootNoun = 'muster';

/** What a verb looks like to the grammar; features declare these. */
export interface VerbShape {
  /** 'incident', 'task', 'role', 'dash' … singular; plurals and synonyms are known (`nounSynonyms`). */
  noun: string;
  verb: string;
  /** Other tools' words for it. Past tense and third person of verb and aliases are known without saying. */
  aliases?: readonly string[];
  /** Words that mean this verb with a text: `{ lead: 'commander' }` reads `lead @x` as `assign commander @x`. */
  shorthands?: Readonly<Record<string, string>>;
  /** Takes what follows its noun when that is none of the noun's verbs, nor nearly one: `/role commander @x`. One per noun. */
  fallback?: boolean;
  /** What follows the verb, for help: `[title] [--severity S] [--drill]`. */
  usage: string;
  summary: string;
  flags?: Readonly<Record<string, FlagShape>>;
}

/** What follows a flag's name: nothing, one argument, one argument each time it is repeated, or several words. */
export interface FlagShape {
  kind: 'switch' | 'text' | 'list' | 'phrase';
  aliases?: readonly string[];
  /** Ends "--severity needs a value: …". */
  hint?: string;
  /** For a phrase: whether these words are one; the longest run that fits is taken, otherwise the rest of the line. */
  fits?: (text: string) => boolean;
}
