import { trimEnd } from '../../trim-end.ts';
import type { VerbShape } from './verb.ts';
import { umbrella, type Vocabulary } from './words.ts';

/*
 * Questions as people ask them: “what is the status?”, “who leads?”, “how long already?”. Each pattern is a whole line, so that a
 * sentence that only begins like one is none.
 */

/** Words around a question that ask nothing. */
const lead = /^(?:(?:hey|hi|hello|ok|okay|so|and|but|um|well|please|pls|just|quick question|sorry)\b[,:]? )+/;
const tail =
  /(?:,? (?:please|pls|thanks|thank you|right now|now|currently|at the moment|here|today|so far|already|yet|guys|folks|all|everyone|everybody|again|then|(?:in|on|of|for|about) it))+$/;

const it = '(?:it|this|that|we|things|everything|(?:the |this |our )?(?:incident|outage|issue|problem))';
/** These words one by one, for a run of words: each text is read in one way alone. */
const its = '(?:it|this|that|we|things|everything|incident|outage|issue|problem)';
const be = "(?:'s| is| are| was|s)";

/** The answer to each of them: a noun, and a verb of it that only reads; without a verb, the one that the noun alone means. */
const topics: readonly (readonly [asked: RegExp, noun: string, verb?: string])[] = [
  [/^(?:who|whos|what|which|when|is|are|any|anyone|anybody)\b.* on(?:[- ]?call| duty)\b/, umbrella, 'oncall'],
  [
    new RegExp(
      `^who(?:(?:${be}|'s been| has)? (?:leads?|leading|in charge|in command|(?:the )?(?:incident )?(?:commander|lead|leader|ic)|on|working on|handling|running|owning|responsible(?: for)?|doing what|assigned|here)|(?: does what| owns| runs| handles| has command| has which role| took command))(?: ${it})?$`,
    ),
    'role',
  ],
  [/^(?:what|which) roles? (?:are|is) (?:there|free|open|taken|filled|left|missing)$/, 'role'],
  [
    /^(?:what|which|any|are there any|are there|how many)(?: (?:are|is))?(?: the)?(?: (?:other|open|our|my))* (?:tasks?|todos?)(?: (?:are|is))?(?: (?:there|open|left|done|do we have|still open|to do))*$/,
    'task',
  ],
  [new RegExp(`^what(?:${be})? (?:left|open|still open|left to do|to do|to be done|next|missing)(?: to do)?$`), 'task'],
  [/^what(?:'s| has| have| did)? ?(?:we |they |you )?(?:happened|tried|done|changed|try|do)$/, umbrella, 'timeline'],
  [
    /^(?:what|which|any|are there any|are there|how many)(?: (?:are|is))?(?: the)?(?: (?:other|open|active|current|ongoing|recent))* incidents(?: (?:are|is))?(?: (?:there|open|active|ongoing|running|right|on|do we have))*$/,
    umbrella,
    'list',
  ],
  [
    new RegExp(
      `^(?:(?:what|how|where)(?:${be}| about)? )?(?:the |our |its |your |any |current |latest |next )*(?:status|state|situation|severity|impact|news|latest|progress|eta|updates?)(?: report| update)?(?: (?:of|on|for|with) [^ ]+(?: [^ ]+)?)?$`,
    ),
    umbrella,
  ],
  [
    /^(?:any|is there any|are there any|do we have any|do we have an) (?:news|updates?|progress|eta|change|changes)$/,
    umbrella,
  ],
  [
    new RegExp(
      `^(?:what|which|any|(?:are|is) (?:there )?(?:any|an)|are there|are|is|has|have|did|do we have(?: any| an)?|how many)(?: (?:are|is))?(?: (?:the|our|its|more|other|all|active|open|firing|new|any))* alerts?(?: (?:are|is|does|do|did|has|have|the|our|${its}|for|of|on|in|belong|belongs|belonging|to|there|still|all|been|active|open|over|fire|fires|fired|firing|end|ended|stop|stopped|gone|resolved))*$`,
    ),
    umbrella,
    'alerts',
  ],
  [/^(?:what|what's|whats|what is) (?:still )?(?:fires|firing|alerting)$/, umbrella, 'alerts'],
  [new RegExp(`^what(?:${be})? (?:going on|happening|up|wrong|down|broken|${it}(?: about)?)$`), umbrella],
  [
    new RegExp(
      `^how (?:bad|long|old|severe|serious|far|much longer)(?: (?:is|are|has|have|did|was|does|been|be|last|lasted|lasting|take|taken|taking|going|down|on|running|active|open|will|ago|the|our|${its}))*$`,
    ),
    umbrella,
  ],
  [new RegExp(`^how(?:${be})? (?:${it})(?: (?:going|looking|doing|stand|standing))?$`), umbrella],
  [/^how (?:does it|do we|do things) (?:stand|look)$/, umbrella],
  [
    new RegExp(
      `^(?:since )?when(?:${be}| did| does| will| has)?(?: (?:the |our )?(?:next )?(?:update|${it}))?(?: (?:be|been|start|started|begin|began|begun|declared|due|over|end|ended|fixed|resolved|back|coming|come|expected|going on|down))*$`,
    ),
    umbrella,
  ],
  [
    new RegExp(
      `^(?:is|are|was|were|has|did) ${it}(?: (?:still|all|been|now))*(?: (?:over|fixed|resolved|solved|mitigated|done|down|ongoing|active|open|back|up|better|ok|okay|fine|happening|going on|end|ended|in progress))+$`,
    ),
    umbrella,
  ],
  [/^where (?:are|do|does) (?:we|it|things)(?: (?:at|stand))?$/, umbrella],
];

/** Words that begin a question without a sign at its end. */
const interrogative = /^(?:who|what|which|when|where|how|since when|whos|whats|hows)\b/;

/** The verb that answers a question, and only reads; undefined for every other line. `line` is decoded text. */
export function answerOf(vocabulary: Vocabulary, line: string): VerbShape | undefined {
  if (line.length > 120) return undefined;
  const typed = line.normalize('NFKC').toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ').trim();
  const words = trimEnd(typed, /[ ?!.,;:]/).replace(lead, '');
  const question = words.replace(tail, '').replace(/,$/, '');
  if (!typed.slice(trimEnd(typed, /[?! ]/).length).includes('?') && !interrogative.test(question)) return undefined;
  const topic = topics.find(([asked]) => asked.test(question) || asked.test(words));
  if (topic === undefined) return undefined;
  const [, noun, verb] = topic;
  const shape = verb === undefined ? vocabulary.bareVerb(noun) : vocabulary.verbIn(noun, verb)?.shape;
  return shape?.reads ? shape : undefined;
}

/** Small talk that is a whole line. */
const greeting =
  /^(hi|hello|hey|hiya|yo|howdy|good (morning|afternoon|evening|day|night)|morning)( (there|all|muster|team|folks|everyone|everybody|again))*$/;
const thanking =
  /^((ok|okay|great|cool|nice|perfect|many|awesome|lovely|super) )*(thanks|thank you|thx|ty|cheers|thankyou)( (a lot|a bunch|so much|very much|you|muster|all|again|team|everyone|everybody|folks|guys|for (that|this|the help|your help|everything)))*$/;
const agreeing =
  /^((ok|okay|yes|yep|yeah|no|nope|sorry|cool|nice|great|good|perfect|awesome|lol|sure|right|fine|done deal|got it|good bot|never ?mind|nvm|all good|well done|noted)( (ok|okay|yes|no|cool|great|good|muster|all|then|sorry))*)$/;

/** The answer to a line that is nothing but small talk, in mrkdwn; undefined for every other line. */
export function replyTo(line: string): string | undefined {
  const words = line
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/:[a-z0-9_+-]+:|[^\p{L}\p{N}\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (thanking.test(words)) return 'You’re welcome.';
  if (greeting.test(words)) return 'Hi! `/incident help` shows what you can do here.';
  return agreeing.test(words) ? 'OK.' : undefined;
}
