import type { Reading } from './choices.ts';
import { type Found, findVerb } from './find-verb.ts';
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

/* How people ask to be caught up: “catch me up since 02:00”, “what did I miss?”. */

const polite = '(?:(?:can|could|would|will) (?:you|somebody|someone|anybody|anyone) )?(?:please )?';
const lead = /^(?:(?:hey|hi|hello|ok|okay|so|and|sorry|please|pls|well|just|quick question)\b[,:]? )+/;
const away =
  '(?:away|out|gone|off|offline|asleep|sleeping|afk|absent|busy|at lunch|at dinner|at home|in bed|in a meeting|in meetings|on a break|on the road|on a plane|not here|not looking|in another room)';

/** Each is a whole line, but for what is asked about. */
const asksToCatchUp: readonly RegExp[] = [
  new RegExp(`^${polite}catch (?:me|us) up$`),
  new RegExp(`^${polite}(?:bring|get) (?:me|us) up to (?:speed|date)$`),
  new RegExp(`^${polite}fill (?:me|us) in$`),
  new RegExp(
    `^${polite}(?:give|send|show|tell) (?:me|us) (?:a|the) (?:(?:quick|short|brief) )?(?:recap|summary|catch-?up|rundown|run-down|overview of what happened)$`,
  ),
  /^(?:a )?(?:quick|short|brief) (?:recap|summary|catch-?up)$/,
  /^what(?:'s| is|'ve| have| has| did|'d)? (?:i|we) (?:have )?miss(?:ed)?$/,
  /^(?:did|have|'ve) (?:i|we) miss(?:ed)? (?:anything|something|much|a lot)$/,
  /^(?:is there )?(?:anything|something) (?:that )?(?:i|we) (?:have )?missed$/,
  new RegExp(
    `^what(?:'s| is| was| has|'ve| all)? (?:been )?(?:happened|happening|going on|changed|new|done) (?:while|when) (?:i|we) (?:was|were|wasn't|have been|'ve been|am|are) ${away}$`,
  ),
  /^(?:what(?:'s| is)|is (?:there )?anything|anything) new(?: here)?$/,
];

/** What may stand behind: from when on, or about which incident. */
const behind = /^(?:since|from|after|on|about|please|pls|thanks|thx|now|again|then|here|muster)$/;
/** An incident by its name, and what may stand before it. */
const incident = /^#?(?:inc(?:ident)?[-_]?)?\d{1,9}[.,:;)?!]*$/i;
const beforeIncident = /^(?:on|about|in|for|of|the|incident|number)$/;
/** Words and characters of such a line at most. */
const mostWords = 14;
const mostCharacters = 120;
/** The lookbehind lets each run of signs be tried once. */
const signsBehind = /(?<![ ?!.,;:])[ ?!.,;:]+$/;

/** The verb that catches a person up, where a line asks for it; what stands behind is its arguments. */
function askedToCatchUp(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  first: number,
): (Found & { readonly kind: 'verb' }) | undefined {
  const hit = verbIn(vocabulary, umbrella, 'catchup');
  if (hit === undefined) return undefined;
  for (let end = Math.min(tokens.length, first + mostWords); end > first + 1; end -= 1) {
    const named = incidentBehind(tokens, end);
    const next = tokens[end];
    if (named === undefined && next !== undefined && (next.quoted || !behind.test(commandWord(next)))) continue;
    const words = tokens.slice(first, end).map(token => (token.quoted ? '"' : token.text));
    const line = words.join(' ');
    if (line.length > mostCharacters) continue;
    const asked = line.normalize('NFKC').toLowerCase().replaceAll('’', "'").replace(signsBehind, '').replace(lead, '');
    if (asksToCatchUp.some(each => each.test(asked))) return { kind: 'verb', hit, next: named ?? end };
  }
  return undefined;
}

/** Where the incident stands that is named behind a word: 3 in `on incident 7`; undefined where none is. */
function incidentBehind(tokens: readonly Token[], from: number): number | undefined {
  let at = from;
  while (at < tokens.length && beforeIncident.test(commandWord(tokens[at]))) at += 1;
  const token = tokens[at];
  const isNamed = token && !token.quoted && (token.channel !== undefined || incident.test(token.text));
  return isNamed && at > from ? at : undefined;
}

/** The words before the act in a question for the way to do it. */
const asksHow =
  /^(?:how|where)(?: (?:do|does|can|could|should|would|must)(?: (?:i|we|you|one|somebody|anybody))?| to)$/;
/** Words that name nothing. */
const articles = /^(?:a|an|the|this|that|it|my|our|one|new|another|its)$/;

/** Words that stand before the name of what is changed. */
const changes = /^(?:set|change|edit|correct|post|write|send|use|give|make|see|show)$/;

/** `how do I close this?`: the help of the verb or of the noun that is asked about; undefined for every other line. */
function howTo(
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
  const behind = words.findLastIndex((_word, at) => asksHow.test(words.slice(0, at + 1).join(' '))) + 1;
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
