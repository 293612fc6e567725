import { expect, test } from 'vitest';
import type { ActivityItem } from '../../../../src/contract/activity.ts';
import type { People } from '../../../../src/contract/define.ts';
import { call, type OpenedService, type Operation, openService } from '../../../support/service.ts';

const ann = { userID: 'slack:U1', name: 'Ann Lee', photoURL: 'https://img.example/ann.png' };
const bob = { userID: 'slack:U2', name: 'Bob Ray', photoURL: '' };
const nobody = { userID: '', name: '', photoURL: '' };
const people: People = { actor: ann, others: [bob] };

/** The rows of docs/api-rules.md A4: what is called, after what, and the items it adds. */
interface Row {
  readonly name: string;
  readonly before?: readonly [Operation, object][];
  readonly operation: Operation;
  readonly input: object;
  readonly items: readonly Partial<ActivityItem>[];
}

const address = { incidentID: '1' };
const task: [Operation, object] = [
  'TasksService.AddTask',
  { ...address, text: 'Restart it', assignToUserID: bob.userID },
];
const theTask = { ...address, taskID: 'task-1' };

const rows: readonly Row[] = [
  {
    name: 'UpdateTitle',
    operation: 'IncidentsService.UpdateTitle',
    input: { ...address, title: ' Checkout is down ' },
    items: [
      {
        activityKind: 'incidentTitleChanged',
        body: 'Title changed to Checkout is down',
        fieldValues: { title: 'Checkout is down', previousTitle: 'Checkout is slow' },
      },
    ],
  },
  {
    name: 'UpdateStatus',
    operation: 'IncidentsService.UpdateStatus',
    input: { ...address, status: 'resolved' },
    items: [
      {
        activityKind: 'incidentStatusChanged',
        body: 'Status changed to resolved',
        fieldValues: { status: 'resolved', previousStatus: 'active' },
        tags: ['important'],
      },
    ],
  },
  {
    name: 'UpdateSeverity',
    operation: 'IncidentsService.UpdateSeverity',
    input: { ...address, severity: 'Severity-MAJOR' },
    items: [
      {
        activityKind: 'incidentSeverityChanged',
        body: 'Severity changed to major',
        fieldValues: { severity: 'major', previousSeverity: 'pending' },
        tags: ['important'],
      },
    ],
  },
  {
    name: 'UpdateIncidentIsDrill, true',
    operation: 'IncidentsService.UpdateIncidentIsDrill',
    input: { ...address, isDrill: true },
    items: [
      { activityKind: 'incidentIsDrillChanged', body: 'Incident is now a drill', fieldValues: { isDrill: true } },
    ],
  },
  {
    name: 'UpdateIncidentIsDrill, absent is false',
    before: [['IncidentsService.UpdateIncidentIsDrill', { ...address, isDrill: true }]],
    operation: 'IncidentsService.UpdateIncidentIsDrill',
    input: address,
    items: [
      {
        activityKind: 'incidentIsDrillChanged',
        body: 'Incident is no longer a drill',
        fieldValues: { isDrill: false },
      },
    ],
  },
  {
    name: 'UpdateIncidentEventTime, start',
    operation: 'IncidentsService.UpdateIncidentEventTime',
    input: { ...address, activityItemKind: 'incidentStart', eventTime: '2026-09-19T11:00:00.5+02:00' },
    items: [
      {
        activityKind: 'incidentStart',
        body: 'Incident start set to 2026-09-19T09:00:00.5Z',
        fieldValues: { eventTime: '2026-09-19T09:00:00.5Z' },
        eventTime: '2026-09-19T09:00:00.5Z',
      },
    ],
  },
  {
    name: 'UpdateIncidentEventTime, end, under its newer name and in the form with a space',
    operation: 'IncidentsService.UpdateIncidentEventTime',
    input: { ...address, eventName: 'incidentEnd', eventTime: '2026-09-19 09:31:00.123456' },
    items: [
      {
        activityKind: 'incidentEnd',
        body: 'Incident end set to 2026-09-19T09:31:00.123456Z',
        fieldValues: { eventTime: '2026-09-19T09:31:00.123456Z' },
        eventTime: '2026-09-19T09:31:00.123456Z',
      },
    ],
  },
  {
    name: 'AddLabel',
    operation: 'IncidentsService.AddLabel',
    input: { ...address, label: { label: 'checkout', colorHex: '#f80' } },
    items: [{ activityKind: 'labelAdded', body: 'Label checkout added', fieldValues: { label: 'checkout' } }],
  },
  {
    name: 'RemoveLabel',
    operation: 'IncidentsService.RemoveLabel',
    input: { ...address, label: 'eu' },
    items: [{ activityKind: 'labelRemoved', body: 'Label eu removed', fieldValues: { label: 'eu' } }],
  },
  {
    name: 'AssignRole, an important one',
    operation: 'IncidentsService.AssignRole',
    input: { ...address, userID: bob.userID, role: 'commander' },
    items: [
      {
        activityKind: 'roleAssigned',
        body: 'Bob Ray assigned as commander',
        fieldValues: { role: 'commander', roleID: 1, userID: bob.userID },
        subjectUser: bob,
        tags: ['important'],
      },
    ],
  },
  {
    name: 'AssignRole, one that is not important, to somebody unknown',
    operation: 'IncidentsService.AssignRole',
    input: { ...address, userID: 'slack:U9', role: 'observer' },
    items: [
      {
        activityKind: 'roleAssigned',
        body: 'slack:U9 assigned as observer',
        fieldValues: { role: 'observer', roleID: 3, userID: 'slack:U9' },
        subjectUser: { userID: 'slack:U9', name: 'slack:U9', photoURL: '' },
      },
    ],
  },
  {
    name: 'UnassignRole',
    before: [['IncidentsService.AssignRole', { ...address, userID: bob.userID, role: 'investigator' }]],
    operation: 'IncidentsService.UnassignRole',
    input: { ...address, userID: bob.userID, role: 'investigator' },
    items: [
      {
        activityKind: 'roleUnassigned',
        body: 'Bob Ray unassigned from investigator',
        fieldValues: { role: 'investigator', roleID: 2, userID: bob.userID },
        subjectUser: bob,
        tags: ['important'],
      },
    ],
  },
  {
    name: 'AddTask',
    operation: task[0],
    input: task[1],
    items: [
      {
        activityKind: 'taskAdded',
        body: 'Task added: Restart it',
        fieldValues: { taskID: 'task-1', text: 'Restart it', status: 'todo' },
        subjectUser: bob,
      },
    ],
  },
  {
    name: 'UpdateTaskText',
    before: [task],
    operation: 'TasksService.UpdateTaskText',
    input: { ...theTask, text: 'Restart both' },
    items: [
      {
        activityKind: 'taskUpdated',
        body: 'Task updated: Restart both',
        fieldValues: { taskID: 'task-1', text: 'Restart both' },
        subjectUser: bob,
      },
    ],
  },
  {
    name: 'UpdateTaskUser',
    before: [task],
    operation: 'TasksService.UpdateTaskUser',
    input: { ...theTask, userID: ann.userID },
    items: [
      {
        activityKind: 'taskUpdated',
        body: 'Task updated: Restart it',
        fieldValues: { taskID: 'task-1', text: 'Restart it', userID: ann.userID },
        subjectUser: ann,
      },
    ],
  },
  {
    name: 'UpdateTaskStatus, in progress',
    before: [task],
    operation: 'TasksService.UpdateTaskStatus',
    input: { ...theTask, status: 'progress' },
    items: [
      {
        activityKind: 'taskUpdated',
        body: 'Task updated: Restart it',
        fieldValues: { taskID: 'task-1', text: 'Restart it', status: 'progress' },
      },
    ],
  },
  {
    name: 'UpdateTaskStatus, done',
    before: [task],
    operation: 'TasksService.UpdateTaskStatus',
    input: { ...theTask, status: 'done' },
    items: [
      {
        activityKind: 'taskCompleted',
        body: 'Task completed: Restart it',
        fieldValues: { taskID: 'task-1', text: 'Restart it', status: 'done' },
      },
    ],
  },
  {
    name: 'DeleteTask',
    before: [task],
    operation: 'TasksService.DeleteTask',
    input: theTask,
    items: [
      {
        activityKind: 'taskDeleted',
        body: 'Task deleted: Restart it',
        fieldValues: { taskID: 'task-1', text: 'Restart it' },
      },
    ],
  },
  {
    name: 'AddActivity',
    operation: 'ActivityService.AddActivity',
    input: {
      ...address,
      activityKind: 'userNote',
      body: ' look\n',
      eventTime: '2026-09-19T09:00:00Z',
      fieldValues: { a: 1 },
    },
    items: [
      {
        activityKind: 'userNote',
        body: ' look\n',
        fieldValues: { a: 1 },
        immutable: false,
        eventTime: '2026-09-19T09:00:00Z',
      },
    ],
  },
  {
    name: 'AddActivity with addresses in it',
    operation: 'ActivityService.AddActivity',
    input: { ...address, body: 'See https://a.example/x?y=1, <https://b.example/> and (https://a.example/x?y=1).' },
    items: [
      {
        activityKind: 'userNote',
        body: 'See https://a.example/x?y=1, <https://b.example/> and (https://a.example/x?y=1).',
        fieldValues: {},
        immutable: false,
        url: 'https://a.example/x?y=1',
      },
      {
        activityKind: 'contextAttached',
        body: 'https://a.example/x?y=1',
        fieldValues: { url: 'https://a.example/x?y=1', activityItemID: 'activity-item-2' },
        url: 'https://a.example/x?y=1',
      },
      {
        activityKind: 'contextAttached',
        body: 'https://b.example/',
        fieldValues: { url: 'https://b.example/', activityItemID: 'activity-item-2' },
        url: 'https://b.example/',
      },
    ],
  },
];

