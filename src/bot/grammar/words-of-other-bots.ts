import { umbrella } from './words.ts';

/** A command that is offered for a word of another bot. */
export interface Offer {
  readonly noun: string;
  readonly verb: string;
  /** Text that the word implies: `ack` offers to assign `me commander`. */
  readonly instead?: string;
  /** Offered only when something, something without a person, a number, or nothing follows the word. */
  readonly when?: 'text' | 'thing' | 'number' | 'nothing';
}

/** Words that other bots know and Muster does not, its answer to them in mrkdwn, and the commands that it offers in their place. */
type Row = readonly [words: string, says: string, ...offers: readonly Offer[]];

const status: Offer = { noun: 'incident', verb: 'status' };
const incidents: Offer = { noun: 'incident', verb: 'list' };
const declare: Offer = { noun: 'incident', verb: 'declare' };
const resolve: Offer = { noun: 'incident', verb: 'resolve' };
const asNote: Offer = { noun: 'note', verb: 'add', when: 'text' };
const asUpdate: Offer = { noun: 'incident', verb: 'update' };
const notes: Offer = { noun: 'note', verb: 'list' };
const timeline: Offer = { noun: 'incident', verb: 'timeline' };
const roles: Offer = { noun: 'role', verb: 'list' };
const giveRole: Offer = { noun: 'role', verb: 'assign' };
const handOver: Offer = { noun: 'role', verb: 'handover' };
const severity: Offer = { noun: 'incident', verb: 'severity' };
const record: Offer = { noun: 'incident', verb: 'record' };
const alerts: Offer = { noun: 'incident', verb: 'alerts' };
const reminders: Offer = { noun: 'incident', verb: 'reminders' };
const tasks: Offer = { noun: 'task', verb: 'list' };
const call: Offer = { noun: 'incident', verb: 'call' };
const page: Offer = { noun: 'incident', verb: 'page' };
const doneTask: Offer = { noun: 'task', verb: 'done', when: 'text' };
const editTask: Offer = { noun: 'task', verb: 'edit', when: 'number' };
const deleteTask: Offer = { noun: 'task', verb: 'delete', when: 'text' };
const recent: Offer = { noun: 'dash', verb: 'recent' };
const link: Offer = { noun: 'dash', verb: 'link', when: 'text' };
const show: Offer = { noun: 'dash', verb: 'show', when: 'text' };

/**
 * Words of Grafana, incident.io, Rootly, FireHydrant, PagerDuty, Datadog, Opsgenie and the open ones (docs/decisions.md, Command
 * words). They are compared as the grammar compares words: lower case, without hyphens.
 */
const generalWords: readonly Row[] = [
  [
    'update post say brief updates',
    'Nothing was posted: an update goes to everybody who follows the incident.',
    asUpdate,
  ],
  [
    'announce broadcast',
    'An update goes to everybody who follows the incident: `/incident update …` posts one.',
    asNote,
  ],
  [
    'edit modify change set',
    'Each part of an incident has a command: `/incident title`, `severity`, `label`, `started`, `ended`.',
    editTask,
    { noun: 'incident', verb: 'title' },
    severity,
  ],
  ['delete destroy purge', 'Incidents cannot be deleted.', deleteTask],
  [
    'void dismiss decline',
    'Was it declared by mistake? `/incident cancel …` ends it, and leaves it out of the figures.',
    status,
    asNote,
  ],
  ['done fixed', 'Is the whole incident over, or one of its tasks?', doneTask, resolve],
  [
    'unarchive',
    'Muster cannot bring a channel back: the settings of the channel in Slack do. The incident stays on record.',
    incidents,
  ],
  ['handover handoff transfer owner reassign', 'Command of an incident is handed over to the next person.', handOver],
  ['escalate page', 'To call people here, to page them, or to raise the severity?', call, page, severity],
  [
    'cover override',
    'Muster calls groups of Slack’s: who is in one is changed in Slack.',
    { noun: 'incident', verb: 'oncall' },
    roles,
  ],
  [
    'ack acknowledge acknowledged acked unack',
    'Muster acknowledges no alerts: the tool that sends them does. When you take command, everybody sees that you are on it.',
    { ...giveRole, instead: 'me commander', when: 'nothing' },
  ],
  ['ask', 'The status shows what it is about, people, open tasks and the latest of the timeline.', status, asNote],
  [
    'retro retrospective postmortem pm rca review doc',
    'Muster writes no postmortems. The record of the incident has people, tasks and timeline, as a file.',
    record,
    notes,
  ],
  ['events activity history feed', 'The timeline shows notes and changes.', timeline, asNote],
  [
    'subscribe unsubscribe follow unfollow watch join',
    'To follow an incident, join its channel: the list names it.',
    incidents,
    giveRole,
  ],
  [
    'leave unjoin quit',
    'Leave a channel with Slack’s `/leave`. A role stays yours until you give it up.',
    { noun: 'role', verb: 'leave' },
    roles,
  ],
  [
    'invite adduser escalateto summon ping',
    '`/incident call …` brings people in and asks each whether they come. Slack’s `/invite` brings them in without a question.',
    giveRole,
  ],
  [
    'notify inform tell contact alarm',
    'Nobody was told or called. `/incident update …` tells everybody who follows, `/incident call …` asks people here, and `/incident page …` wakes them.',
    asNote,
  ],
  [
    'runbook runbooks workflow workflows playbook playbooks checklist run',
    'Muster runs no workflows. Tasks hold the steps of an incident.',
    tasks,
  ],
  [
    'statuspage statuspages publish stakeholders comms',
    'Muster publishes nothing outside Slack and its own pages.',
    asNote,
    status,
  ],
  [
    'private public restrict unrestrict',
    'An incident is private from its start: `/incident declare … --private`. Slack’s settings change a channel later.',
    incidents,
  ],
  [
    'pause snooze mute unmute silence',
    '*Mute 1 h* below an alert that Muster offers silences it here. *Snooze* and *Stop* stand below each reminder.',
    reminders,
    alerts,
  ],
  [
    'test tutorial practice simulate',
    'An incident for practice is a drill: add `--drill`, or tick the box in the form.',
    declare,
  ],
  [
    'createresolved backfill retroactive',
    'Declare an incident that is already over with `--resolved`, or tick the box in the form.',
    declare,
  ],
  [
    'merge related relate parent child',
    'Muster does not join incidents. A note can name the other one.',
    asNote,
    incidents,
  ],
  [
    'impact service services environment functionality component customfield field type',
    'Muster has no such field. A label or a note can say it.',
    { noun: 'incident', verb: 'label', when: 'text' },
    asNote,
  ],
  ['downgrade upgrade p1 p2 p3 p4 p5 sev1 sev2 sev3 sev4 sev5', 'The severity says how bad it is.', severity],
  [
    'triage accept investigating identified fixing stage phase stable stabilized stabilised monitoring',
    'An incident is active or resolved here, with no stages in between. `/incident update …` says how far you are.',
    asNote,
    status,
  ],
  [
    'talk zoom meet meeting bridge huddle conference video',
    'Muster opens no calls. A note keeps the address of one.',
    asNote,
  ],
  [
    'undo revert redo',
    'Undo is a button under what you did. A task that is done can be opened again.',
    { noun: 'task', verb: 'reopen', when: 'text' },
  ],
  [
    'support catalog switch settings setup configure config integrations connect login stacks setstack',
    'There is nothing to set in Slack: your Muster administrator sets it up.',
    incidents,
  ],
  ['link url dashboard', '`/dash link` links a dashboard or any other page.', link, asNote],
  ['channel room home', 'The list names the channel of each incident.', incidents],
  [
    'please pls thanks thank thx hi hello hey ok okay yes no sorry cool',
    'I found no command in that, so nothing was changed.',
    asNote,
  ],
];

