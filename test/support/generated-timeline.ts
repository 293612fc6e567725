import fc from 'fast-check';
import { type briefWords, findNews } from '../../src/bot/incident/catchup/read.ts';
import { ActivityItem, type ActivityKind } from '../../src/contract/activity.ts';
import { Incident } from '../../src/contract/incidents.ts';
import { readFormed } from '../../src/contract/note-forms.ts';

/** When the incident began, in epoch milliseconds. */
export const start = Date.parse('2026-11-20T00:00:00Z');
/** That many minutes after its beginning. */
export const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

/** One happening of a generated timeline: what the timeline says of it, and what a reader must find. */
export interface Happening {
  readonly kind: ActivityKind;
  readonly written: number;
  readonly spoken: number;
  readonly body: string;
  readonly source: string;
  readonly isImportant: boolean;
  readonly by: 'me' | 'others';
  readonly permalink: string;
  /** A task of the incident has this state. */
  readonly task: 'todo' | 'progress' | 'done';
}

/** Words that would break a message, mention people or look like Muster's own. */
const hostile = fc.constantFrom(
  'plain words',
  '<!channel> all of you',
  '<@U0123456789> look',
  '<!subteam^S123|@sre>',
  '*bold* _and_ ~gone~ `code`',
  '& < > "quoted" &amp;',
  '&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&',
  'see https://example.com/a?b=c&d=<e>|f and more',
  `https://example.com/${'long/'.repeat(80)}`,
  'line one\nline two\r\n> quoted',
  '\u202eback to front\u0000',
  'x'.repeat(5000),
  '😀'.repeat(300),
  '… and 4 more notes',
  '• 12:00 another point',
);

/** Any happening. */
export const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom<ActivityKind>(
    ...(['userNote', 'userNote', 'userNote', 'userNote', 'incidentSeverityChanged', 'incidentStatusChanged'] as const),
    ...(['roleAssigned', 'roleUnassigned', 'taskAdded', 'contextAttached', 'labelAdded', 'incidentCreated'] as const),
  ),
  written: fc.integer({ min: 0, max: 600 }),
  spoken: fc.integer({ min: 0, max: 600 }),
  body: fc.tuple(hostile, fc.constantFrom('', '?', ' ?', '!')).map(([words, end]) => `${words}${end}`),
  source: fc.constantFrom('note', 'message', 'note', 'message', 'dashboard', 'update'),
  isImportant: fc.boolean(),
  by: fc.constantFrom('me' as const, 'others' as const, 'others' as const),
  permalink: fc.constantFrom('', 'https://acme.slack.com/archives/C1/p1763640000000100', 'javascript:alert(1)'),
  task: fc.constantFrom('todo' as const, 'progress' as const, 'done' as const),
});

/** The mark by which a point is found again, wherever its words are cut. */
const markOf = (index: number) => `k${index}k`;

/** The happening at that place of a timeline, as the timeline has it. */
export function toItem(each: Happening, index: number): ActivityItem {
  const sign = each.source === 'update' ? '📣 ' : each.isImportant ? '❗ ' : '';
  return ActivityItem.parse({
    activityItemID: `item-${index}`,
    incidentID: '7',
    user: { userID: each.by, name: each.by },
    createdTime: at(each.written),
    eventTime: at(each.spoken),
    activityKind: each.kind,
    body: `${each.kind === 'userNote' ? sign : ''}${markOf(index)} ${each.body}`,
    url: each.kind === 'contextAttached' ? 'https://example.com/' : '',
    fieldValues: {
      ...(each.kind === 'userNote' ? { source: each.source, permalink: each.permalink } : {}),
      ...(each.kind === 'taskAdded' ? { taskID: `task-${index}` } : {}),
    },
  });
}

/** An incident with these happenings, as somebody asks to be caught up on it; `since` and `now` are minutes after its beginning. */
export function toInput(
  all: readonly Happening[],
  since: number | undefined,
  now = 620,
): Parameters<typeof briefWords>[0] {
  const items = all.map(toItem).toSorted((one, other) => Date.parse(other.eventTime) - Date.parse(one.eventTime));
  const tasks = all.flatMap((each, index) =>
    each.kind === 'taskAdded'
      ? [
          {
            taskID: `task-${index}`,
            text: `${markOf(index)} ${each.body}`,
            status: each.task,
            createdTime: at(each.written),
            modifiedTime: at(each.written),
            assignedUser: each.by === 'me' ? null : { userID: 'u', name: '<!here> *Owner* & co '.repeat(5) },
          },
        ]
      : [],
  );
  const incident = Incident.parse({
    incidentID: '7',
    title: 'A <!channel> *title* & _more_ '.repeat(10),
    severity: 'major',
    status: 'active',
    createdTime: at(0),
    taskList: { tasks, todoCount: 0, doneCount: 0 },
    incidentMembership: {
      assignments: Array.from({ length: 6 }, () => ({
        user: { userID: 'u1', name: '<@U1> & *star* '.repeat(9) },
        role: { roleID: 1, name: 'commander' },
        roleID: 1,
      })),
    },
  });
  const from = since === undefined ? undefined : new Date(at(since));
  const isOwn = (item: ActivityItem) => since !== undefined && item.user.userID === 'me';
  const updates = items
    .filter(item => item.activityKind === 'userNote' && item.fieldValues.source === 'update')
    .map(item => ({
      ...{ at: new Date(item.eventTime), text: readFormed(item.body).text, by: item.user.name, item },
      ...{ activityItemID: item.activityItemID, isNew: from !== undefined && new Date(item.createdTime) >= from },
    }))
    .map(each => ({ ...each, isNew: each.isNew && !isOwn(each.item) }));
  const last = updates[0];
  const update = last && { ...last, nextAt: new Date(at(700)), isOverdue: true };
  return {
    incident,
    updates,
    news: findNews({ items, tasks: incident.taskList.tasks, since: from, isOwn }),
    since: from,
    absent: new Map(),
    isCut: false,
    latest: {
      ...{ summary: { kind: 'summary', text: '&'.repeat(900), by: '', at: undefined }, update },
      lead: last && { kind: 'update', text: last.text, by: last.by, at: last.at },
    },
    commander: 'commander',
    called: [],
    severities: ['pending', 'minor', 'major', 'critical'],
    taskNumbers: new Map(),
    overview: 'https://muster.example.com/incidents/7/a-title',
    notice: '',
    now: new Date(at(now)),
  };
}

/** A second way to say where a happening belongs; undefined where it is no point of its own. */
export function sectionOf({ kind, source, isImportant }: Happening): string | undefined {
  if (kind === 'taskAdded') return 'Tasks';
  if (kind === 'contextAttached') return 'Dashboards';
  if (kind !== 'userNote') return undefined;
  if (source === 'update') return 'Updates';
  if (isImportant) return 'Decisions';
  return source === 'dashboard' ? 'Dashboards' : 'Notes';
}
