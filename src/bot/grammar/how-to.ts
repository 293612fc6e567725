import { type Found, findVerb } from './find-verb.ts';
import { commandWord, type Token } from './tokens.ts';
import { fallbackOf, type Vocabulary } from './vocabulary.ts';

/** The words before the act in a question for the way to do it. */
const asks = /^(?:how|where)(?: (?:do|does|can|could|should|would|must)(?: (?:i|we|you|one|somebody|anybody))?| to)$/;
/** Words that name nothing. */
const articles = /^(?:a|an|the|this|that|it|my|our|one|new|another|its)$/;

/** Words that stand before the name of what is changed. */
const changes = /^(?:set|change|edit|correct|post|write|send|use|give|make|see|show)$/;

/** `how do I close this?`: the help of the verb or of the noun that is asked about; undefined for every other line. */
export function howTo(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  first: number,
): Found | undefined {
  const isText = fallbackOf(vocabulary, noun)?.fallback === 'text';
  const line = tokens.slice(first);
  if (isText || line.length > 10 || line.some(({ quoted, text }) => quoted || text.length > 40)) return undefined;
  const plain = line.map(token => ({ ...token, text: token.text.replace(/[?!.,]+$/, '') }));
  const words = plain.map(({ text }) => text.toLowerCase());
  const behind = words.findLastIndex((_word, at) => asks.test(words.slice(0, at + 1).join(' '))) + 1;
  if (behind === 0) return undefined;
  const act = plain.slice(behind).filter(token => !articles.test(token.text.toLowerCase()));
  const [only, work] = act.map(commandWord);
  const about = work === 'work' && act.length === 2 ? vocabulary.nouns.get(only ?? '') : undefined;
  if (about !== undefined) return { kind: 'help', noun: about };
  const readings = [act, ...(changes.test(only ?? '') ? [act.slice(1)] : [])];
  for (const reading of readings) {
    const found = reading.length === 0 ? undefined : findVerb(vocabulary, reading, noun, 0);
    if (found?.kind === 'verb' && found.hit.rank < 2 && found.next > 0)
      return { kind: 'help', noun: found.hit.shape.noun, verb: found.hit.shape.verb };
  }
  return undefined;
}
