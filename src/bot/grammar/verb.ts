/** The noun of verbs about Muster itself. Only the root carries them (`/muster doctor`): it is no slash command of its own. */
export const rootNoun = 'muster';

/** The verbs with which other bots set a part of an incident. */
export const settingVerbs: readonly string[] = ['set', 'put', 'edit', 'change', 'modify', 'update'];

/** The verbs with which other bots write a thing down. */
export const writingVerbs: readonly string[] = ['add', 'new', 'create', 'make', 'write', 'post', 'send', 'publish'];

/** A verb for the grammar; features declare these. */
export interface VerbShape extends WordShape {
  /** 'incident', 'task', 'role', 'dash' … singular; plurals and synonyms are known (`nounSynonyms`). */
  noun: string;
  summary: string;
  /** One of its older words right behind it is that word: `/incident edit severity critical`. */
  leads?: boolean;
  /** Of an older word: the verb whose function does it, and that help shows in its place. */
  synonymOf?: string;
}

/** A word that means a verb, with the grammar of the words behind it. */
export interface WordShape {
  verb: string;
  /** Other tools' words for it. Past tense and third person of verb and aliases are known without saying. */
  aliases?: readonly string[];
  /** Words that mean this verb with a text: `{ take: 'me' }` reads `take observer` as `assign me observer`. */
  shorthands?: Readonly<Record<string, string>>;
  /** Words that mean it before a number alone. Before a text they begin one as likely: `/task check 3`, `/task check the disk`. */
  beforeNumber?: readonly string[];
  /** Other nouns under which these words mean it too: `{ incident: ['lead'] }` reads `/incident lead @x`. Without a noun, as well. */
  under?: Readonly<Record<string, readonly string[]>>;
  /**
   * Takes what follows its noun. As `argument`, when that is none of the noun's verbs, nor nearly one: `/role commander @x`. As
   * `text`, whatever it is: only this verb's own name, and others with nothing behind them, are read as verbs. One per noun.
   */
  fallback?: 'argument' | 'text';
  /** Runs only where its noun was typed; elsewhere it is offered. A list names the words of it that do. */
  needsNoun?: boolean | readonly string[];
  /** Without a noun it is meant only with nothing behind it: `/muster page` opens a page, `/muster page ops it burns` pages people. */
  alone?: boolean;
  /** It only shows something. */
  reads?: boolean;
  /** The verb ends an incident, wakes people or tells the whole company, so it is never guessed from another word. */
  grave?: boolean;
  /** Whether the words behind its own name are plainly its arguments, by mention; absent: their kind decides. */
  plainly?: (words: string) => boolean;
  /** Words of it that ask by mention, also before a colon, quotes or a flag. */
  asked?: readonly string[];
  /** It ends an incident: a number right behind it is a question also in the incident's own room. */
  ends?: boolean;
  /** With words behind it that name no incident, this verb of its noun is meant as likely, so that it asks: `/incident status we roll back`. */
  textVerb?: string;
  /** Another verb of its noun right behind it is meant as likely, so that it asks: `/incident update severity major`. */
  asksBeforeVerbs?: boolean;
  /** Other bots have it as a noun, with verbs of its own: `/incident updates add`. */
  managed?: {
    /** Their verbs that mean it again: `updates add`. */
    words: readonly string[];
    /** Words that it reads itself. */
    reads?: readonly string[];
    /** The verbs of its noun that show and that take away what it makes; absent: the noun alone shows it, nothing takes it away. */
    shownBy?: string;
    removedBy?: string;
    /** Words before it that mean it too: `set severity to major`. */
    readonly before?: readonly string[];
  };
  /** Whether a word says which things it shows. Where all words behind its noun do, or name a person, it is meant: `/task unassigned`. */
  filters?: (word: string) => boolean;
  /** The noun alone means it: `/task` lists. One per noun. */
  bare?: boolean;
  /** The beginning of its arguments. It decides what an incident named right behind the verb means ({@link ArgumentKind}). */
  argumentKind?: ArgumentKind;
  /** The words behind the verb, for help: `[title] [--severity S] [--drill]`; absent when it takes no words. */
  usage?: string;
  flags?: Readonly<Record<string, FlagShape>>;
}

/**
 * The beginning of a verb's arguments. A number right behind the verb is an incident where there is `nothing` else, or where further
 * `words` follow, and a question where it may be a `text` (a summary, a title) or the start of `prose` (a note). Before a `reason` it is an
 * incident when it is alone, and a question before more words: `cancel 2`, `cancel 2 of 3 probes lied`. It is never an
 * incident without a word here. Alone before a verb that takes `days` it is a question where there is such an incident. `INC-7` and channels are incidents everywhere but in text and prose, where they are a question too.
 */
export type ArgumentKind = 'nothing' | 'words' | 'text' | 'prose' | 'reason' | 'days';

/** The words behind a flag's name: none, one argument, one argument each time it is repeated, or several words. */
export interface FlagShape {
  kind: 'switch' | 'text' | 'list' | 'phrase';
  aliases?: readonly string[];
  /** Ends "--severity needs a value: …". */
  hint?: string;
  /**
   * For a phrase: how many of the words up to the next flag or the end of the line are it. Where the answer is 0, all of them are.
   */
  length?: (words: readonly string[]) => number;
}

/** One way to read a line: this verb, with everything from the word `from` on as its arguments. */
export interface Reading {
  readonly noun: string;
  readonly verb: string;
  readonly from: number;
  /** Text that the words before it imply. */
  readonly instead?: string;
  /** Words that name an incident and are none of the arguments: their places, and its id, `""` where a channel tells it. */
  readonly names?: { readonly at: number[]; readonly incident: string };
}
