import { trimEnd } from '../../trim-end.ts';
import type { VerbShape } from './verb.ts';
import { umbrella, type Vocabulary } from './words.ts';

/*
 * The phrases that are no command and have an answer all the same: words of other bots, questions, and small talk.
 */

/**
 * A phrase as it is heard, its answer, and the commands that are offered in its place: `task done`, `task edit if number`,
 * `role assign: me commander if nothing`.
 */
type Row<T> = readonly [heard: T, answer: string, ...offers: readonly string[]];

/**
 * Words of Grafana, incident.io, Rootly, FireHydrant, PagerDuty, Datadog, Opsgenie and the open ones (docs/decisions.md, Command
 * words), with the answer in mrkdwn. They are compared as the grammar compares words: lower case, without hyphens. A row that begins with a
 * noun and a colon is for words behind that noun.
 */
const otherBots: readonly Row<string>[] = [
  [
    'update post say brief updates',
    'Nothing was posted: an update goes to everybody who follows the incident.',
    'incident update',
  ],
  [
    'announce broadcast',
    'An update goes to everybody who follows the incident: `/incident update …` posts one.',
    'note add if text',
  ],
  [
    'edit modify change set',
    'One form corrects all of an incident: its title, severity, summary, times and labels.',
    'task edit if number',
    'incident edit',
  ],
  ['delete destroy purge', 'Incidents cannot be deleted.', 'task delete if text'],
  [
    'void dismiss decline',
    'Was it declared by mistake? `/incident cancel …` ends it, and leaves it out of the figures.',
    'incident status',
    'note add if text',
  ],
  ['done fixed', 'Is the whole incident over, or one of its tasks?', 'task done if text', 'incident resolve'],
  [
    'unarchive',
    'Muster cannot bring a channel back: the settings of the channel in Slack do. The incident stays on record.',
    'incident list',
  ],
  [
    'handover handoff transfer owner reassign',
    'Command of an incident is handed over to the next person.',
    'role handover',
  ],
  [
    'escalate page',
    'To call people here, to page them, or to raise the severity?',
    'incident call',
    'incident page',
    'incident severity',
  ],
  [
    'cover override',
    'Muster calls groups of Slack’s: who is in one is changed in Slack.',
    'incident oncall',
    'role list',
  ],
  [
    'ack acknowledge acknowledged acked unack',
    'Muster acknowledges no alerts: the tool that sends them does. When you take command, everybody sees that you are on it.',
    'role assign: me commander if nothing',
  ],
  [
    'ask',
    'The status shows what it is about, people, open tasks and the latest of the timeline.',
    'incident status',
    'note add if text',
  ],
  [
    'retro retrospective postmortem pm rca review doc',
    'Muster writes no postmortems. The record of the incident has people, tasks and timeline, as a file.',
    'incident record',
    'note list',
  ],
  ['events activity history feed', 'The timeline shows notes and changes.', 'incident timeline', 'note add if text'],
  [
    'subscribe unsubscribe follow unfollow watch join',
    'To follow an incident, join its channel: the list names it.',
    'incident list',
    'role assign',
  ],
  [
    'leave unjoin quit',
    'Leave a channel with Slack’s `/leave`. A role stays yours until you give it up.',
    'role leave',
    'role list',
  ],
  [
    'invite adduser escalateto summon ping',
    '`/incident call …` brings people in and asks each whether they come. Slack’s `/invite` brings them in without a question.',
    'role assign',
  ],
  [
    'notify inform tell contact alarm',
    'Nobody was told or called. `/incident update …` tells everybody who follows, `/incident call …` asks people here, and `/incident page …` wakes them.',
    'note add if text',
  ],
  [
    'runbook runbooks workflow workflows playbook playbooks checklist run',
    'Muster runs no workflows. Tasks hold the steps of an incident.',
    'task list',
  ],
  [
    'statuspage statuspages publish stakeholders comms',
    'Muster publishes nothing outside Slack and its own pages.',
    'note add if text',
    'incident status',
  ],
  [
    'private public restrict unrestrict',
    'An incident is private from its start: `/incident declare … --private`. Slack’s settings change a channel later.',
    'incident list',
  ],
  [
    'pause snooze mute unmute silence',
    '*Mute 1 h* below an alert that Muster offers silences it here. *Snooze* and *Stop* stand below each reminder.',
    'incident reminders',
    'incident alerts',
  ],
  [
    'test tutorial practice simulate',
    'An incident for practice is a drill: add `--drill`, or tick the box in the form.',
    'incident declare',
  ],
  [
    'createresolved backfill retroactive',
    'Declare an incident that is already over with `--resolved`, or tick the box in the form.',
    'incident declare',
  ],
  [
    'merge related relate parent child',
    'Muster does not join incidents. A note can name the other one.',
    'note add if text',
    'incident list',
  ],
  [
    'impact service services environment functionality component customfield field type',
    'Muster has no such field. A label or a note can say it.',
    'incident label if text',
    'note add if text',
  ],
  [
    'downgrade upgrade p1 p2 p3 p4 p5 sev1 sev2 sev3 sev4 sev5',
    'The severity says how bad it is.',
    'incident severity',
  ],
  [
    'triage accept investigating identified fixing stage phase stable stabilized stabilised monitoring',
    'An incident is active or resolved here, with no stages in between. `/incident update …` says how far you are.',
    'note add if text',
    'incident status',
  ],
  [
    'talk zoom meet meeting bridge huddle conference video',
    'Muster opens no calls. A note keeps the address of one.',
    'note add if text',
  ],
  [
    'undo revert redo',
    'Undo is a button under what you did. A task that is done can be opened again.',
    'task reopen if text',
  ],
  [
    'support catalog switch settings setup configure config integrations connect login stacks setstack',
    'There is nothing to set in Slack: your Muster administrator sets it up.',
    'incident list',
  ],
  ['link url dashboard', '`/dash link` links a dashboard or any other page.', 'dash link if text', 'note add if text'],
  ['channel room home', 'The list names the channel of each incident.', 'incident list'],
  [
    'please pls thanks thank thx hi hello hey ok okay yes no sorry cool',
    'I found no command in that, so nothing was changed.',
    'note add if text',
  ],

  ['task: update change modify rename', 'A task’s text is changed by its number.', 'task edit if number'],
  ['task: cancel archive remove drop', 'A task is deleted by its number or some of its words.', 'task delete if text'],
  ['task: check tick', 'Is a task done, or is this a new one?', 'task done if thing'],
  ['task: ack acknowledge progress', 'A task that somebody works on is marked as in progress.', 'task start if text'],
  [
    'task: handover handoff transfer reassign owner',
    'A task is given to a person by its number.',
    'task assign if number',
  ],
  ['role: edit update change join handle', 'Roles are given with `/role assign @bob commander`.', 'role assign'],
  [
    'note: edit update change modify delete remove drop undo search find',
    'Each note in the list has buttons that change and remove it.',
    'note list',
  ],
  [
    'dash: all folders search find',
    '`/dash link` alone lists the dashboards. Any of them is found by its title, its uid or its address.',
    'dash recent',
  ],
  [
    'dash: open see render preview picture snapshot',
    'Muster does not draw dashboards in Slack. It says what a dashboard is, and links it.',
    'dash show if text',
    'dash link if text',
  ],
  ['dash: remove drop', 'A dashboard is deleted by its uid, after a question.', 'dash delete if text'],
  ['dash: edit update star rename move', 'That is done in the browser. Nothing was changed.', 'dash show if text'],
];

