import { filteredList } from './filtered-list.ts';
import { nearInText, nearVerb } from './near-verbs.ts';
import { answerOf } from './questions.ts';
import { suggest } from './suggest.ts';
import { commandWord, isFlag, isHelp, type Token } from './tokens.ts';
import type { Reading, VerbShape } from './verb.ts';
import {
  bareVerb,
  fallbackOf,
  type Hit,
  incidents,
  listVerb,
  loneVerb,
  umbrella,
  type Vocabulary,
  verbIn,
} from './vocabulary.ts';
import { wordsOfOtherBots } from './words-of-other-bots.ts';

/** What the words of a line name; `next` is the first word behind the verb, `at` the word that was not understood. */
export type Found =
  | {
      kind: 'verb';
      hit: Hit;
      next: number;
      /** The place of an incident that was named before the verb: `/incident 7 resolve`. */
      ahead?: number;
      /** It is meant as it stands, though it reads like a sentence. */
      isClear?: true;
    }
  | { kind: 'help'; noun?: string | undefined; verb?: string | undefined; isWhole?: true }
  | { kind: 'bare'; noun?: string | undefined }
  | { kind: 'unknown'; at: number; noun?: string | undefined };

/** A command has at most this many nouns and `help`s before its verb. */
const maxLeadingWords = 8;

/**
 * Finds the verb of a line. It tries in this order, and the first that fits wins: a verb of the noun, the noun's fallback, another
 * noun, a verb before its noun, a verb that only one noun has. Only where no noun or the umbrella was typed may a line go on to
 * another noun: a verb typed under one noun never acts on another.
 */
export function findVerb(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): Found {
  const first = tokens[at];
  if (first === undefined) return { kind: 'bare', noun };
  if (at > maxLeadingWords) return { kind: 'unknown', at, noun };
  const fallback = fallbackOf(vocabulary, noun);
  if (fallback?.fallback === 'text') return findInText(vocabulary, tokens, fallback, at);
  if (isHelp(first)) return findHelp(vocabulary, tokens, noun, at + 1);
  const word = commandWord(first);
  const target = tokens.length === at + 1 ? bareTarget(vocabulary, first, noun) : undefined;
  if (target !== undefined) return { kind: 'verb', hit: { shape: target, rank: 2 }, next: at };
  const filtered = isVerbNamed(vocabulary, tokens, noun, at) ? undefined : filteredList(vocabulary, tokens, noun, at);
  if (filtered !== undefined) return { kind: 'verb', hit: { shape: filtered, rank: 2 }, next: at };
  const listed = listOfIncidents(vocabulary, tokens, noun, at);
  if (listed !== undefined) return { kind: 'verb', hit: { shape: listed, rank: 2 }, next: tokens.length };
  const behind = behindIncident(vocabulary, tokens, noun, at);
  if (behind !== undefined) return behind;
  const shown = shownNoun(vocabulary, tokens, noun, at) ?? shownVerb(vocabulary, tokens, noun, at);
  if (shown !== undefined) return { kind: 'verb', hit: shown, next: tokens.length };
  const own = verbIn(vocabulary, noun, word);
  const isOwn = own !== undefined && own.shape.noun === noun;
  const named = isOwn ? undefined : verbBeforeNoun(vocabulary, noun, tokens, at);
  const isWord = own?.shape.begins === 'nothing' && verbIn(vocabulary, noun, commandWord(tokens[at + 1])) === undefined;
  if (isWord && tokens.length > at + 2 && isOfOtherBots(noun, tokens[at + 1])) {
    return { kind: 'unknown', at: at + 1, noun };
  }
  if (own !== undefined && named === undefined && !isAnothersNumber(own, noun, tokens[at + 1])) {
    return withWords(vocabulary, tokens, own, at, noun);
  }
  const numbered = verbBeforeNumber(vocabulary, noun, word, tokens.slice(at + 1));
  if (numbered !== undefined) return { kind: 'verb', hit: { shape: numbered, rank: 1 }, next: at + 1 };
  if (fallback !== undefined) {
    const isNearly = suggest(vocabulary, noun, word, undefined).some(({ shape }) => shape.noun === noun);
    if (isNearly || wordsOfOtherBots(noun, word) !== undefined) return { kind: 'unknown', at, noun };
    return { kind: 'verb', hit: { shape: fallback, rank: 2 }, next: at };
  }
  const typedNoun = vocabulary.nouns.get(word);
  if (noun !== undefined && noun !== umbrella) {
    return typedNoun === noun ? findVerb(vocabulary, tokens, noun, at + 1) : { kind: 'unknown', at, noun };
  }
  const underNoun = typedNoun === undefined ? undefined : findVerb(vocabulary, tokens, typedNoun, at + 1);
  if (underNoun !== undefined && underNoun.kind !== 'unknown') return underNoun;
  if (named !== undefined) return { kind: 'verb', hit: named, next: at + 2 };
  const isAlone = tokens.slice(at + 1).every((each, place) => place === 0 && isHelp(each));
  const lone = noun === undefined ? loneVerb(vocabulary, word, isAlone) : undefined;
  if (lone !== undefined && !isAnothersNumber(lone, noun, tokens[at + 1])) {
    return withWords(vocabulary, tokens, lone, at, noun);
  }
  return underNoun ?? { kind: 'unknown', at, noun };
}

