import { askedToCatchUp } from './catch-up.ts';
import type { Reading } from './choices.ts';
import { type Found, findVerb } from './find-verb.ts';
import { howTo } from './how-to.ts';
import { answerOf } from './questions.ts';
import { saidRole } from './said-role.ts';
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

/**
 * The verb of a line, of a question, or of a line that asks nicely: “please resolve”. `line` is its text from the word `first` on; people
 * who are named before it begin at the word `from`.
 */
export function findInLine(
  vocabulary: Vocabulary,
  { line, tokens, from }: { readonly line: string; readonly tokens: readonly Token[]; readonly from: number },
  noun: string | undefined,
  first: number,
): Found {
  const isText = fallbackOf(vocabulary, noun)?.fallback === 'text';
  const polite = behindPolite(tokens, first);
  const asksHow = /^(?:how|where)$/.test(commandWord(tokens[polite]));
  const help = asksHow ? howTo(vocabulary, tokens, noun, polite) : undefined;
  if (help !== undefined) return help;
  const isOpen = noun === undefined || noun === umbrella;
  const caught = isOpen ? askedToCatchUp(vocabulary, tokens, first) : undefined;
  if (caught !== undefined) return caught;
  const answer = isOpen ? answerOf(vocabulary, line) : undefined;
  const shown = answer ?? askedVerb(vocabulary, tokens, noun, first);
  if (shown !== undefined) return { kind: 'verb', hit: { shape: shown, rank: 0 }, next: tokens.length };
  const rank = isOpen ? rankAlone(vocabulary, tokens, first) : undefined;
  if (rank !== undefined) return rank;
  const isOver = isOpen && tokens.length === first + 1 && commandWord(tokens[first]) === 'allclear';
  const over = isOver ? verbIn(vocabulary, umbrella, 'resolve') : undefined;
  if (over !== undefined) return { kind: 'verb', hit: over, next: tokens.length };
  const part = isOpen
    ? (changedPart(vocabulary, tokens, first) ??
      takenLead(vocabulary, tokens, first) ??
      leftRole(vocabulary, tokens, first) ??
      saidRole(vocabulary, tokens, from))
    : undefined;
  if (part !== undefined) return part;
  const behind = isText ? first : polite;
  const asked = behind > first ? findVerb(vocabulary, tokens, noun, behind) : undefined;
  const isNamed =
    asked?.kind === 'help' ||
    (asked?.kind === 'verb' && (asked.hit.rank < 2 || asked.hit.shape.fallback === 'text') && asked.next > behind);
  const isUnknown = asked?.kind === 'unknown' && noun !== undefined;
  return asked !== undefined && (isNamed || isUnknown) ? asked : findVerb(vocabulary, tokens, noun, first);
}

/** What people call how bad it is; a team may have other words, and then types `severity` before them. */
const severities = /^(pending|minor|major|critical|(sev|p|s)[0-5])$/;

/** What stands before a severity and says no more than that it is one now: `it is critical`, `downgrade to minor`. */
const beforeSeverity =
  /^(?:(?:it|this|that|we)(?: ?is| ?'?s| are| ?'?re)?|make it|set(?: it)?|downgrade|upgrade|bump|lower|raise|change)?(?: (?:it|now|a|to))* ?$/;

/** `Major.`, `it is critical`, `downgrade to minor`: a severity and nothing else. */
function rankAlone(vocabulary: Vocabulary, tokens: readonly Token[], first: number): Found | undefined {
  const line = tokens.slice(first);
  const word = commandWord(line.at(-1));
  if (line.length > 5 || !severities.test(word) || line.some(token => token.quoted)) return undefined;
  const before = line.slice(0, -1).map(token => token.text.toLowerCase().replaceAll('’', "'"));
  const shape = beforeSeverity.test(before.join(' ')) ? verbIn(vocabulary, umbrella, 'severity')?.shape : undefined;
  return shape && { kind: 'verb', hit: { shape, rank: 1, instead: word }, next: tokens.length };
}

/** `set severity to major`, `change the title to …`: the words that another bot has behind a verb, before it. */
function changedPart(vocabulary: Vocabulary, tokens: readonly Token[], first: number): Found | undefined {
  if (/^(?:rename|retitle)$/.test(commandWord(tokens[first]))) return renamed(vocabulary, tokens, first);
  const at = commandWord(tokens[first + 1]) === 'the' ? first + 2 : first + 1;
  const [word, name] = [commandWord(tokens[first]), commandWord(tokens[at])];
  const shape = verbIn(vocabulary, umbrella, name)?.shape;
  const isTheirs = shape?.managed?.before?.includes(word) === true;
  const next = commandWord(tokens[at + 1]) === 'to' ? at + 2 : at + 1;
  if (shape === undefined || !isTheirs || tokens.length < next) return undefined;
  return { kind: 'verb', hit: { shape, rank: 1 }, next };
}

/** `rename to …`, `rename the incident to …`. */
function renamed(vocabulary: Vocabulary, tokens: readonly Token[], first: number): Found | undefined {
  const words = tokens.slice(first + 1, first + 4).map(commandWord);
  const to = words.indexOf('to');
  const hit = verbIn(vocabulary, umbrella, 'title');
  const isPlain = /^(?:(?:the |this |our )?(?:incident|room)|it|this)?$/.test(words.slice(0, to).join(' '));
  return hit && to >= 0 && isPlain ? { kind: 'verb', hit, next: first + 2 + to } : undefined;
}

/** Words with which somebody takes the lead. */
const takes =
  /^(?:i(?:'ll| will| am| have|'m|'ve)? ?)?(?:(?:take|taking|took)(?: the)? (?:command|lead|charge|over)|(?:now )?(?:in command|in charge|(?:the )?(?:incident )?commander)|(?:the )?command)$/;

/** `take command`, `I am commander`: the lead for the one who types. */
function takenLead(vocabulary: Vocabulary, tokens: readonly Token[], first: number): Found | undefined {
  const line = tokens.slice(first, first + 6);
  const words = line
    .map(token => token.text.toLowerCase().replaceAll('’', "'"))
    .join(' ')
    .replace(/(?<![.!])[.!]+$/, '');
  const shape =
    takes.test(words) && line.length === tokens.length - first
      ? verbIn(vocabulary, 'role', 'assign')?.shape
      : undefined;
  return shape && line.length > 1
    ? { kind: 'verb', hit: { shape, rank: 1, instead: 'me commander' }, next: tokens.length }
    : undefined;
}

/** `I step down`, `I'm stepping down as commander`. */
function leftRole(vocabulary: Vocabulary, tokens: readonly Token[], first: number): Found | undefined {
  const at = tokens.findIndex((token, place) => place >= first && commandWord(token) === 'down');
  const words = tokens.slice(first, at + 1).map(token => token.text.toLowerCase().replaceAll('’', "'"));
  const isLeft = /^i(?:'ll|'m| am| will| have to)? step(?:ping)? down[.!]?$/.test(words.join(' '));
  const behind = commandWord(tokens[at + 1]);
  const hit = isLeft && (behind === '' || behind === 'as') ? verbIn(vocabulary, 'role', 'leave') : undefined;
  return hit && { kind: 'verb', hit, next: at + 1 };
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
  const plain = [...tokens.slice(0, -1), { ...last, text: last.text.replace(/(?<!\?)\?+$/, '') }];
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
