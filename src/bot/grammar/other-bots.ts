/** A command that is offered for a word of another bot. */
export interface Offer {
  readonly noun: string;
  readonly verb: string;
  /** Text that the word implies: `ack` offers to assign `me commander`. */
  readonly instead?: string;
  /** Whether it takes what followed the word. */
  readonly keeps?: boolean;
  /** Offered only when something, a number, or nothing follows the word. */
  readonly when?: 'text' | 'number' | 'nothing';
}

/** What Muster says to a word that other bots know and it does not, in mrkdwn, and what it offers in its place. */
export interface Elsewhere {
  readonly words: readonly string[];
  readonly says: string;
  readonly offers: readonly Offer[];
}

const status: Offer = { noun: 'incident', verb: 'status' };
const incidents: Offer = { noun: 'incident', verb: 'list' };
const declare: Offer = { noun: 'incident', verb: 'declare', keeps: true };
const resolve: Offer = { noun: 'incident', verb: 'resolve' };
const asNote: Offer = { noun: 'note', verb: 'add', keeps: true, when: 'text' };
const asUpdate: Offer = { noun: 'incident', verb: 'update', keeps: true };
const notes: Offer = { noun: 'note', verb: 'list' };
const timeline: Offer = { noun: 'incident', verb: 'timeline' };
const roles: Offer = { noun: 'role', verb: 'list' };
const giveRole: Offer = { noun: 'role', verb: 'assign' };
const handOver: Offer = { noun: 'role', verb: 'handover', keeps: true };
const severity: Offer = { noun: 'incident', verb: 'severity' };
const record: Offer = { noun: 'incident', verb: 'record' };
const alerts: Offer = { noun: 'incident', verb: 'alerts' };
const reminders: Offer = { noun: 'incident', verb: 'reminders' };
const tasks: Offer = { noun: 'task', verb: 'list' };
const call: Offer = { noun: 'incident', verb: 'call', keeps: true };
const page: Offer = { noun: 'incident', verb: 'page', keeps: true };

/**
 * Words of Grafana, incident.io, Rootly, FireHydrant, PagerDuty, Datadog, Opsgenie and the open ones (docs/decisions.md, Command
 * words). They are compared as the grammar compares words: lower case, without hyphens.
 */