/** The whole timeline in the order the items were made. */
async function readTimeline(opened: OpenedService): Promise<ActivityItem[]> {
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query: { ...address } });
  const toNumber = (item: ActivityItem) => Number(item.activityItemID.replace('activity-item-', ''));
  return activityItems.toSorted((a, b) => toNumber(a) - toNumber(b));
}

function declare(opened: OpenedService, input: object = {}) {
  const incident = { title: 'Checkout is slow', labels: [{ label: 'eu' }], ...input };
  return call(opened, 'IncidentsService.CreateIncident', incident, { people });
}

const usual = { user: ann, subjectUser: nobody, tags: [], immutable: true, url: '', attachments: [], incidentID: '1' };

test.each(rows)('$name adds its items to the timeline, once', async ({ before = [], operation, input, items }) => {
  await using opened = await openService();
  await declare(opened);
  for (const [each, first] of before) await call(opened, each, first, { people });
  const old = await readTimeline(opened);
  const { version } = await call(opened, 'IncidentsService.GetIncidentVersion', address);
  const home = await call(opened, 'IncidentsService.GetHomescreenVersion');
  opened.now = new Date('2026-09-19T09:40:00Z');

  await call(opened, operation, input, { people });

  const added = (await readTimeline(opened)).slice(old.length);
  const createdTime = '2026-09-19T09:40:00Z';
  expect(added).toEqual(
    items.map((item, index) =>
      expect.objectContaining({
        ...usual,
        createdTime,
        eventTime: createdTime,
        ...item,
        activityItemID: `activity-item-${old.length + index + 1}`,
      }),
    ),
  );
  expect((await call(opened, 'IncidentsService.GetIncidentVersion', address)).version).toBe(version + 1);
  expect((await call(opened, 'IncidentsService.GetHomescreenVersion')).version).toBe(home.version + 1);
  const { incident } = await call(opened, 'IncidentsService.GetIncident', address);
  expect(incident.modifiedTime).toBe(createdTime);
});

