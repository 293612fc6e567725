import { commandWord, type Token } from './tokens.ts';
import type { VerbShape } from './verb.ts';
import { bareVerb, type Vocabulary } from './vocabulary.ts';

/** Whether a word around those that filter says nothing more. */
export function isFiller(word: string): boolean {
  return /^(of|for|by|to|and|the|assigned|please)$/.test(word);
}

/** `/task unassigned` and `/incident tasks open @bob`: the list of a noun, where all words behind it say which things to show. */
export function filteredList(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): VerbShape | undefined {
  const shape = bareVerb(vocabulary, noun);
  const { filters } = shape ?? {};
  if (filters === undefined) return undefined;
  const rest = tokens.slice(at).filter(each => each.quoted || !isFiller(commandWord(each)));
  const isFilter = (each: Token) => each.mention?.kind === 'user' || (!each.quoted && filters(commandWord(each)));
  return rest.length > 0 && rest.every(isFilter) ? shape : undefined;
}
