import { commandWord, type Token } from './tokens.ts';
import type { VerbShape } from './verb.ts';
import { bareVerb, type Vocabulary, verbIn } from './vocabulary.ts';

/** Words around those that filter. */
const filterFillers = ['of', 'for', 'by', 'to', 'and', 'the', 'assigned', 'please'];

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
  const rest = tokens.slice(at).filter(each => each.quoted || !filterFillers.includes(commandWord(each)));
  const isFilter = (each: Token) => each.mention?.kind === 'user' || (!each.quoted && filters(commandWord(each)));
  // Behind the singular a verb that is named comes first: `/task done`.
  const before = commandWord(tokens[at - 1]);
  const isPlural = before !== noun && vocabulary.nouns.get(before) === noun;
  const own = isPlural ? undefined : verbIn(vocabulary, noun, commandWord(tokens[at]));
  const isVerb = own !== undefined && own.rank < 2 && own.shape !== shape;
  return rest.length > 0 && rest.every(isFilter) && !isVerb ? shape : undefined;
}
