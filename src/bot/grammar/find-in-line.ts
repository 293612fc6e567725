import type { Reading } from './choices.ts';
import { type Found, findVerb } from './find-verb.ts';
import { answerOf } from './questions.ts';
import { commandWord, type Token } from './tokens.ts';
import type { VerbShape } from './verb.ts';
import { bareVerb, fallbackOf, listVerb, umbrella, type Vocabulary, verbIn } from './vocabulary.ts';

/** The reading that the person chose; undefined when they were not asked, or the verb is gone. */
export function chosenVerb({ verbs }: Vocabulary, as: Reading | undefined): (Found & { kind: 'verb' }) | undefined {
  const shape = as && verbs.find(each => each.noun === as.noun && each.verb === as.verb);
  if (!as || !shape) return undefined;
  const { instead, from } = as;
  return { kind: 'verb', hit: { shape, rank: 0, ...(instead === undefined ? {} : { instead }) }, next: from };
}

/** What a plural alone as a slash command means. */
export function listOfAll(vocabulary: Vocabulary): Found | undefined {
  const shape = listVerb(vocabulary);
  return shape && { kind: 'verb', hit: { shape, rank: 2 }, next: 0 };
}

/** The verb of a line, of a question, or of a line that asks nicely: “please resolve”. `line` is its text from the word `first` on. */
export function findInLine(
  vocabulary: Vocabulary,
  { line, tokens }: { readonly line: string; readonly tokens: readonly Token[] },
  noun: string | undefined,
  first: number,
): Found {
  const isText = fallbackOf(vocabulary, noun)?.fallback === 'text';
  const answer = noun === undefined || noun === umbrella ? answerOf(vocabulary, line) : undefined;
  const shown = answer ?? askedVerb(vocabulary, tokens, noun, first);
  if (shown !== undefined) return { kind: 'verb', hit: { shape: shown, rank: 0 }, next: tokens.length };
  const rank = noun === undefined || noun === umbrella ? rankAlone(vocabulary, tokens, first) : undefined;
  if (rank !== undefined) return rank;
  const behind = isText ? first : behindPolite(tokens, first);
  const asked = behind > first ? findVerb(vocabulary, tokens, noun, behind) : undefined;
  const isNamed = asked?.kind === 'help' || (asked?.kind === 'verb' && asked.hit.rank < 2 && asked.next > behind);
  return asked !== undefined && isNamed ? asked : findVerb(vocabulary, tokens, noun, first);
}

/** What people call how bad it is; a team may have other words, and then types `severity` before them. */
const severities = /^(pending|minor|major|critical|(sev|p|s)[0-5])$/;

/** `Major.`: a severity alone. */
function rankAlone(vocabulary: Vocabulary, tokens: readonly Token[], first: number): Found | undefined {
  const only = tokens.length === first + 1 ? tokens[first] : undefined;
  const word = commandWord(only);
  const shape = severities.test(word) ? verbIn(vocabulary, umbrella, 'severity')?.shape : undefined;
  return shape && { kind: 'verb', hit: { shape, rank: 1, instead: word }, next: tokens.length };
}

/** `status?`, `task list?`: a verb that only reads, alone with the sign of a question. */
function askedVerb(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  first: number,
): VerbShape | undefined {
  const last = tokens.at(-1);
  const count = tokens.length - first;
  if (last === undefined || count < 1 || count > 2 || !/[^?]\?+$/.test(last.text)) return undefined;
  const plain = [...tokens.slice(0, -1), { ...last, text: last.text.replace(/\?+$/, '') }];
  const found = findVerb(vocabulary, plain, noun, first);
  const shape =
    found.kind === 'verb' ? found.hit.shape : found.kind === 'bare' ? bareVerb(vocabulary, found.noun) : undefined;
  return shape?.reads && (found.kind === 'bare' || (found.kind === 'verb' && found.next === tokens.length))
    ? shape
    : undefined;
}

/** Words before a command that ask nicely, and say nothing. */
const before = /^(please|pls|plz|kindly|hey|hi|hello|ok|okay|so|now|just|thanks|thx)$/;
/** The first word behind those that ask nicely, from the word `first` on. */
function behindPolite(tokens: readonly Token[], first: number): number {
  let at = first;
  while (at < tokens.length - 1 && !tokens[at]?.quoted && before.test(commandWord(tokens[at]))) at += 1;
  return at;
}