test('declaring writes who declared what, and what was attached', async () => {
  await using opened = await openService();
  await declare(opened, {
    severity: 'Minor',
    isDrill: true,
    attachURL: 'https://a.example/',
    attachCaption: 'The alert',
  });
  expect(await readTimeline(opened)).toEqual([
    expect.objectContaining({
      ...usual,
      activityKind: 'incidentCreated',
      body: 'The incident was created by Ann Lee',
      fieldValues: { title: 'Checkout is slow', severity: 'minor', status: 'active', isDrill: true },
      tags: ['important'],
    }),
    expect.objectContaining({
      ...usual,
      activityKind: 'contextAttached',
      body: 'The alert',
      fieldValues: { url: 'https://a.example/', caption: 'The alert' },
      url: 'https://a.example/',
    }),
  ]);
});

test.each<[string, readonly [Operation, object][], Operation, object]>([
  ['the same title', [], 'IncidentsService.UpdateTitle', { ...address, title: 'Checkout is slow ' }],
  ['the same status', [], 'IncidentsService.UpdateStatus', { ...address, status: 'active' }],
  ['the same severity', [], 'IncidentsService.UpdateSeverity', { ...address, severity: 'PENDING' }],
  ['the same drill flag', [], 'IncidentsService.UpdateIncidentIsDrill', { ...address, isDrill: false }],
  [
    'the same start',
    [],
    'IncidentsService.UpdateIncidentEventTime',
    { ...address, activityItemKind: 'incidentStart', eventTime: '2026-09-19T09:30:00Z' },
  ],
  [
    'a label that is there',
    [],
    'IncidentsService.AddLabel',
    { ...address, label: { label: ' eu ', description: 'other', colorHex: '#fff' } },
  ],
  ['a label that is not there', [], 'IncidentsService.RemoveLabel', { ...address, label: 'EU' }],
  [
    'a role held already',
    [['IncidentsService.AssignRole', { ...address, userID: 'u', role: 'observer' }]],
    'IncidentsService.AssignRole',
    { ...address, userID: 'u', role: 'Observer' },
  ],
  ['a role not held', [], 'IncidentsService.UnassignRole', { ...address, userID: 'u', role: 'observer' }],
  ['the same task text', [task], 'TasksService.UpdateTaskText', { ...theTask, text: ' Restart it ' }],
  ['the same task status', [task], 'TasksService.UpdateTaskStatus', { ...theTask, status: 'todo' }],
  ['the same assignee', [task], 'TasksService.UpdateTaskUser', { ...theTask, userID: bob.userID }],
  [
    'the same note',
    [['ActivityService.AddActivity', { ...address, body: 'note' }]],
    'ActivityService.UpdateActivityBody',
    { ...address, activityItemID: 'activity-item-2', body: 'note' },
  ],
  [
    'the same event time',
    [['ActivityService.AddActivity', { ...address, body: 'note' }]],
    'ActivityService.UpdateActivityEventTime',
    { ...address, activityItemID: 'activity-item-2', eventTime: '' },
  ],
])('%s is answered and recorded nowhere', async (_name, before, operation, input) => {
  await using opened = await openService();
  await declare(opened);
  for (const [each, first] of before) await call(opened, each, first, { people });
  const state = async () => [
    await readTimeline(opened),
    await call(opened, 'IncidentsService.GetIncidentVersion', address),
    await call(opened, 'IncidentsService.GetHomescreenVersion'),
    { ...(await call(opened, 'IncidentsService.GetIncident', address)).incident, durationSeconds: 0 },
  ];
  const old = await state();
  opened.now = new Date('2026-09-19T10:00:00Z');
  const answer: object = await call(opened, operation, input, { people });
  expect(await state()).toEqual(old);
  if ('didChange' in answer) expect(answer.didChange).toBe(false);
});