/** Words that mean something else under one noun. */
const byNoun: Readonly<Record<string, readonly Row[]>> = {
  task: [
    ['update change modify rename', 'A task’s text is changed by its number.', editTask],
    ['cancel archive remove drop', 'A task is deleted by its number or some of its words.', deleteTask],
    ['check tick', 'Is a task done, or is this a new one?', { ...doneTask, when: 'thing' }],
    [
      'ack acknowledge progress',
      'A task that somebody works on is marked as in progress.',
      { noun: 'task', verb: 'start', when: 'text' },
    ],
    [
      'handover handoff transfer reassign owner',
      'A task is given to a person by its number.',
      { noun: 'task', verb: 'assign', when: 'number' },
    ],
  ],
  role: [['edit update change join handle', 'Roles are given with `/role assign @bob commander`.', giveRole]],
  note: [
    [
      'edit update change modify delete remove drop undo search find',
      'Each note in the list has buttons that change and remove it.',
      notes,
    ],
  ],
  dash: [
    [
      'all folders search find',
      '`/dash link` alone lists the dashboards. Any of them is found by its title, its uid or its address.',
      recent,
    ],
    [
      'open see render preview picture snapshot',
      'Muster does not draw dashboards in Slack. It says what a dashboard is, and links it.',
      show,
      link,
    ],
    [
      'remove drop',
      'A dashboard is deleted by its uid, after a question.',
      { noun: 'dash', verb: 'delete', when: 'text' },
    ],
    ['edit update star rename move', 'That is done in the browser. Nothing was changed.', show],
  ],
};

/** Words of `generalWords` that are nothing else under any noun: no name of a role, no uid of a dashboard. */
const underAnyNoun = [
  ...['handover', 'handoff', 'transfer', 'cancel', 'archive', 'page', 'retro', 'postmortem'],
  ...['escalate', 'ack', 'acknowledge', 'subscribe', 'join', 'leave', 'update', 'edit', 'invite'],
];

/**
 * The answer to a word of another bot under a noun, in mrkdwn, and the commands that are offered in its place; undefined when it is no such word.
 * Tasks and notes may be any words.
 */
export function wordsOfOtherBots(noun: string | undefined, word: string) {
  const find = (rows: readonly Row[] = []) => rows.find(([words]) => words.split(' ').includes(word));
  const own = noun === undefined ? undefined : find(byNoun[noun]);
  const isOpen = noun === undefined || noun === umbrella || underAnyNoun.includes(word);
  const row = own ?? (isOpen && noun !== 'task' && noun !== 'note' ? find(generalWords) : undefined);
  if (row === undefined) return undefined;
  const [, says, ...offers] = row;
  return { says, offers };
}
