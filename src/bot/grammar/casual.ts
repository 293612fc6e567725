import { trimEnd } from '../../trim-end.ts';
import type { Reading } from './verb.ts';
import {
  commandWord,
  distinct,
  goesOn,
  incidents,
  type Line,
  type MeantVerb,
  normalize,
  readAs,
  type Token,
  umbrella,
  type Vocabulary,
  withoutPolite,
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

const makes = /^(?:add|create|make|write|log|open|new|post)$/;

/** The tokens with `note:the` as two, where a dictation may begin: among the three from `first` on. */
function splitAtColon(tokens: readonly Token[], { nouns, hits }: Vocabulary, first: number): readonly Token[] {
  const parts = tokens.slice(first, first + 3).flatMap(token => {
    const { text, start, end, quoted, mention } = token;
    const colon = text.indexOf(':') + 1;
    const word = normalize(text.slice(0, colon));
    const isKnown = nouns.has(word) || hits.get(word)?.some(({ shape }) => !shape.reads);
    const isTorn = colon > 0 && colon < text.length && text.length === end - start && !quoted && !mention;
    if (!isTorn || !isKnown) return [token];
    const behind = start + colon;
    return [
      { ...token, text: text.slice(0, colon), end: behind },
      { ...token, text: text.slice(colon), space: '', start: behind },
    ];
  });
  return [...tokens.slice(0, first), ...parts, ...tokens.slice(first + 3)];
}

/**
 * The words of a line behind a noun that takes phrases: `note:the` as two, and a phrase of the field as one, where a verb may be: at `first` or
 * behind a noun there.
 */
export function joinPhrases(
  typed: readonly Token[],
  vocabulary: Vocabulary,
  { first, isOfIncidents }: { readonly first: number; readonly isOfIncidents: boolean },
): readonly Token[] {
  const { nouns } = vocabulary;
  const tokens = isOfIncidents ? splitAtColon(typed, vocabulary, first) : typed;
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

/** Words that no argument is: a severity, a role, a number, a name. */
const noArgument =
  /^(?:a|an|the|this|that|it|my|our|us|them|who|what|why|where|when|if|not|everybody|somebody|anybody)$/;
/** Alone they are no note: “note taken”, “note to self”. */
const noNote = /^(?:taken|soon|asap|now|later|pending|down|self|all|me|team|to|for|the|that|this|it|please|thanks)$/;

/**
 * Whether a line by mention is dictated, and so is done at once: behind a colon or in quotes, with a flag of the verb, or with exactly the
 * arguments that the verb takes. Whatever else it says may be talk. `end` is the first word behind the verb and the incident that it names.
 */
export function isDictated(
  line: Line,
  found: MeantVerb,
  typed: { readonly raw: string; readonly words: readonly string[]; readonly flags: object; readonly end: number },
): boolean {
  const { vocabulary, tokens } = line;
  const { next, hit } = found;
  const { shape } = hit;
  const { argumentKind: kind, noun } = shape;
  if (shape.asked?.includes(line.word(next - 1))) return false;
  if (found.isClear || Object.keys(typed.flags).length > 0) return true;
  const own = line.under(noun).own(next - 1);
  // “It is critical” tells the others so, and “noted” nobody.
  const isTold = own?.rank === 2 || /^(?:it|it['’]s|this|that|we)$/i.test(tokens[0]?.text ?? '');
  if (isQuestion(tokens) || isTold) return false;
  if (tokens.length === typed.end) return true;
  const said = typed.words.map(word => normalize(word)).filter(word => withoutPolite(word) !== '');
  // “Hand over to @bob”
  const words = kind === 'words' && said.length === 1 && said[0] === 'to' ? [] : said;
  const isNamed = tokens.some((_token, at) => at < next && line.nounAt(at) === noun && !line.word(at).endsWith('s'));
  if (kind === 'prose') {
    const isNote = shape === vocabulary.textVerb(noun) && isNamed;
    return isNote && !goesOn(line.word(next)) && !words.every(word => noNote.test(word));
  }
  const isPlain = words.length < 4 && !words.some(word => noArgument.test(word) || goesOn(word));
  // “Label this” names no label, and “ping @bob about lunch” is not the verb’s own name.
  if (shape.plainly)
    return (words.length === 0 || (own?.rank === 0 && (isPlain || words.length > 1))) && shape.plainly(typed.raw);
  const isCounted = /^(?:#?\d|https?:)/.test(words[0] ?? '');
  return (
    isPlain && (kind === 'words' || (kind === undefined && shape !== vocabulary.textVerb() && (isNamed || isCounted)))
  );
}

const signs = /[,.;:!?]/;

/**
 * Beginnings of words behind an act, in English and German, that take the act back, tie it to a condition, put it off or name another
 * person: “never mind”, “it is resolved”, “if it gets worse”, “at 9”, “’s manager”.
 */
const holdingBack = new RegExp(
  `^(?:(?:please|pls|but|and|well|actually|only|just|nur|bitte|aber|und)[ ,]+)*(?:(?:${[
    "['’]s|no|nope|not|never|nvm|nein|nicht|noch nicht|nie|don['’]?t|do not|kein(?:e[mnrs]?)?|or|oder|wait|hold (?:on|off)|stop|sorry|forget it",
    'never ?mind|false (?:alarm|positive)|fehlalarm|by (?:mistake|accident)',
    "(?:it|this|that|we|everything|all)(?:['’]s| is| are| was)? (?:resolved|over|fixed|fine|ok|okay|good|gone|back|solved|done|recovered)",
    'if|when|whenever|once|unless|until|till|as soon as|in case|wenn|falls|sobald|erst|bis',
    'in (?:about )?(?:\\d{1,4}|an?|half an?) ?(?:s|m|h|secs?|seconds?|min(?:ute)?s?|hours?|days?|weeks?|stunden?)',
    'later|soon|tomorrow|tonight|next (?:week|month)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|später|morgen|heute abend',
  ].join(
    '|',
  )})(?![\\p{L}\\p{N}])|(?:nobody|no ?one|niemand)(?: yet| now)?[.!]*$|(?:at|by|um|ab|after) (?:[@\\d]|noon|midnight)|(?:ok|okay|fine|good|done|thanks|all (?:clear|good))(?:[,.!]|$))`,
  'iu',
);

/** The characters among which these are looked for. */
const mostHeldBack = 60;

/** Whether words behind an act begin so that it is not meant as it stands, or not now. */
export function holdsBack(words: string): boolean {
  return holdingBack.test(words.slice(0, mostHeldBack));
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
