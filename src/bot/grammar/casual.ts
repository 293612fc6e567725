import { trimEnd } from '../../trim-end.ts';
import { takesWholeLine, textReading } from './choices.ts';
import type { Reading } from './verb.ts';
import {
  commandWord,
  distinct,
  incidents,
  isFlag,
  type Line,
  type MeantVerb,
  normalize,
  readAs,
  type Token,
  umbrella,
} from './words.ts';

/*
 * People talk to a bot, and about it: “@Muster title is wrong, can you fix it?” By mention, a line that reads like a sentence or a
 * question changes nothing unasked.
 */

/** Two words that are one in the field: the first of them alone is another verb, or none. */
const phrases = new Set(
  'postmortem rootcause handover handoff standdown standby rollback statuspage allclear falsealarm falsepositive bymistake fixedwatching wrapup signoff oncall catchup stepdown giveup'.split(
    ' ',
  ),
);

/** Verbs that make a thing. */
const makes = /^(?:add|create|make|write|log|open|new|post)$/;

/** The tokens with a phrase of the field as one word, where a verb may be: at `first` or behind a noun there. */
export function joinPhrases(
  tokens: readonly Token[],
  nouns: ReadonlyMap<string, string>,
  first: number,
): readonly Token[] {
  const isBefore = (noun: string | undefined) => noun === umbrella || noun === 'role';
  const at = isBefore(nouns.get(commandWord(tokens[first]))) ? first + 1 : first;
  const [one, two, three] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  // “add a task …”: behind a verb an article says nothing before a noun.
  const isMade = makes.test(commandWord(one)) && /^(?:a|an|the|another|one)$/.test(commandWord(two));
  if (isMade && ['task', 'note'].includes(nouns.get(commandWord(three)) ?? ''))
    return [...tokens.slice(0, at + 1), ...tokens.slice(at + 2)];
  const words = [commandWord(one), commandWord(two)];
  if (!one || !two || words.includes('') || !phrases.has(words.join(''))) return tokens;
  const joined = { ...one, text: `${commandWord(one)}-${two.text}`, end: two.end };
  return [...tokens.slice(0, at), joined, ...tokens.slice(at + 2)];
}

/** Words that make the verb before them part of a sentence: “title is wrong”, “resolve when bob is back”. */
const auxiliary =
  /^(is|isn'?t|are|aren'?t|was|wasn'?t|were|be|has|hasn'?t|have|had|does|doesn'?t|did|didn'?t|don'?t|will|won'?t|would|should|shall|can|can'?t|could|might|may|must|needs|seems|looks|sounds|feels|went|goes|got|came|keeps|works|to|if|when|unless|once|until)$/i;
/** Words that make a sentence of the words behind a verb that takes arguments. */
const talk =
  /^(before|after|because|maybe|perhaps|probably|not|never|somebody|someone|anybody|anyone|everybody|everyone|who|what|why|how|where|whether|already|yet|thanks|thank|lol|please)$/i;
/** Words that ask a person, wherever they occur. */
const asksSomebody =
  /\b(can|could|would|will|should|shall|may|might) (somebody|someone|anybody|anyone|you|we|i|they)\b/i;
/** A text of these words alone is talk: “note taken”, “update please”. */
const smallTalk =
  /^(taken|soon|asap|now|later|coming|pending|time|us|me|self|all|team|again|for|the|that|this|it|of|on|from)$/i;

const signs = /[,.;:!?]/;

/** Whether a line that was typed by mention reads like talk, and not like a command. */
export function isCasual(tokens: readonly Token[], { hit, next }: MeantVerb): boolean {
  const end = tokens.findLastIndex(token => token.quoted || withoutPolite(token.text) !== '') + 1;
  // `update: please` says nothing else.
  const rest = end > next ? tokens.slice(next, end) : tokens.slice(next);
  // A sentence has no flags.
  if (rest.some(isFlag)) return false;
  const words = rest.map(token => trimEnd(token.text.replaceAll('’', "'"), signs));
  const [first = ''] = words;
  if (isQuestion(tokens) || auxiliary.test(first) || asksSomebody.test(words.join(' '))) return true;
  const { argumentKind } = hit.shape;
  const isSmall = (word: string) => smallTalk.test(word) || talk.test(word);
  if (argumentKind === 'prose') return words.length > 0 && words.every(isSmall) && rest.every(token => !token.quoted);
  if (hit.rank === 2 && words.length > 1) return true;
  return (
    argumentKind !== 'text' && !takesWholeLine(hit.shape) && words.some(word => auxiliary.test(word) || talk.test(word))
  );
}

/** Words and signs at the end of a command that say nothing. The signs between two words are read in one way alone. */
const polite =
  /(?:(?:^|(?:[\s,.;!–—-]|:(?![a-z0-9_+-]+:))+)(?:please|pls|plz|thanks|thx|ty|thank you|now|:[a-z0-9_+-]+:|\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d)*))+[.!]*$/iu;
/** The characters at the end among which these are looked for. */
const mostPolite = 60;

/** A text without the end of a command that says nothing: `1 please`, `commander, thanks!`, an emoji. */
export function withoutPolite(text: string): string {
  const from = Math.max(0, text.length - mostPolite);
  return text.slice(0, from) + text.slice(from).replace(polite, '');
}

/** Whether a line asks. */
export function isQuestion(tokens: readonly Token[]): boolean {
  return tokens.at(-1)?.text.endsWith('?') === true;
}

/** The verbs that show the answer to a question: the verbs that only read among its words, else the incident at hand. */
export function answersTo({ vocabulary, tokens }: Line): readonly Reading[] {
  const shown = tokens.flatMap(token => {
    const word = normalize(trimEnd(token.text, signs));
    const asked =
      (word === incidents ? vocabulary.list : undefined) ??
      (/^(who|whos|leads?|leading|commander|ic)$/.test(word) ? vocabulary.bareVerb('role') : undefined) ??
      vocabulary.verbIn(umbrella, word)?.shape ??
      vocabulary.bareVerb(vocabulary.nouns.get(word));
    return asked?.reads ? [readAs({ shape: asked }, tokens.length)] : [];
  });
  const status = vocabulary.bareVerb(umbrella);
  return distinct([...shown, ...(status ? [readAs({ shape: status }, tokens.length)] : [])]).slice(0, 2);
}

/** The possible meanings of a line that reads like talk: the command, a question, a note. */
export function casualReadings(line: Line, { hit, next }: MeantVerb, first: number): readonly Reading[] {
  const { vocabulary, tokens } = line;
  const { argumentKind } = hit.shape;
  const isText = argumentKind === 'prose' || argumentKind === 'text' || takesWholeLine(hit.shape);
  const skipped = !isText && auxiliary.test(tokens[next]?.text ?? '') ? 1 : 0;
  const note = textReading(vocabulary, 'note', first);
  const command = readAs(hit, next + skipped);
  const answers = isQuestion(tokens) ? answersTo(line) : [];
  return [...answers, command, ...(note && hit.shape.noun !== 'note' ? [note] : [])];
}