/** Words of `generalWords` that are nothing else under any noun: no name of a role, no uid of a dashboard. */
const underAnyNoun = [
  ...['handover', 'handoff', 'transfer', 'cancel', 'archive', 'page', 'retro', 'postmortem'],
  ...['escalate', 'ack', 'acknowledge', 'subscribe', 'join', 'leave', 'update', 'edit', 'invite'],
];

/** A command that is offered for a word of another bot. */
export interface Offer {
  readonly noun: string;
  readonly verb: string;
  /** Text that the word implies: `ack` offers to assign `me commander`. */
  readonly instead: string | undefined;
  /** Offered only when something, something without a person, a number, or nothing follows the word. */
  readonly when: 'text' | 'thing' | 'number' | 'nothing' | undefined;
}

function toOffer(row: string): Offer {
  const [, noun = '', verb = '', instead, when] = /^(\w+) (\w+)(?:: (.+?))?(?: if (\w+))?$/.exec(row) ?? [];
  return { noun, verb, instead, when: when as Offer['when'] };
}

/** Every row, by its noun and each of its words. */
const byWord = new Map(
  otherBots.flatMap(row => {
    const [, noun = '', words = ''] = /^(?:(\w+): )?(.*)$/.exec(row[0]) ?? [];
    return words.split(' ').map(word => [`${noun} ${word}`, row] as const);
  }),
);

