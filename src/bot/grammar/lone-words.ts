/** The things that a list shows: all, or those in one state. */
export type LoneKind = 'all' | 'open' | 'over';

const words: readonly (readonly [kind: LoneKind, words: RegExp])[] = [
  ['all', /^(all|everything|every|any|incidents|tasks|latest|newest|recent)$/],
  ['open', /^(active|open|opened|ongoing|current|running|live|unresolved|unfinished|todo|now)$/],
  ['over', /^(resolved|closed|done|over|ended|finished|completed?|past|old|inactive)$/],
];

/** The state that a lone word behind a list asks for: `/incident list active`, `/task list done`; undefined for any other word. */
export function loneKind(word: string): LoneKind | undefined {
  return words.find(([, known]) => known.test(word))?.[0];
}
