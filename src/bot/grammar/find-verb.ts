import { trimEnd } from '../../trim-end.ts';
import { nearInText, nearVerb } from './near-verbs.ts';
import { answerOf, wordsOfOtherBots } from './phrasebook.ts';
import { suggest } from './suggest.ts';
import type { Reading, VerbShape } from './verb.ts';
import {
  type Hit,
  incidents,
  isFlag,
  isHelp,
  Line,
  type Meaning,
  type MeantVerb,
  readAs,
  type Token,
  umbrella,
  withoutPolite,
} from './words.ts';

const meant = (hit: Hit, next: number): MeantVerb => ({ kind: 'verb', hit, next });
const unknown = ({ noun }: Line, at: number): Meaning => ({ kind: 'unknown', at, noun });

/** A line that means a verb without its own word; undefined where there is no such verb. */
function impliedBy(shape: VerbShape | undefined, next: number, instead?: string): MeantVerb | undefined {
  return shape && meant({ shape, rank: 2, ...(instead === undefined ? {} : { instead }) }, next);
}

/**
 * Finds the verb of a line from the word `at` on. Only where no noun or the umbrella was typed may a line go on to another noun: a verb
 * typed under one noun never acts on another.
 */
export function findVerb(line: Line, at: number): Meaning {
  for (const way of ways) {
    const found = way(line, at);
    if (found !== undefined) return found;
  }
  return unknown(line, at);
}

/** A command has at most this many nouns and `help`s before its verb. */
const maxLeadingWords = 8;