/** Whether a verb is named behind the singular of its noun: `/task done`, and not `/incident tasks done`. */
function isVerbNamed(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number): boolean {
  const before = commandWord(tokens[at - 1]);
  const isPlural = before !== noun && vocabulary.nouns.get(before) === noun;
  const own = verbIn(vocabulary, noun, commandWord(tokens[at]));
  return !isPlural && own !== undefined && own.rank < 2 && !own.shape.bare;
}

/**
 * A verb with what is behind it. `/incident status we roll back` may mean the verb that takes words, and `/incident update severity major`
 * either verb, so both ask.
 */
function withWords(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  hit: Hit,
  at: number,
  noun: string | undefined,
): Found {
  const plain: Found = { kind: 'verb', hit, next: at + 1 };
  const rest = tokens.slice(at + 1);
  if (hit.shape.withWords !== undefined && !isTarget(rest)) {
    const target = targetAmong(rest);
    return target === undefined ? { kind: 'unknown', at, noun } : { kind: 'verb', hit, next: at + 1 + target };
  }
  const near = hit.shape.noun === umbrella ? nearVerb(vocabulary, tokens, hit, at, noun) : undefined;
  if (near !== undefined)
    return 'verb' in near ? { kind: 'verb', hit: near.verb, next: near.next } : { kind: 'unknown', at, noun };
  const asks = hit.shape.asksBeforeVerbs && namesVerb(vocabulary, hit.shape, rest);
  return asks ? { kind: 'unknown', at, noun } : plain;
}

/** Whether words begin with another verb of that noun, or are the name of another noun alone. */
function namesVerb(vocabulary: Vocabulary, { noun, verb }: VerbShape, rest: readonly Token[]): boolean {
  const [first] = rest;
  if (first !== undefined && isFlag(first)) return false;
  const word = commandWord(first);
  const hit = first?.quoted ? undefined : verbIn(vocabulary, noun, word);
  if (hit !== undefined && hit.rank < 2) return hit.shape.verb !== verb;
  return rest.length === 1 && bareVerb(vocabulary, vocabulary.nouns.get(word)) !== undefined;
}

