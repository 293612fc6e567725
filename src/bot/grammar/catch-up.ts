import type { Found } from './find-verb.ts';
import { commandWord, type Token } from './tokens.ts';
import { umbrella, type Vocabulary, verbIn } from './vocabulary.ts';

/* How people ask to be caught up: “catch me up since 02:00”, “what did I miss?”. */

const polite = '(?:(?:can|could|would|will) (?:you|somebody|someone|anybody|anyone) )?(?:please )?';
const lead = /^(?:(?:hey|hi|hello|ok|okay|so|and|sorry|please|pls|well|just|quick question)\b[,:]? )+/;
const away =
  '(?:away|out|gone|off|offline|asleep|sleeping|afk|absent|busy|at lunch|at dinner|at home|in bed|in a meeting|in meetings|on a break|on the road|on a plane|not here|not looking|in another room)';

/** Each is a whole line, but for what is asked about. */
const asks: readonly RegExp[] = [
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
const before = /^(?:on|about|in|for|of|the|incident|number)$/;
/** Words and characters of such a line at most. */
const mostWords = 14;
const mostCharacters = 120;
/** The lookbehind lets each run of signs be tried once. */
const signsBehind = /(?<![ ?!.,;:])[ ?!.,;:]+$/;

/** The verb that catches a person up, where a line asks for it; what stands behind is its arguments. */
export function askedToCatchUp(
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
    if (asks.some(each => each.test(asked))) return { kind: 'verb', hit, next: named ?? end };
  }
  return undefined;
}

/** Where the incident stands that is named behind a word: 3 in `on incident 7`; undefined where none is. */
function incidentBehind(tokens: readonly Token[], from: number): number | undefined {
  let at = from;
  while (at < tokens.length && before.test(commandWord(tokens[at]))) at += 1;
  const token = tokens[at];
  const isNamed = token && !token.quoted && (token.channel !== undefined || incident.test(token.text));
  return isNamed && at > from ? at : undefined;
}