/** The ways to find the verb, each with an example and its meaning. They are tried from top to bottom, and the first that fits wins. */
const ways: readonly ((line: Line, at: number) => Meaning | undefined)[] = [
  // `/task` → `bare task`: the noun alone.
  ({ tokens, noun }, at) => (tokens[at] === undefined ? { kind: 'bare', noun } : undefined),

  // `/muster task task task task task task task task task list` → `asked: task list | task add`: too many words before a verb.
  (line, at) => (at > maxLeadingWords ? unknown(line, at) : undefined),

  // `/note 12:30 resolve the ticket` → `note add: 12:30 resolve the ticket`: a noun that takes free text.
  (line, at) => (line.fallback?.fallback === 'text' ? findInText(line, line.fallback, at) : undefined),

  // `/incident help resolve` → `help incident resolve`
  (line, at) => (isHelp(line.tokens[at]) ? findHelp(line, at + 1) : undefined),

  // `/task INC-7` → `task list:  (in 7)`: an incident alone behind a noun means the verb that the noun alone means.
  ({ vocabulary, tokens, noun, isOpen }, at) => {
    const first = tokens[at];
    const isIncident = isIncidentName(first) || (isOpen && isNumber(first));
    return tokens.length === at + 1 && isIncident ? impliedBy(vocabulary.bareVerb(noun ?? umbrella), at) : undefined;
  },

  // `/task unassigned` → `task list: unassigned`: the list of a noun, where all words behind it say which things to show.
  (line, at) => {
    const { vocabulary, tokens, noun } = line;
    const isPlural = line.word(at - 1) !== noun && line.nounAt(at - 1) === noun;
    const own = line.own(at);
    // Behind the singular of its noun a verb is one: `/task done`, and not `/incident tasks done`.
    if (!isPlural && own !== undefined && own.rank < 2 && !own.shape.bare) return undefined;
    const shape = vocabulary.bareVerb(noun);
    const places = tokens.flatMap((token, place) =>
      place < at || (!token.quoted && isFiller(line.word(place))) ? [] : [place],
    );
    const isFilter = (place: number) => !tokens[place]?.quoted && shape?.filters?.(line.word(place)) === true;
    const isMeant = places.every(place => tokens[place]?.mention?.kind === 'user' || isFilter(place));
    return shape?.filters && places.length > 0 && isMeant ? impliedBy(shape, at) : undefined;
  },

  // `/incident show incidents` → `incident list:`: the plural of incidents alone means their list, and never the one at hand.
  (line, at) => {
    const { vocabulary, tokens, isOpen } = line;
    const before = tokens.length === at + 2 ? vocabulary.verbIn(umbrella, line.word(at))?.shape : undefined;
    const isShown = before !== undefined && (before.bare || before === vocabulary.list);
    const isMeant = isOpen && line.word(tokens.length - 1) === incidents && (tokens.length === at + 1 || isShown);
    return isMeant ? impliedBy(vocabulary.list, tokens.length) : undefined;
  },

  // `/incident INC-7 resolve` → `incident resolve:  (in 7)`: an incident before its verb, which must take one. A number before a verb that counts
  // tasks is a task's, and no incident's.
  (line, at) => {
    const { vocabulary, tokens, isOpen } = line;
    const [before, first] = [tokens[at - 1], tokens[at]];
    const isNamed = isIncidentName(first);
    const isSecond = at > 0 && (isIncidentName(before) || isNumber(before));
    if (!(isNamed || isNumber(first)) || tokens.length === at + 1 || isSecond) return undefined;
    const found = findVerb(line, at + 1);
    if (found.kind === 'help') return found;
    const bare = found.kind === 'bare' ? impliedBy(vocabulary.bareVerb(found.noun), tokens.length) : undefined;
    const meaning = bare ?? (found.kind === 'verb' && found.next > at + 1 ? found : undefined);
    if (!meaning?.hit.shape.flags?.incident) return undefined;
    const isOfTask = !bare && !isNamed && meaning.hit.shape.argumentKind === undefined && !isOpen;
    return isOfTask ? undefined : { ...meaning, ahead: at };
  },

  // `/incident show me the tasks` → `task list:`: a word that asks to see what a verb only shows.
  (line, at) => {
    const { vocabulary, tokens, isOpen } = line;
    const words = tokens.slice(at).map((each, place) => (each.quoted ? '"' : line.word(at + place)));
    const isShow = /^(?:show|see|view|display|list|ls)(?: (?:me|us|the|all|our|its|of))* \S+$/.test(words.join(' '));
    if (!isShow || !isOpen) return undefined;
    const named = words.at(-1) ?? '';
    const noun = vocabulary.nouns.get(named);
    const own = vocabulary.verbIn(umbrella, named);
    const shape =
      (noun === umbrella ? undefined : vocabulary.bareVerb(noun)) ?? (own && own.rank < 2 ? own.shape : undefined);
    return shape?.reads && shape.argumentKind === 'nothing' ? impliedBy(shape, tokens.length) : undefined;
  },

  // `/incident status update we roll back` → `told: incident status | incident update`: a word of another bot, with words of its own, behind a
  // verb that takes none.
  (line, at) => {
    const isWord = line.own(at)?.shape.argumentKind === 'nothing' && line.own(at + 1) === undefined;
    return isWord && line.tokens.length > at + 2 && isOfOtherBots(line, at + 1) ? unknown(line, at + 1) : undefined;
  },

  // `/incident open task 1` → `told: task reopen | incident declare`: before the name and number of a thing the word is an act on that, too.
  (line, at) => {
    const hit = line.verbAt(at);
    const isAct = verbBeforeCounted(line, at) !== undefined && hit?.shape.noun === umbrella && !hit.shape.ends;
    return isAct ? unknown(line, at) : undefined;
  },

  // `/incident severity major` → `incident severity: major`: a verb of the noun.
  (line, at) => {
    const own = line.own(at);
    const isNamed = own !== undefined && (own.shape.noun === line.noun || verbBeforeNoun(line, at) === undefined);
    return isNamed && !isAnothersNumber(line, own, at) ? verbOrText(line, own, at) : undefined;
  },

  // `/task check 3` → `task done: 3`: a word that means a verb before a number alone.
  (line, at) => {
    const { vocabulary, tokens, noun } = line;
    const isNumbered = tokens.length === at + 2 && isNumber(tokens[at + 1]);
    const means = (each: VerbShape) => each.noun === noun && each.beforeNumber?.includes(line.word(at));
    return isNumbered ? impliedBy(vocabulary.verbs.find(means), at + 1) : undefined;
  },

  // `/role commander @bob` → `role assign: commander @bob`: the verb that takes the words behind its noun.
  (line, at) => {
    if (line.fallback === undefined) return undefined;
    return isNearlyOwn(line, at) || isOfOtherBots(line, at) ? unknown(line, at) : impliedBy(line.fallback, at);
  },

  // `/task task add call legal` → `task add: call legal`: the noun again; under it no other noun is tried.
  (line, at) => {
    if (line.isOpen) return undefined;
    return line.nounAt(at) === line.noun ? findVerb(line, at + 1) : unknown(line, at);
  },

  // `/incident task list` → `task list:`: another noun.
  (line, at) => {
    const typed = line.nounAt(at);
    const under = typed === undefined ? undefined : findVerb(line.under(typed), at + 1);
    return under?.kind === 'unknown' ? undefined : under;
  },

  // `/incident add task call legal` → `task add: call legal`: a verb before its noun.
  (line, at) => {
    const named = verbBeforeNoun(line, at);
    return named && meant(named, at + 2);
  },

  // `/muster severity major` → `incident severity: major`: without a noun, a verb that only one noun has, or that of incidents.
  (line, at) => {
    const { vocabulary, tokens, noun } = line;
    const isLastWord = tokens.slice(at + 1).every((each, place) => place === 0 && isHelp(each));
    const lone = noun === undefined ? vocabulary.loneVerb(line.word(at), isLastWord) : undefined;
    return lone !== undefined && !isAnothersNumber(line, lone, at) ? verbOrText(line, lone, at) : undefined;
  },

  // `/muster task frobnicate the pool` → `asked: task add`: of another noun, whatever that makes of it.
  (line, at) => {
    const typed = line.nounAt(at);
    return typed === undefined ? undefined : findVerb(line.under(typed), at + 1);
  },
];