/** Under a noun that takes free text: its own verb by name, another one with nothing behind it, else text. */
function findInText(vocabulary: Vocabulary, tokens: readonly Token[], fallback: VerbShape, at: number): Found {
  const { noun } = fallback;
  const [first, ...rest] = tokens.slice(at);
  const word = commandWord(first);
  const own = verbIn(vocabulary, noun, word);
  if (own?.rank === 0 && own.shape === fallback) return { kind: 'verb', hit: own, next: at + 1 };
  const asksHelp = rest.length === 0 || (rest.length === 1 && verbIn(vocabulary, noun, commandWord(rest[0])));
  if (isHelp(first) && asksHelp) return findHelp(vocabulary, tokens, noun, at + 1);
  if (own !== undefined && own.rank < 2 && own.shape !== fallback && isTarget(rest)) {
    return { kind: 'verb', hit: own, next: at + 1 };
  }
  if (own !== undefined && own.rank < 2 && own.shape.reads) return { kind: 'unknown', at, noun };
  const near = nearInText(vocabulary, tokens, fallback, at);
  if (near !== undefined)
    return 'verb' in near ? { kind: 'verb', hit: near.verb, next: near.next } : { kind: 'unknown', at, noun };
  const isAlone = rest.length === 0 || (rest.length === 1 && isNumber(rest[0]));
  if (isAlone && isOfOtherBots(noun, first)) return { kind: 'unknown', at, noun };
  if (rest.length === 0) {
    if (vocabulary.nouns.get(word) === noun) return { kind: 'bare', noun };
    const isNearly = suggest(vocabulary, noun, word, undefined).some(({ shape }) => shape.noun === noun);
    if (own !== undefined || isNearly) return { kind: 'unknown', at, noun };
  }
  return { kind: 'verb', hit: { shape: fallback, rank: 2 }, next: at };
}

/** `/incident 7` and `/task INC-7`: an incident alone behind a noun stands for the verb that the noun alone means. */
function bareTarget(vocabulary: Vocabulary, only: Token, noun: string | undefined): VerbShape | undefined {
  const isIncident = isIncidentName(only) || ((noun ?? umbrella) === umbrella && isNumber(only));
  return isIncident ? bareVerb(vocabulary, noun ?? umbrella) : undefined;
}

/** `/muster incidents` and `/incident show incidents`: the plural of incidents alone means their list, and never the one at hand. */
function listOfIncidents(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): VerbShape | undefined {
  const isPlural = commandWord(tokens.at(-1)) === incidents;
  const isAlone = tokens.length === at + 1;
  const list = listVerb(vocabulary);
  const before = tokens.length === at + 2 ? verbIn(vocabulary, umbrella, commandWord(tokens[at]))?.shape : undefined;
  const isShown = before !== undefined && (before.bare || before === list);
  return isPlural && (noun ?? umbrella) === umbrella && (isAlone || isShown) ? list : undefined;
}

/**
 * `/incident 7 resolve` and `/task INC-7 list`: an incident before its verb, which must take one. A number before a verb that counts
 * tasks is a task's, and no incident's.
 */
function behindIncident(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
  noun: string | undefined,
  at: number,
): Found | undefined {
  const first = tokens[at];
  const isNamed = first !== undefined && isIncidentName(first);
  const isBefore = at === 0 || !isIncidentOrNumber(tokens[at - 1]);
  if (!(isNamed || isNumber(first)) || tokens.length === at + 1 || !isBefore) return undefined;
  const found = findVerb(vocabulary, tokens, noun, at + 1);
  if (found.kind === 'help') return found;
  const bare = found.kind === 'bare' ? bareVerb(vocabulary, found.noun) : undefined;
  if (bare?.flags?.incident) return { kind: 'verb', hit: { shape: bare, rank: 2 }, next: tokens.length, ahead: at };
  if (found.kind !== 'verb' || found.next === at + 1 || !found.hit.shape.flags?.incident) return undefined;
  const isOfTask = !isNamed && found.hit.shape.begins === undefined && noun !== undefined && noun !== umbrella;
  return isOfTask ? undefined : { ...found, ahead: at };
}

function isIncidentOrNumber(token: Token | undefined): boolean {
  return token !== undefined && (isIncidentName(token) || isNumber(token));
}

