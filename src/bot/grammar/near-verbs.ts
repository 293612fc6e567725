import type { Token } from './tokens.ts';
import { commandWord } from './tokens.ts';
import type { VerbShape } from './verb.ts';
import { bareVerb, type Hit, normalize, umbrella, type Vocabulary, verbIn } from './vocabulary.ts';

/*
 * Other bots have verbs for what is a verb here: `updates add`, `title set`, `create update`. Such a word is that verb, or Muster asks: it
 * never stands among the words that others read.
 */

const showing = ['list', 'show', 'view', 'ls', 'history', 'all'];
const removing = ['delete', 'remove', 'drop'];
/** The verbs of other bots behind a noun. */
const theirVerbs = new Set([
  ...['add', 'new', 'create', 'make', 'write', 'post', 'send', 'publish', 'log', 'record', 'set', 'put', 'edit'],
  ...['change', 'modify', 'update', 'rename', 'close', 'assign', 'unassign', ...showing, ...removing],
]);
/** Of these, the ones that stand before a noun too. */
const making = ['new', 'create'];

/** One way to read a line: this verb, with everything from the word `from` on as its arguments. */
interface Meant {
  readonly shape: VerbShape;
  readonly from: number;
}

/** What such a line is: a verb, or what it may be, likeliest first. */
type Near = { readonly verb: Hit; readonly next: number } | { readonly meant: readonly Meant[] };

/** Reads another bot's verb behind the verb `hit`, whose word stands at `at`; undefined where none stands. */
export function nearVerb(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  hit: Hit,
  at: number,
  noun: string | undefined,
): Near | undefined {
  const { shape } = hit;
  const word = commandWord(tokens[at]);
  const before = making.includes(word) ? managedBehind(vocabulary, tokens[at + 1], noun) : undefined;
  if (before !== undefined && before !== shape) {
    return {
      meant: [
        { shape: before, from: at + 2 },
        { shape, from: at + 1 },
      ],
    };
  }
  const isPlural = word === `${normalize(shape.verb)}s`;
  return nearIn(vocabulary, tokens, { shape, isPlural, next: at + 1 });
}

/** The same behind a noun that takes free text. Its singular is followed by text as likely, so there few words are a verb. */
export function nearInText(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  shape: VerbShape,
  next: number,
): Near | undefined {
  const isPlural = commandWord(tokens[next - 1]) === `${normalize(shape.noun)}s`;
  return isPlural || making.includes(commandWord(tokens[next]))
    ? nearIn(vocabulary, tokens, { shape, isPlural, next })
    : undefined;
}

function nearIn(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  { shape, isPlural, next }: { shape: VerbShape; isPlural: boolean; next: number },
): Near | undefined {
  const { managed, begins } = shape;
  const token = tokens[next];
  const word = commandWord(token);
  const isTheirs = theirVerbs.has(word) && managed?.reads?.includes(word) !== true;
  if (managed === undefined || token === undefined || token.quoted || !isTheirs) return undefined;
  const [first, second] = tokens.slice(next + 1);
  // “All systems are back”, “New York is slow”: so a sentence begins.
  const isText = word === 'all' || /^\p{Lu}\p{Ll}/u.test(token.text);
  if (isText && !isPlural && first !== undefined) return undefined;
  const isAgain = managed.words.includes(word);
  const isSure = isPlural || begins === 'words' || first === undefined || (first.quoted && second === undefined);
  const isTo = begins === 'words' && commandWord(first) === 'to';
  if (isAgain && isSure) return { verb: { shape, rank: 1 }, next: next + (isTo ? 2 : 1) };
  const other = isAgain ? { shape, from: next + 1 } : otherMeant(vocabulary, tokens, shape, next);
  return { meant: [...(other === undefined ? [] : [other]), { shape, from: next }] };
}

/** What a word may mean that does not make the thing: showing it, taking it away, or the part that is named behind it. */
function otherMeant(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  { noun, managed }: VerbShape,
  next: number,
): Meant | undefined {
  const word = commandWord(tokens[next]);
  const find = (verb: string | undefined) => vocabulary.verbs.find(each => each.noun === noun && each.verb === verb);
  if (showing.includes(word)) {
    const shown = find(managed?.shownBy) ?? bareVerb(vocabulary, noun);
    return shown && { shape: shown, from: tokens.length };
  }
  const removed = removing.includes(word) ? find(managed?.removedBy) : undefined;
  if (removed !== undefined) return { shape: removed, from: next + 1 };
  const part = verbIn(vocabulary, noun, commandWord(tokens[next + 1]));
  return part === undefined || part.rank > 1 ? undefined : { shape: part.shape, from: next + 2 };
}

/** The verb that other bots have as a noun, by its own name or its plural. */
function managedBehind(vocabulary: Vocabulary, token: Token | undefined, noun: string | undefined) {
  const word = commandWord(token);
  const shape = token?.quoted ? undefined : verbIn(vocabulary, noun ?? umbrella, word)?.shape;
  const isName = shape !== undefined && [shape.verb, `${shape.verb}s`].includes(word);
  return isName && shape.managed !== undefined ? shape : undefined;
}