/**
 * A verb with what is behind it. `/incident status we roll back` may mean the verb that takes words, and `/incident update severity major`
 * either verb, so both ask.
 */
function verbOrText(line: Line, hit: Hit, at: number): Meaning {
  const { shape } = hit;
  const rest = line.tokens.slice(at + 1);
  const older = shape.leads ? line.under(shape.noun).own(at + 1) : undefined;
  if (older?.shape.synonymOf === shape.verb) return meant(older, at + 2);
  if (shape.leads && shape.argumentKind === 'nothing' && !isTarget(rest)) return unknown(line, at);
  if (shape.textVerb !== undefined && !isTarget(rest)) {
    const target = targetAmong(rest);
    return target === undefined ? unknown(line, at) : meant(hit, at + 1 + target);
  }
  const near = shape.noun === umbrella ? nearVerb(line, hit, at) : undefined;
  if (near !== undefined) return near.kind === 'verb' ? near : unknown(line, at);
  return shape.asksBeforeVerbs && namesVerb(line.under(shape.noun), shape.verb, at + 1)
    ? unknown(line, at)
    : meant(hit, at + 1);
}

/** Whether the words from `at` on begin with another verb of the line's noun, or are the name of another noun alone. */
function namesVerb(line: Line, verb: string, at: number): boolean {
  const first = line.tokens[at];
  if (first !== undefined && isFlag(first)) return false;
  const hit = first?.quoted ? undefined : line.own(at);
  if (hit !== undefined && hit.rank < 2) return hit.shape.verb !== verb;
  return line.tokens.length === at + 1 && line.vocabulary.bareVerb(line.nounAt(at)) !== undefined;
}

/** Under a noun that takes free text: its own verb by name, another one with nothing behind it, else text. */
function findInText(line: Line, fallback: VerbShape, at: number): Meaning {
  const { noun } = fallback;
  const [first, ...rest] = line.tokens.slice(at);
  const own = line.own(at);
  if (own?.rank === 0 && own.shape === fallback) return meant(own, at + 1);
  const asksHelp = rest.length === 0 || (rest.length === 1 && line.own(at + 1));
  if (isHelp(first) && asksHelp) return findHelp(line, at + 1);
  if (own !== undefined && own.rank < 2 && own.shape !== fallback && isTarget(rest)) return meant(own, at + 1);
  if (own !== undefined && own.rank < 2 && own.shape.reads) return unknown(line, at);
  const near = nearInText(line, fallback, at);
  if (near !== undefined) return near.kind === 'verb' ? near : unknown(line, at);
  const isLastWord = rest.length === 0 || (rest.length === 1 && isNumber(rest[0]));
  if (isLastWord && isOfOtherBots(line, at)) return unknown(line, at);
  if (rest.length === 0 && line.nounAt(at) === noun) return { kind: 'bare', noun };
  if (rest.length === 0 && (own !== undefined || isNearlyOwn(line, at))) return unknown(line, at);
  return meant({ shape: fallback, rank: 2 }, at);
}

/** Words behind `help` that ask for all of it. */
const wholeWords = ['all', 'everything', 'commands'];

