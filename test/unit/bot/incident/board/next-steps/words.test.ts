import { expect, test } from 'vitest';
import type { NextSteps } from '../../../../../../src/bot/incident/board/next-steps/store.ts';
import { nextWords, notYetWords } from '../../../../../../src/bot/incident/board/next-steps/words.ts';
import { Incident } from '../../../../../../src/contract/incidents.ts';
import { mistakeLabel } from '../../../../../../src/contract/mistakes.ts';

const at = new Date('2026-11-27T12:15:00Z');
const usual: NextSteps = {
  ...{ resolution: '', isSilent: false, begunAt: at, ts: '', shown: '', problem: '' },
  ...{ archiveAt: undefined, archivedAt: undefined, dueAt: undefined, isWarned: false, isArchiving: false },
  talkedAt: new Date(0),
};

interface Case {
  readonly open?: number;
  readonly isUnrated?: boolean;
  readonly isMistake?: boolean;
  readonly hasNoTimes?: boolean;
  readonly archiveAt?: Date;
  readonly archivedAt?: Date;
  readonly isWarned?: boolean;
  readonly problem?: string;
  readonly subject?: string;
}

/** The text as somebody in UTC reads it. */
function said(given: Case): string {
  const {
    open = 0,
    isUnrated = false,
    isMistake = false,
    hasNoTimes = false,
    archiveAt,
    subject = '',
    ...steps
  } = given;
  const incident = Incident.parse({
    ...{ incidentID: '7', title: 'x', severity: 'major', status: 'resolved', isDrill: isMistake },
    ...(hasNoTimes ? {} : { incidentStart: '2026-11-20T12:15:00Z', incidentEnd: '2026-11-20T12:47:00Z' }),
    labels: isMistake ? [{ label: mistakeLabel }] : [],
    taskList: { tasks: [], todoCount: open, doneCount: 0 },
  });
  const { text } = nextWords({ incident, archiveAt, mayArchive: true, isUnrated, subject }, { ...usual, ...steps }, []);
  return text
    .replaceAll('*', '')
    .replaceAll(/<!date\^(\d+)\^(\S+)[^>]*>/g, (_, seconds, format) =>
      new Date(Number(seconds) * 1000)
        .toISOString()
        .slice(format === '{time}' || format.startsWith('{time}') ? 11 : 5, 16),
    );
}

const times = 'check the times (11-20T12:15–12:47)';

test.each<readonly [string, Case, string]>([
  ['nothing but the times', {}, `What comes next: ${times}`],
  ['a task', { open: 1 }, `What comes next: close 1 open task · ${times}`],
  ['several tasks', { open: 12 }, `What comes next: close 12 open tasks · ${times}`],
  ['no severity', { isUnrated: true }, `What comes next: set the severity · ${times}`],
  [
    'all of it',
    { open: 2, isUnrated: true, archiveAt: at },
    `What comes next: close 2 open tasks · set the severity · ${times} · archives 11-27T12:15`,
  ],
  ['archived', { archivedAt: at }, `What comes next: ${times} · archived 11-27T12:15`],
  ['archived, and due before', { archivedAt: at, archiveAt: at }, `What comes next: ${times} · archived 11-27T12:15`],
  ['the warning', { isWarned: true, archiveAt: at }, ':warning: This channel archives 11-27T12:15'],
  [
    'the warning, with a task',
    { isWarned: true, archiveAt: at, open: 1 },
    ':warning: This channel archives 11-27T12:15 · close 1 open task',
  ],
  ['without times', { hasNoTimes: true }, 'What comes next: nothing is left to do here.'],
  ['a mistake', { isMistake: true, open: 3, isUnrated: true }, 'What comes next: nothing is left to do here.'],
  ['a mistake that is archived', { isMistake: true, archiveAt: at }, 'What comes next: archives 11-27T12:15'],
  ['one of several', { subject: 'Incident 7: ' }, `Incident 7: What comes next: ${times}`],
  [
    'not archived',
    { problem: 'Slack refused it.' },
    `What comes next: ${times}\n:warning: I could not archive this channel: Slack refused it.`,
  ],
])('what comes next is one line of short parts: %s', (_name, given, words) => {
  expect(said(given)).toBe(words);
});

test('once it is open again, nothing comes next', () => {
  expect(notYetWords('').text).toBe('*What comes next:* nothing yet, since the incident is open again.');
});