/**
 * The answer to a word of another bot under a noun, in mrkdwn, and the commands that are offered in its place; undefined when it is no such word.
 * Tasks and notes may be any words.
 */
export function wordsOfOtherBots(noun: string | undefined, word: string) {
  const isOpen = noun === undefined || noun === umbrella || underAnyNoun.includes(word);
  const general = isOpen && noun !== 'task' && noun !== 'note' ? byWord.get(` ${word}`) : undefined;
  const [, says, ...offers] = byWord.get(`${noun} ${word}`) ?? general ?? [];
  return says === undefined ? undefined : { says, offers: offers.map(toOffer) };
}

/** Words around a question that ask nothing. */
const lead = /^(?:(?:hey|hi|hello|ok|okay|so|and|but|um|well|please|pls|just|quick question|sorry)\b[,:]? )+/;
const tail =
  /(?:,? (?:please|pls|thanks|thank you|right now|now|currently|at the moment|here|today|so far|already|yet|guys|folks|all|everyone|everybody|again|then|(?:in|on|of|for|about) it))+$/;

const it = '(?:it|this|that|we|things|everything|(?:the |this |our )?(?:incident|outage|issue|problem))';
/** These words one by one, for a run of words: each text is read in one way alone. */
const its = '(?:it|this|that|we|things|everything|incident|outage|issue|problem)';
const be = "(?:'s| is| are| was|s)";