/** The help that the words behind `help` ask for. */
function findHelp(line: Line, at: number): Meaning {
  const { tokens, noun, fallback } = line;
  const isWhole = tokens.length === at + 1 && wholeWords.includes(line.word(at));
  if (isWhole) return { kind: 'help', noun, isWhole };
  if (
    tokens.length > at &&
    tokens.slice(at).every(({ text }) => /^(?:me|us)[,.!?]*$/i.test(text) || withoutPolite(text) === '')
  )
    return { kind: 'help', noun };
  const about = findVerb(line, at);
  if (about.kind === 'verb' && !(fallback?.fallback === 'text' && about.next === at)) {
    return { kind: 'help', noun: about.hit.shape.noun, verb: about.hit.shape.verb };
  }
  if (about.kind === 'verb') return { kind: 'help', noun };
  return { kind: 'help', noun: about.noun, verb: about.kind === 'help' ? about.verb : undefined };
}

/** Whether a word is the name of an incident: `INC-7`, or a channel. */
function isIncidentName(token: Token | undefined): boolean {
  if (token === undefined || token.quoted) return false;
  return token.channel !== undefined || /^#?inc(ident)?[-_]?\d{1,9}\b/i.test(token.text);
}

/** Whether a word is a number as lists show it: `3`, `#3`, `3.`. */
export function isNumber(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && /^#?\d{1,6}[.):]?$/.test(token.text);
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
  /^(of|for|on|about|the|this|that|our|incident|channel|room|here|please|pls|now|right|current|me|us|all|again|thanks|it)[,.!?]*$/i;

/** The place of the incident among words that say nothing else: 1 in `of INC-7`; undefined where they say more. */
function targetAmong(rest: readonly Token[]): number | undefined {
  const said = rest.flatMap((token, at) => (token.quoted || !fillers.test(token.text) ? [at] : []));
  const [only, ...others] = said;
  if (only === undefined) return rest.length;
  const token = rest[only];
  if (others.length > 0 || token === undefined) return undefined;
  return isFlag(token) || isNumber(token) || isIncidentName(token) ? only : undefined;
}

function isOfOtherBots(line: Line, at: number): boolean {
  return wordsOfOtherBots(line.noun, line.word(at)) !== undefined;
}

/** Whether a word is a verb of the noun that was mistyped. */
function isNearlyOwn(line: Line, at: number): boolean {
  return suggest(line, line.word(at)).some(({ shape }) => shape.noun === line.noun);
}

/** `/incident add task`: a verb before its noun, where any noun may be typed. */
function verbBeforeNoun(line: Line, at: number): Hit | undefined {
  return line.isOpen ? line.vocabulary.verbIn(line.nounAt(at + 1), line.word(at)) : undefined;
}

/** `/incident open task 1`: the act on what is counted, where any noun may be typed. */
export function verbBeforeCounted(line: Line, at: number): VerbShape | undefined {
  const noun = line.isOpen && line.tokens.length === at + 3 ? line.nounAt(at + 1) : undefined;
  if (noun === undefined || noun === umbrella || !isNumber(line.tokens[at + 2])) return undefined;
  const word = line.word(at);
  const numbered = line.vocabulary.verbs.find(each => each.noun === noun && each.beforeNumber?.includes(word));
  const shape = numbered ?? line.vocabulary.verbIn(noun, word)?.shape;
  return shape?.argumentKind === undefined ? shape : undefined;
}

/** True if the verb belongs to another noun, and the number after it counts that noun's things: `/incident assign 3 @bob` is about a task. */
function isAnothersNumber({ noun, tokens }: Line, { shape }: Hit, at: number): boolean {
  return shape.noun !== (noun ?? umbrella) && shape.argumentKind === 'words' && isNumber(tokens[at + 1]);
}

/** Whether a word around those that filter says nothing more. */
export function isFiller(word: string): boolean {
  return /^(of|for|by|to|and|the|assigned|please)$/.test(word);
}

/** A line as a person said it: `text` is its text from the word `first` on; people who are named before it begin at the word `from`. */
interface Spoken {
  readonly text: string;
  readonly first: number;
  readonly from: number;
}

/** The verb of a line, of a question, or of a line that asks nicely: “please resolve”. */
export function findInLine(line: Line, spoken: Spoken): Meaning {
  const { first } = spoken;
  const polite = line.fallback?.fallback === 'text' ? first : behindPolite(line, first);
  for (const saying of sayingsAnywhere) {
    const found = saying(line, polite);
    if (found !== undefined) return found;
  }
  for (const saying of line.isOpen ? sayings : []) {
    const found = saying(line, spoken);
    if (found !== undefined) return found;
  }
  const asked = polite > first ? findVerb(line, polite) : undefined;
  const isNamed =
    asked?.kind === 'help' ||
    (asked?.kind === 'verb' && (asked.hit.rank < 2 || asked.hit.shape.fallback === 'text') && asked.next > polite);
  const isUnknown = asked?.kind === 'unknown' && line.noun !== undefined;
  return asked !== undefined && (isNamed || isUnknown) ? asked : findVerb(line, first);
}

/** Words before a command that ask nicely, and say nothing. */
const nicely = /^(please|pls|plz|kindly|hey|hi|hello|ok|okay|so|now|just|thanks|thx)$/;

/** The first word behind those that ask nicely, from the word `first` on. */
function behindPolite(line: Line, first: number): number {
  const { tokens } = line;
  let at = first;
  while (at < tokens.length - 1 && !tokens[at]?.quoted && nicely.test(line.word(at))) at += 1;
  return at;
}

/** Words with which people ask one another: “can you please …”, “we should …”. */
const asks =
  /^(?:can|could|would|will|shall|should|must|please|pls|you|we|i|they|somebody|someone|anybody|anyone|let|let['’]?s|us|to|need|want|like|have)$/;

/** The act that a request by mention asks for, as it is offered: with all words behind it that say more than “this” does. */
export function requested(line: Line, first: number): Reading | undefined {
  const tokens = line.tokens.map(token => (token.quoted ? token : { ...token, text: token.text.replace(/\?$/, '') }));
  let at = first;
  while (asks.test(line.word(at))) at += 1;
  const found = at === first ? undefined : findVerb(new Line(line.vocabulary, tokens, line.noun), at);
  if (found?.kind !== 'verb' || found.next === at || found.hit.rank === 2 || found.ahead !== undefined)
    return undefined;
  return readAs(found.hit, behindFillers(tokens, found.next));
}

/** The place from which the words behind an act say more than “this” does. */
export function behindFillers(tokens: readonly Token[], from: number): number {
  return tokens.slice(from).some(token => token.quoted || !fillers.test(token.text)) ? from : tokens.length;
}

/** The words of a line as they are compared with a sentence: in lower case, with straight apostrophes. */
function spokenWords(tokens: readonly Token[]): string {
  return tokens.map(token => token.text.toLowerCase().replaceAll('’', "'")).join(' ');
}

/** The severities as people call them; a team may have other words, and then types `severity` before them. */
const severities = /^(pending|minor|major|critical|(sev|p|s)[0-5])$/;

/** Words before a severity that say no more than that it is one now: `it is critical`, `downgrade to minor`, `severity down to minor`. */
const beforeSeverity =
  /^(?:(?:it|this|that|we)(?: ?is| ?'?s| are| ?'?re)?|(?:the )?severity(?: is| down| up| back)|make it|set(?: it)?|downgrade|upgrade|bump|lower|raise|change)?(?: (?:it|now|a|to|up|down|back))* ?$/;

/** Words with which a person takes the lead. */
const takes =
  /^(?:i(?:'ll| will| am| have|'m|'ve)? ?)?(?:(?:take|taking|took)(?: the)? (?:command|lead|charge|over)|(?:now )?(?:in command|in charge|(?:the )?(?:incident )?commander)|(?:the )?command)$/;

/** Sentences that people type for a command behind any noun, each with an example and its meaning, tried before the others. */
const sayingsAnywhere: readonly ((line: Line, first: number) => Meaning | undefined)[] = [
  // `@ update: severity major` → `incident update: severity major`
  dictated,

  // `@ how do I close this?` → `help incident resolve`
  howTo,

  // `@ task list?` → `task list:`: a verb that only reads, alone with the sign of a question.
  (line, first) => {
    const { vocabulary, tokens, noun } = line;
    const last = tokens.at(-1);
    const count = tokens.length - first;
    if (last === undefined || count < 1 || count > 2 || !/[^?]\?+$/.test(last.text)) return undefined;
    const plain = [...tokens.slice(0, -1), { ...last, text: trimEnd(last.text, /\?/) }];
    const found = findVerb(new Line(vocabulary, plain, noun), first);
    const own = found.kind === 'verb' && found.next === tokens.length ? found.hit.shape : undefined;
    const shape = found.kind === 'bare' ? vocabulary.bareVerb(found.noun) : own;
    return shape?.reads ? meant({ shape, rank: 0 }, tokens.length) : undefined;
  },
];

/** Sentences for a command about an incident, each with an example and its meaning. They are tried from top to bottom. */
const sayings: readonly ((line: Line, spoken: Spoken) => Meaning | undefined)[] = [
  // `@ catch me up since 02:00` → `incident catchup: since 02:00`
  (line, { first }) => askedToCatchUp(line, first),

  // `@ what is the status of 22?` → `incident status:  (in 22)`
  ({ vocabulary, tokens }, { text, first }) => {
    const ahead = tokens.findIndex((token, at) => at >= first && isIncident(token));
    const words = tokens.map(({ text: word }, at) => (at === ahead ? word.replace(/^[^?]+/, 'it') : word));
    if (/^incident$/i.test(words[ahead - 1] ?? '')) words[ahead - 1] = '';
    const about = ahead < 0 ? undefined : answerOf(vocabulary, words.slice(first).join(' '));
    if (about?.flags?.incident) return { ...meant({ shape: about, rank: 0 }, tokens.length), ahead };
    const shape = answerOf(vocabulary, text);
    return shape && meant({ shape, rank: 0 }, tokens.length);
  },

  // `/incident severity down to minor` → `incident severity: minor`: a severity and nothing else.
  (line, { first }) => {
    const { vocabulary, tokens } = line;
    const isPolite = tokens.length > first + 1 && withoutPolite(tokens.at(-1)?.text ?? '') === '';
    const words = tokens.slice(first, isPolite ? -1 : undefined);
    const word = line.word(first + words.length - 1);
    if (words.length > 6 || words.length === 0 || !severities.test(word)) return undefined;
    if (words.some(token => token.quoted) || !beforeSeverity.test(spokenWords(words.slice(0, -1)))) return undefined;
    const shape = vocabulary.verbIn(umbrella, 'severity')?.shape;
    return shape && meant({ shape, rank: 1, instead: word }, tokens.length);
  },

  // `@ all clear` → `incident resolve:`
  (line, { first }) => {
    const { vocabulary, tokens } = line;
    const isOver = tokens.length === first + 1 && line.word(first) === 'allclear';
    const hit = isOver ? vocabulary.verbIn(umbrella, 'resolve') : undefined;
    return hit && meant(hit, tokens.length);
  },

  // `/incident rename the incident to Replica lag` → `incident title: Replica lag`
  (line, { first }) => {
    if (!renames.test(line.word(first))) return undefined;
    const words = [1, 2, 3].map(place => line.word(first + place));
    const to = words.indexOf('to');
    const hit = line.vocabulary.verbIn(umbrella, 'title');
    const isPlain = /^(?:(?:the |this |our )?(?:incident|room)|it|this)?$/.test(words.slice(0, to).join(' '));
    return hit && to >= 0 && isPlain ? meant(hit, first + 2 + to) : undefined;
  },

  // `/incident set the severity to major` → `incident severity: major`: the words that another bot has behind a verb, before it.
  (line, { first }) => {
    const word = line.word(first);
    if (renames.test(word)) return undefined;
    const at = line.word(first + 1) === 'the' ? first + 2 : first + 1;
    const shape = line.vocabulary.verbIn(umbrella, line.word(at))?.shape;
    const next = line.word(at + 1) === 'to' ? at + 2 : at + 1;
    const isTheirs = shape?.managed?.before?.includes(word) === true;
    return isTheirs && line.tokens.length >= next ? meant({ shape, rank: 1 }, next) : undefined;
  },

  // `/incident write down that the pool was full` → `note add: the pool was full`
  (line, { first }) => {
    const { vocabulary, tokens } = line;
    const isDown = line.word(first + 1) === 'down' && /^(?:write|note|jot|put)$/.test(line.word(first));
    const shape = isDown ? vocabulary.textVerb('note') : undefined;
    const next = line.word(first + 2) === 'that' ? first + 3 : first + 2;
    return shape && next < tokens.length ? meant({ shape, rank: 1 }, next) : undefined;
  },

  // `@ I am commander` → `role assign: me commander`: the lead for the one who types.
  ({ vocabulary, tokens }, { first, from }) => {
    const words = tokens.slice(first);
    if (from < first || words.length < 2 || words.length > 6) return undefined;
    const isTaken = takes.test(trimEnd(spokenWords(words), /[.!]/));
    const shape = isTaken ? vocabulary.verbIn('role', 'assign')?.shape : undefined;
    return shape && meant({ shape, rank: 1, instead: 'me commander' }, tokens.length);
  },

  // `@ I'm stepping down as commander` → `role leave: as commander`
  (line, { first }) => {
    const { vocabulary, tokens } = line;
    const at = tokens.findIndex((_token, place) => place >= first && line.word(place) === 'down');
    const words = spokenWords(tokens.slice(first, at + 1));
    const isLeft = /^i(?:'ll|'m| am| will| have to)? step(?:ping)? down[.!]?$/.test(words);
    const hit = isLeft && ['', 'as'].includes(line.word(at + 1)) ? vocabulary.verbIn('role', 'leave') : undefined;
    return hit && meant(hit, at + 1);
  },

  // `@ give @bob the lead` → `role assign: @bob the lead`
  (line, { from }) => saidRole(line, from),
];

/** Words that give a thing a new name. */
const renames = /^(?:rename|retitle)$/;

/** `update: we roll back`, `task "call legal"`: a verb or a noun, and behind a colon or in quotes the text that it takes, whatever that says. */
function dictated(line: Line, first: number): MeantVerb | undefined {
  const { vocabulary, tokens, noun, fallback } = line;
  if (fallback?.fallback === 'text') return undefined;
  const names = tokens.slice(first, first + 3);
  const last = names.findIndex(
    ({ text }, at) => text.endsWith(':') || (tokens[first + at + 1]?.quoted && tokens.length === first + at + 2),
  );
  const next = first + last + 1;
  if (last < 0 || next === tokens.length || names.slice(0, last + 1).some(each => each.quoted || each.mention))
    return undefined;
  const found = findVerb(new Line(vocabulary, tokens.slice(0, next), noun), first);
  const shape = found.kind === 'bare' && found.noun !== undefined ? vocabulary.textVerb(found.noun) : undefined;
  const hit = found.kind === 'verb' && found.next === next ? found.hit : shape && { shape, rank: 1 as const };
  return hit === undefined || hit.shape.reads ? undefined : { ...meant(hit, next), isClear: true };
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

/** Words that may follow: from when on, or about which incident. */
const behind = /^(?:since|from|after|on|about|please|pls|thanks|thx|now|again|then|here|muster)$/;
/** An incident by its name, and the words that may precede it. */
const incident = /^#?(?:inc(?:ident)?[-_]?)?\d{1,9}[.,:;)?!]*$/i;
const isIncident = (token: Token | undefined) =>
  token !== undefined && !token.quoted && (token.channel !== undefined || incident.test(token.text));
export const beforeIncident = /^(?:on|about|in|for|of|to|the|incidents?|inc|number|no|nr)$/;
/** Words and characters of such a line at most. */
const mostWords = 14;
const mostCharacters = 120;

/** The verb that catches a person up, where a line asks for it; the words behind are its arguments. */
function askedToCatchUp(line: Line, first: number): MeantVerb | undefined {
  const { vocabulary, tokens } = line;
  const hit = vocabulary.verbIn(umbrella, 'catchup');
  if (hit === undefined) return undefined;
  for (let end = Math.min(tokens.length, first + mostWords); end > first + 1; end -= 1) {
    // An incident that is named behind it: `on incident 7`.
    let at = end;
    while (at < tokens.length && beforeIncident.test(line.word(at))) at += 1;
    const next = isIncident(tokens[at]) && at > end ? at : end;
    if (next === end && end < tokens.length && (tokens[end]?.quoted || !behind.test(line.word(end)))) continue;
    const words = tokens.slice(first, end).map(each => (each.quoted ? '"' : each.text));
    const text = words.join(' ');
    if (text.length > mostCharacters) continue;
    const spoken = text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
    const asked = trimEnd(spoken, /[ ?!.,;:]/).replace(lead, '');
    if (asksToCatchUp.some(each => each.test(asked))) return meant(hit, next);
  }
  return undefined;
}

/** The words before the act in a question for the way to do it. */
const asksHow =
  /^(?:how|where)(?: (?:do|does|can|could|should|would|must)(?: (?:i|we|you|one|somebody|anybody))?| to)$/;
/** Words that name nothing. */
const articles = /^(?:a|an|the|this|that|it|my|our|one|new|another|its)$/;

/** Words before the name of a part that is changed. */
const changes = /^(?:set|change|edit|correct|post|write|send|use|give|make|see|show)$/;

/** `how do I close this?`: the help of the verb or of the noun that is asked about; undefined for every other line. */
function howTo(line: Line, first: number): Meaning | undefined {
  const { vocabulary, tokens, noun, fallback } = line;
  if (!/^(?:how|where)$/.test(line.word(first)) || fallback?.fallback === 'text') return undefined;
  const asked = tokens.slice(first);
  if (asked.length > 10 || asked.some(({ quoted, text }) => quoted || text.length > 40)) return undefined;
  const plain = asked.map(token => ({ ...token, text: trimEnd(token.text, /[?!.,]/) }));
  const words = plain.map(({ text }) => text.toLowerCase());
  const behind = words.findLastIndex((_word, at) => asksHow.test(words.slice(0, at + 1).join(' '))) + 1;
  if (behind === 0) return undefined;
  const act = plain.slice(behind).filter(token => !articles.test(token.text.toLowerCase()));
  const about = new Line(vocabulary, act, noun);
  const named = about.word(1) === 'work' && act.length === 2 ? about.nounAt(0) : undefined;
  if (named !== undefined) return { kind: 'help', noun: named };
  for (const reading of [act, ...(changes.test(about.word(0)) ? [act.slice(1)] : [])]) {
    const found = reading.length === 0 ? undefined : findVerb(new Line(vocabulary, reading, noun), 0);
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
/** Words to a person who is mentioned: “@carol take over”. */
const asked = '(?:please )?(?:take|taking)(?: (?:the )?(?:command|lead)| over| charge)';
const given = new RegExp(
  `^(?:(?:${has} )?(?:${the} )?${role}|as (?:${the} )?[\\p{L}-]+|${the} (?:command|lead)|${command}|${asked})$`,
  'iu',
);
/** A plain name needs a word between it and the role. */
const named = new RegExp(`^(?:${has} (?:${the} )?${role}|${command})$`, 'iu');
/** Words that are no name that Slack could know, or begin a question. */
const nobody =
  /^(?:i|we|it|he|she|they|you|this|that|there|who|whos|what|which|nobody|noone|someone|somebody|anyone|anybody|everybody|everyone|is|are|the|a|an|my|our|not|please)$/i;
/** Words before a person that give. */
const gives = /^(?:let|give|have|make)$/i;

/** The first word of a line, its people included; `self` is the id of the bot: a mention of the bot only calls it. */
export function firstOfPeople(tokens: readonly Token[], first: number, self: string | undefined): number {
  let from = first;
  const isPerson = (at: number) => tokens[at]?.mention?.kind === 'user' && tokens[at]?.mention?.id !== self;
  while (from > 0 && isPerson(from - 1)) from -= 1;
  return from;
}

/** `@bob is commander`, `give @bob the lead`, `bob takes command`: a role for a person, said as a sentence. `from` is its first word. */
function saidRole({ vocabulary, tokens }: Line, from: number): MeantVerb | undefined {
  const line = tokens.slice(from);
  const isGift = gives.test(line[0]?.text ?? '') && line[1]?.mention?.kind === 'user';
  const people = isGift ? line.slice(1) : line;
  const count = people.findIndex(token => token.mention?.kind !== 'user');
  const name = people[0]?.text ?? '';
  const words = people.slice(Math.max(count, 1));
  const isSaid = words.length > 0 && words.length < 7 && !words.some(token => token.quoted || token.mention);
  const shape = isSaid ? vocabulary.verbIn('role', 'assign')?.shape : undefined;
  const said = words
    .map(token => token.text)
    .join(' ')
    .replace(/(?<![.!,])[.!,]+$/, '')
    .replace(/,? (?:please|pls|thanks|now)$/i, '');
  const isPlain = count === 0 && !isGift && /^@?\p{L}[\p{L}.'’-]*$/u.test(name) && !nobody.test(name);
  const isRole = count > 0 ? given.test(said) : isPlain && named.test(said);
  return shape && isRole ? { ...meant({ shape, rank: 1 }, isGift ? from + 1 : from), isClear: true } : undefined;
}