function isIncidentName(token: Token): boolean {
  return !token.quoted && (token.channel !== undefined || /^#?inc(ident)?[-_]?\d{1,9}\b/i.test(token.text));
}

/** Whether words name at most an incident: nothing, `7`, `INC-7`, a channel, `--incident 7`; or ask for help. */
function isTarget(rest: readonly Token[]): boolean {
  const [first, second] = rest;
  if (first === undefined || (isHelp(first) && second === undefined)) return true;
  if (/^(--|—|–)incident(=|$)/i.test(first.text)) return rest.length <= (first.text.includes('=') ? 1 : 2);
  return second === undefined && (isNumber(first) || isIncidentName(first));
}

/** Words around the name of an incident that say nothing more. */
const fillers =
  /^(of|for|on|about|the|this|that|our|incident|channel|room|here|please|pls|now|right|current|me|us|all|again|thanks)[,.!?]*$/i;

/** Where the incident stands among words that say nothing else: 1 in `of INC-7`; undefined where they say more. */
function targetAmong(rest: readonly Token[]): number | undefined {
  const said = rest.flatMap((token, at) => (token.quoted || !fillers.test(token.text) ? [at] : []));
  const [only, ...others] = said;
  if (only === undefined) return rest.length;
  const token = rest[only];
  if (others.length > 0 || token === undefined) return undefined;
  return isFlag(token) || isNumber(token) || isIncidentName(token) ? only : undefined;
}

/** Words behind `help` that ask for all of it. */
const wholeWords = ['all', 'everything', 'commands'];

function findHelp(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number): Found {
  const isWhole = tokens.length === at + 1 && wholeWords.includes(commandWord(tokens[at]));
  if (isWhole) return { kind: 'help', noun, isWhole };
  const about = findVerb(vocabulary, tokens, noun, at);
  const fallback = fallbackOf(vocabulary, noun);
  if (about.kind === 'verb' && !(fallback?.fallback === 'text' && about.next === at)) {
    return { kind: 'help', noun: about.hit.shape.noun, verb: about.hit.shape.verb };
  }
  if (about.kind === 'verb') return { kind: 'help', noun };
  return { kind: 'help', noun: about.noun, verb: about.kind === 'help' ? about.verb : undefined };
}

/** `/incident status update we roll back`: a word of another bot, with words of its own, behind a verb that takes none. */
function isOfOtherBots(noun: string | undefined, token: Token | undefined): boolean {
  return wordsOfOtherBots(noun, commandWord(token)) !== undefined;
}

/** `/incident add task`: a verb before its noun, where any noun may be typed. */
function verbBeforeNoun(vocabulary: Vocabulary, noun: string | undefined, tokens: readonly Token[], at: number) {
  if (noun !== undefined && noun !== umbrella) return undefined;
  return verbIn(vocabulary, vocabulary.nouns.get(commandWord(tokens[at + 1])), commandWord(tokens[at]));
}

/** `/incident show tasks` shows the tasks: a verb that takes nothing, with the name of another noun alone behind it. */
function shownNoun(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number) {
  const named = tokens.length === at + 2 ? vocabulary.nouns.get(commandWord(tokens[at + 1])) : undefined;
  const shape = noun === umbrella && named !== noun ? bareVerb(vocabulary, named) : undefined;
  const hit = shape && verbIn(vocabulary, named, commandWord(tokens[at]));
  return hit?.shape === shape ? hit : undefined;
}

/** `/incident show the alerts` and “show me the timeline”: a word that asks to see what a verb of incidents only shows. */
function shownVerb(vocabulary: Vocabulary, tokens: readonly Token[], noun: string | undefined, at: number) {
  const words = tokens.slice(at).map(each => (each.quoted ? '"' : commandWord(each)));
  const [, named] = /^(?:show|see|view|display)(?: (?:me|us|the|all|our|its|of))* (\S+)$/.exec(words.join(' ')) ?? [];
  const hit = named === undefined || (noun ?? umbrella) !== umbrella ? undefined : verbIn(vocabulary, umbrella, named);
  return hit && hit.rank < 2 && hit.shape.reads && hit.shape.begins === 'nothing' ? hit : undefined;
}

/** True if the verb belongs to another noun, and the number after it counts that noun's things: `/incident assign 3 @bob` is about a task. */
function isAnothersNumber(hit: Hit, noun: string | undefined, next: Token | undefined): boolean {
  return hit.shape.noun !== (noun ?? umbrella) && hit.shape.begins === 'words' && isNumber(next);
}

/** The verb of a word that means it before a number alone. */
function verbBeforeNumber(
  { verbs }: Vocabulary,
  noun: string | undefined,
  word: string,
  rest: readonly Token[],
): VerbShape | undefined {
  if (rest.length !== 1 || !isNumber(rest[0])) return undefined;
  return verbs.find(shape => shape.noun === noun && shape.beforeNumber?.includes(word));
}

/** Whether a word is a number as lists show it: `3`, `#3`, `3.`. */
export function isNumber(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && /^#?\d{1,6}[.):]?$/.test(token.text);
}

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

/** Words around a role that say nothing more. */
const has = '(?:(?:is|are|as|be|to be|becomes|will be|shall be|should be)(?: now)?|now)';
const the = '(?:the|our|a|an)';
/** Roles that every team knows by these names; others a team makes for itself. */
const role =
  '(?:(?:incident[ -]?)?(?:commander|lead|manager)|ic|investigator|observer|in (?:charge|command)|(?:incident[ -]?)?responder)';
const command =
  '(?:(?:takes|took|has|will take|is taking)(?: now)? (?:(?:the )?(?:command|lead)|over|charge)|leads|will lead|is leading)';
const given = new RegExp(
  `^(?:(?:${has} )?(?:${the} )?${role}|as (?:${the} )?[\\p{L}-]+|${the} (?:command|lead)|${command})$`,
  'iu',
);
/** A plain name needs a word between it and the role. */
const named = new RegExp(`^(?:${has} (?:${the} )?${role}|${command})$`, 'iu');
/** They stand for nobody whose name Slack could know, or begin a question. */
const nobody =
  /^(?:i|we|it|he|she|they|you|this|that|there|who|whos|what|which|nobody|noone|someone|somebody|anyone|anybody|everybody|everyone|is|are|the|a|an|my|our|not|please)$/i;
/** Words before a person that give. */
const gives = /^(?:let|give|have|make)$/i;

/** The first word of a line, its people included; `self` is the id of the bot, whose mention only calls it. */
export function withPeople(tokens: readonly Token[], first: number, self: string | undefined): number {
  let from = first;
  const isPerson = (at: number) => tokens[at]?.mention?.kind === 'user' && tokens[at]?.mention?.id !== self;
  while (from > 0 && isPerson(from - 1)) from -= 1;
  return from;
}

/** `@bob is commander`, `give @bob the lead`, `bob takes command`: a role for somebody, said as a sentence. `from` is its first word. */
function saidRole(vocabulary: Vocabulary, tokens: readonly Token[], from: number): Found | undefined {
  const line = tokens.slice(from);
  const isGift = gives.test(line[0]?.text ?? '') && line[1]?.mention?.kind === 'user';
  const people = isGift ? line.slice(1) : line;
  const count = people.findIndex(token => token.mention?.kind !== 'user');
  const name = people[0]?.text ?? '';
  const words = people.slice(Math.max(count, 1));
  const isSaid = words.length > 0 && words.length < 7 && !words.some(token => token.quoted || token.mention);
  const shape = isSaid ? verbIn(vocabulary, 'role', 'assign')?.shape : undefined;
  const said = words
    .map(token => token.text)
    .join(' ')
    .replace(/(?<![.!,])[.!,]+$/, '')
    .replace(/,? (?:please|pls|thanks|now)$/i, '');
  const isPlain = count === 0 && !isGift && /^@?\p{L}[\p{L}.'’-]*$/u.test(name) && !nobody.test(name);
  const isRole = count > 0 ? given.test(said) : isPlain && named.test(said);
  return shape && isRole
    ? { kind: 'verb', hit: { shape, rank: 1 }, next: isGift ? from + 1 : from, isClear: true }
    : undefined;
}