/** Questions as people ask them, each a whole line, and the command that shows the answer: a noun alone, or with a verb of it that only reads. */
const questions: readonly Row<RegExp>[] = [
  [/^(?:who|whos|what|which|when|is|are|any|anyone|anybody)\b.* on(?:[- ]?call| duty)\b/, 'incident oncall'],
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
  [/^what(?:'s| has| have| did)? ?(?:we |they |you )?(?:happened|tried|done|changed|try|do)$/, 'incident timeline'],
  [
    /^(?:what|which|any|are there any|are there|how many)(?: (?:are|is))?(?: the)?(?: (?:other|open|active|current|ongoing|recent))* incidents(?: (?:are|is))?(?: (?:there|open|active|ongoing|running|right|on|do we have))*$/,
    'incident list',
  ],
  [
    new RegExp(
      `^(?:(?:what|how|where)(?:${be}| about)? )?(?:the |our |its |your |any |current |latest |next )*(?:status|state|situation|severity|impact|news|latest|progress|eta|updates?)(?: report| update)?(?: (?:of|on|for|with) [^ ]+(?: [^ ]+)?)?$`,
    ),
    'incident',
  ],
  [
    /^(?:any|is there any|are there any|do we have any|do we have an) (?:news|updates?|progress|eta|change|changes)$/,
    'incident',
  ],
  [
    new RegExp(
      `^(?:what|which|any|(?:are|is) (?:there )?(?:any|an)|are there|are|is|has|have|did|do we have(?: any| an)?|how many)(?: (?:are|is))?(?: (?:the|our|its|more|other|all|active|open|firing|new|any))* alerts?(?: (?:are|is|does|do|did|has|have|the|our|${its}|for|of|on|in|belong|belongs|belonging|to|there|still|all|been|active|open|over|fire|fires|fired|firing|end|ended|stop|stopped|gone|resolved))*$`,
    ),
    'incident alerts',
  ],
  [/^(?:what|what's|whats|what is) (?:still )?(?:fires|firing|alerting)$/, 'incident alerts'],
  [new RegExp(`^what(?:${be})? (?:going on|happening|up|wrong|down|broken|${it}(?: about)?)$`), 'incident'],
  [
    new RegExp(
      `^how (?:bad|long|old|severe|serious|far|much longer)(?: (?:is|are|has|have|did|was|does|been|be|last|lasted|lasting|take|taken|taking|going|down|on|running|active|open|will|ago|the|our|${its}))*$`,
    ),
    'incident',
  ],
  [new RegExp(`^how(?:${be})? (?:${it})(?: (?:going|looking|doing|stand|standing))?$`), 'incident'],
  [/^how (?:does it|do we|do things) (?:stand|look)$/, 'incident'],
  [
    new RegExp(
      `^(?:since )?when(?:${be}| did| does| will| has)?(?: (?:the |our )?(?:next )?(?:update|${it}))?(?: (?:be|been|start|started|begin|began|begun|declared|due|over|end|ended|fixed|resolved|back|coming|come|expected|going on|down))*$`,
    ),
    'incident',
  ],
  [
    new RegExp(
      `^(?:is|are|was|were|has|did) ${it}(?: (?:still|all|been|now))*(?: (?:over|fixed|resolved|solved|mitigated|done|down|ongoing|active|open|back|up|better|ok|okay|fine|happening|going on|end|ended|in progress))+$`,
    ),
    'incident',
  ],
  [/^where (?:are|do|does) (?:we|it|things)(?: (?:at|stand))?$/, 'incident'],
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
  const topic = questions.find(([asked]) => asked.test(question) || asked.test(words));
  if (topic === undefined) return undefined;
  const [noun = '', verb] = topic[1].split(' ');
  const shape = verb === undefined ? vocabulary.bareVerb(noun) : vocabulary.verbIn(noun, verb)?.shape;
  return shape?.reads ? shape : undefined;
}

/** Small talk that is a whole line, without signs. */
const smallTalk: readonly Row<RegExp>[] = [
  [
    /^((ok|okay|great|cool|nice|perfect|many|awesome|lovely|super) )*(thanks|thank you|thx|ty|cheers|thankyou)( (a lot|a bunch|so much|very much|you|muster|all|again|team|everyone|everybody|folks|guys|for (that|this|the help|your help|everything)))*$/,
    'You’re welcome.',
  ],
  [
    /^(hi|hello|hey|hiya|yo|howdy|good (morning|afternoon|evening|day|night)|morning)( (there|all|muster|team|folks|everyone|everybody|again))*$/,
    'Hi! `/incident help` shows what you can do here.',
  ],
  [
    /^((ok|okay|yes|yep|yeah|no|nope|sorry|cool|nice|great|good|perfect|awesome|lol|sure|right|fine|done deal|got it|good bot|never ?mind|nvm|all good|well done|noted)( (ok|okay|yes|no|cool|great|good|muster|all|then|sorry))*)$/,
    'OK.',
  ],
];

/** The answer to a line that is nothing but small talk, in mrkdwn; undefined for every other line. */
export function replyTo(line: string): string | undefined {
  const words = line
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/:[a-z0-9_+-]+:|[^\p{L}\p{N}\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return smallTalk.find(([heard]) => heard.test(words))?.[1];
}