test('a note can be edited, moved and removed, and only new addresses are attached', async () => {
  await using opened = await openService();
  await declare(opened);
  const { activityItem } = await call(opened, 'ActivityService.AddActivity', {
    ...address,
    body: 'See https://a.example/',
  });
  const item = { ...address, activityItemID: activityItem.activityItemID };
  const body = 'See https://b.example/ then https://a.example/';
  const edited = await call(opened, 'ActivityService.UpdateActivityBody', { ...item, body });
  expect(edited.activityItem).toEqual({ ...activityItem, body, url: 'https://b.example/' });
  await call(opened, 'ActivityService.UpdateActivityBody', { ...item, body: 'See https://a.example/' });
  await call(opened, 'ActivityService.UpdateActivityBody', { ...item, body });
  const attached = (await readTimeline(opened)).filter(each => each.activityKind === 'contextAttached');
  expect(attached.map(each => each.url)).toEqual(['https://a.example/', 'https://b.example/']);

  const moved = await call(opened, 'ActivityService.UpdateActivityEventTime', {
    ...item,
    eventTime: '2026-09-18T00:00:00Z',
  });
  expect(moved.activityItem).toMatchObject({
    eventTime: '2026-09-18T00:00:00Z',
    createdTime: activityItem.createdTime,
  });
  const back = await call(opened, 'ActivityService.UpdateActivityEventTime', { ...item, eventTime: null });
  expect(back.activityItem.eventTime).toBe(activityItem.createdTime);

  const removed = await call(opened, 'ActivityService.RemoveActivity', item);
  expect(removed.activityItem).toEqual(back.activityItem);
  expect((await readTimeline(opened)).map(each => each.activityItemID)).not.toContain(item.activityItemID);
});