export const generalWords: readonly Elsewhere[] = [
  {
    words: ['update', 'post', 'say', 'brief', 'updates', 'broadcast', 'announce'],
    says: 'An update goes to everybody who follows the incident.',
    offers: [asUpdate],
  },
  {
    words: ['edit', 'modify', 'change', 'set'],
    says: 'Each part of an incident has a command: `/incident title`, `severity`, `label`, `started`, `ended`.',
    offers: [
      { noun: 'task', verb: 'edit', keeps: true, when: 'number' },
      { noun: 'incident', verb: 'title' },
      severity,
    ],
  },
  {
    words: ['delete', 'destroy', 'purge'],
    says: 'Incidents cannot be deleted.',
    offers: [
      { noun: 'task', verb: 'delete', keeps: true, when: 'text' },
      { noun: 'incident', verb: 'cancel', when: 'nothing' },
    ],
  },
  {
    words: ['void', 'dismiss', 'decline'],
    says: 'Was it declared by mistake? Then it is left out of the figures.',
    offers: [{ noun: 'incident', verb: 'cancel', keeps: true }],
  },
  {
    words: ['done', 'fixed', 'over', 'complete', 'completed'],
    says: 'Is the whole incident over, or one of its tasks?',
    offers: [
      { noun: 'task', verb: 'done', keeps: true, when: 'text' },
      { ...resolve, keeps: true },
    ],
  },
  {
    words: ['unarchive'],
    says: 'Muster cannot bring a channel back: the settings of the channel in Slack do. The incident stays on record.',
    offers: [incidents],
  },
  {
    words: ['handover', 'handoff', 'transfer', 'owner', 'reassign'],
    says: 'Command of an incident is handed over to the next person.',
    offers: [handOver],
  },
  {
    words: ['escalate', 'page'],
    says: 'To call people here, to page them, or to raise the severity?',
    offers: [call, page, severity],
  },
  {
    words: ['cover', 'override'],
    says: 'Muster calls groups of Slack’s: who is in one is changed in Slack.',
    offers: [{ noun: 'incident', verb: 'oncall' }, roles],
  },
  {
    words: ['ack', 'acknowledge', 'acknowledged', 'acked', 'unack'],
    says: 'Muster acknowledges no alerts: the tool that sends them does. When you take command, everybody sees that you are on it.',
    offers: [{ ...giveRole, instead: 'me commander' }],
  },
  {
    words: ['ask'],
    says: 'The status shows what it is about, people, open tasks and the latest of the timeline.',
    offers: [status, asNote],
  },
  {
    words: ['retro', 'retrospective', 'postmortem', 'pm', 'rca', 'review', 'doc'],
    says: 'Muster writes no postmortems. The record of the incident has people, tasks and timeline, as a file.',
    offers: [record, notes],
  },
  {
    words: ['events', 'activity', 'history', 'feed'],
    says: 'The timeline shows notes and changes.',
    offers: [timeline, asNote],
  },
  {
    words: ['subscribe', 'unsubscribe', 'follow', 'unfollow', 'watch', 'notify', 'join'],
    says: 'To follow an incident, join its channel: the list names it.',
    offers: [incidents, giveRole],
  },
  {
    words: ['leave', 'unjoin', 'quit'],
    says: 'Leave a channel with Slack’s `/leave`. A role stays yours until you give it up.',
    offers: [{ noun: 'role', verb: 'leave' }, roles],
  },
  {
    words: ['invite', 'adduser', 'escalateto'],
    says: 'A call brings people in and asks each whether they come. Slack’s `/invite` brings them in without a question.',
    offers: [call, { ...giveRole, keeps: true }],
  },
  {
    words: ['runbook', 'runbooks', 'workflow', 'workflows', 'playbook', 'playbooks', 'checklist', 'run'],
    says: 'Muster runs no workflows. Tasks hold the steps of an incident.',
    offers: [tasks],
  },
  {
    words: ['statuspage', 'statuspages', 'publish', 'stakeholders', 'comms'],
    says: 'Muster publishes nothing outside Slack and its own pages.',
    offers: [asNote, status],
  },
  {
    words: ['private', 'public', 'restrict', 'unrestrict'],
    says: 'An incident is private from its start: `/incident declare … --private`. Slack’s settings change a channel later.',
    offers: [incidents],
  },
  {
    words: ['pause', 'snooze', 'mute', 'unmute', 'silence'],
    says: '*Mute 1 h* below an alert that Muster offers silences it here. *Snooze* and *Stop* stand below each reminder.',
    offers: [reminders, alerts],
  },
  {
    words: ['test', 'tutorial', 'practice', 'simulate'],
    says: 'An incident for practice is a drill: add `--drill`, or tick the box in the form.',
    offers: [declare],
  },
  {
    words: ['createresolved', 'backfill', 'retroactive'],
    says: 'Declare an incident that is already over with `--resolved`, or tick the box in the form.',
    offers: [declare],
  },
  {
    words: ['merge', 'related', 'relate', 'parent', 'child'],
    says: 'Muster does not join incidents. A note can name the other one.',
    offers: [asNote, incidents],
  },
  {
    words: [
      'impact',
      'service',
      'services',
      'environment',
      'functionality',
      'component',
      'customfield',
      'field',
      'type',
    ],
    says: 'Muster has no such field. A label or a note can say it.',
    offers: [{ noun: 'incident', verb: 'label', keeps: true, when: 'text' }, asNote],
  },
  {
    words: ['downgrade', 'upgrade', 'p1', 'p2', 'p3', 'p4', 'p5', 'sev1', 'sev2', 'sev3', 'sev4', 'sev5'],
    says: 'The severity says how bad it is.',
    offers: [severity],
  },
  {
    words: ['triage', 'accept', 'investigating', 'identified', 'fixing', 'stage', 'phase'],
    says: 'An incident is active or resolved here, with no stages in between. An update says how far you are.',
    offers: [{ ...asUpdate, when: 'text' }, status],
  },
  {
    words: ['talk', 'zoom', 'meet', 'meeting', 'bridge', 'huddle', 'conference', 'video'],
    says: 'Muster opens no calls. A note keeps the address of one.',
    offers: [asNote],
  },
  {
    words: ['undo', 'revert', 'redo'],
    says: 'Undo is a button under what you did. A task that is done can be opened again.',
    offers: [{ noun: 'task', verb: 'reopen', keeps: true, when: 'text' }],
  },
  {
    words: [
      'support',
      'catalog',
      'switch',
      'settings',
      'setup',
      'configure',
      'config',
      'integrations',
      'connect',
      'login',
      'stacks',
      'setstack',
    ],
    says: 'There is nothing to set in Slack: your Muster administrator sets it up.',
    offers: [incidents],
  },
  {
    words: ['channel', 'room', 'link', 'url', 'home', 'dashboard'],
    says: 'The list names the channel of each incident. `/dash link` links a dashboard.',
    offers: [{ noun: 'dash', verb: 'link', keeps: true, when: 'text' }, incidents],
  },
  {
    words: [
      'please',
      'pls',
      'thanks',
      'thank',
      'thx',
      'hi',
      'hello',
      'hey',
      'ok',
      'okay',
      'yes',
      'no',
      'sorry',
      'cool',
    ],
    says: 'I found no command in that, so nothing was changed.',
    offers: [],
  },
];
