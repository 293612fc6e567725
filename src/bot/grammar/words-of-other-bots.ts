import { type Elsewhere, generalWords, type Offer } from './other-bots.ts';
import { umbrella } from './vocabulary.ts';

const giveRole: Offer = { noun: 'role', verb: 'assign' };
const notes: Offer = { noun: 'note', verb: 'list' };
const recent: Offer = { noun: 'dash', verb: 'recent' };
const link: Offer = { noun: 'dash', verb: 'link', keeps: true, when: 'text' };

/** Words that mean something else under one noun. */
const byNoun: Readonly<Record<string, readonly Elsewhere[]>> = {
  task: [
    {
      words: ['update', 'change', 'modify', 'rename'],
      says: 'A task’s text is changed by its number.',
      offers: [{ noun: 'task', verb: 'edit', keeps: true, when: 'number' }],
    },
    {
      words: ['cancel', 'archive', 'remove', 'drop'],
      says: 'A task is deleted by its number or some of its words.',
      offers: [{ noun: 'task', verb: 'delete', keeps: true, when: 'text' }],
    },
    {
      words: ['check', 'tick'],
      says: 'Is a task done, or is this a new one?',
      offers: [{ noun: 'task', verb: 'done', keeps: true, when: 'text' }],
    },
    {
      words: ['ack', 'acknowledge', 'progress'],
      says: 'A task that somebody works on is marked as in progress.',
      offers: [{ noun: 'task', verb: 'start', keeps: true, when: 'text' }],
    },
    {
      words: ['handover', 'handoff', 'transfer', 'reassign', 'owner'],
      says: 'A task is given to a person by its number.',
      offers: [{ noun: 'task', verb: 'assign', keeps: true, when: 'number' }],
    },
  ],
  role: [
    {
      words: ['edit', 'update', 'change', 'join', 'handle'],
      says: 'Roles are given with `/role assign @bob commander`.',
      offers: [{ ...giveRole, keeps: true }],
    },
  ],
  note: [
    {
      words: ['edit', 'update', 'change', 'modify', 'delete', 'remove', 'drop', 'undo', 'search', 'find'],
      says: 'Each note in the list has buttons that change and remove it.',
      offers: [notes],
    },
  ],
  dash: [
    {
      words: ['all', 'folders', 'search', 'find'],
      says: '`/dash link` alone lists the dashboards. Any of them is found by its title, its uid or its address.',
      offers: [recent],
    },
    {
      words: ['open', 'see', 'render', 'preview', 'picture', 'snapshot'],
      says: 'Muster does not draw dashboards in Slack. It says what a dashboard is, and links it.',
      offers: [{ noun: 'dash', verb: 'show', keeps: true, when: 'text' }, link],
    },
    {
      words: ['remove', 'drop'],
      says: 'A dashboard is deleted by its uid, after a question.',
      offers: [{ noun: 'dash', verb: 'delete', keeps: true, when: 'text' }],
    },
    {
      words: ['edit', 'update', 'star', 'rename', 'move'],
      says: 'That is done in the browser. Nothing was changed.',
      offers: [{ noun: 'dash', verb: 'show', keeps: true, when: 'text' }],
    },
  ],
};

/** Words of `generalWords` that are nothing else under any noun: no name of a role, no uid of a dashboard. */
const underAnyNoun = [
  ...['handover', 'handoff', 'transfer', 'cancel', 'archive', 'page', 'retro', 'postmortem'],
  ...['escalate', 'ack', 'acknowledge', 'subscribe', 'join', 'leave', 'update', 'edit', 'invite'],
];

/** What Muster says to a word of another bot under a noun; undefined when it is no such word. Tasks and notes may be any words. */
export function wordsOfOtherBots(noun: string | undefined, word: string): Elsewhere | undefined {
  const has = (each: Elsewhere) => each.words.includes(word);
  const own = noun === undefined ? undefined : byNoun[noun]?.find(has);
  if (own !== undefined || noun === 'task' || noun === 'note') return own;
  const isOpen = noun === undefined || noun === umbrella || underAnyNoun.includes(word);
  return isOpen ? generalWords.find(has) : undefined;
}
