import { expect, test } from 'vitest';
import type { ActivityItem } from '../../../../src/contract/activity.ts';
import type { People } from '../../../../src/contract/define.ts';
import { call, type OpenedService, type Operation, openService } from '../../../support/service.ts';
import { readTable, readValue } from '../../../support/table.ts';

const ann = { userID: 'slack:U1', name: 'Ann Lee', photoURL: 'https://img.example/ann.png' };
const bob = { userID: 'slack:U2', name: 'Bob Ray', photoURL: '' };
const nobody = { userID: '', name: '', photoURL: '' };
const people: People = { actor: ann, others: [bob] };

const address = { incidentID: '1' };

/** The acts that a row of the table comes after, by its word for them. */
const acts: Readonly<Record<string, [Operation, object]>> = {
  task: ['TasksService.AddTask', { ...address, text: 'Restart it', assignToUserID: bob.userID }],
  drill: ['IncidentsService.UpdateIncidentIsDrill', { ...address, isDrill: true }],
  noted: ['ActivityService.AddActivity', { ...address, body: 'note' }],
  watched: ['IncidentsService.AssignRole', { ...address, userID: 'u', role: 'observer' }],
  assigned: ['IncidentsService.AssignRole', { ...address, userID: bob.userID, role: 'investigator' }],
};

/** The rows of docs/api-rules.md A4: the call, the act that it comes after, and each item that it adds; a row without a call is one item more. */
const items = readTable(
  'after | call | input | kind | body | fields | more',
  String.raw`
         | Incidents.UpdateTitle             | {title: ' Checkout is down '} | incidentTitleChanged | Title changed to Checkout is down | {title: Checkout is down, previousTitle: Checkout is slow}
         | Incidents.UpdateStatus            | {status: resolved} | incidentStatusChanged | Status changed to resolved | {status: resolved, previousStatus: active} | {tags: [important]}
         | Incidents.UpdateSeverity          | {severity: Severity-MAJOR} | incidentSeverityChanged | Severity changed to major | {severity: major, previousSeverity: pending} | {tags: [important]}
         | Incidents.UpdateIncidentIsDrill   | {isDrill: true} | incidentIsDrillChanged | Incident is now a drill | {isDrill: true}
drill    | Incidents.UpdateIncidentIsDrill   | {} | incidentIsDrillChanged | Incident is no longer a drill | {isDrill: false}
         | Incidents.UpdateIncidentEventTime | {activityItemKind: incidentStart, eventTime: '2026-09-19T11:00:00.5+02:00'} | incidentStart | Incident start set to 2026-09-19T09:00:00.5Z | {eventTime: '2026-09-19T09:00:00.5Z'} | {eventTime: '2026-09-19T09:00:00.5Z'}
         | Incidents.UpdateIncidentEventTime | {eventName: incidentEnd, eventTime: '2026-09-19 09:31:00.123456'} | incidentEnd | Incident end set to 2026-09-19T09:31:00.123456Z | {eventTime: '2026-09-19T09:31:00.123456Z'} | {eventTime: '2026-09-19T09:31:00.123456Z'}
         | Incidents.AddLabel                | {label: {label: checkout, colorHex: '#f80'}} | labelAdded | Label checkout added | {label: checkout}
         | Incidents.RemoveLabel             | {label: eu} | labelRemoved | Label eu removed | {label: eu}
         | Incidents.AssignRole              | {userID: 'slack:U2', role: commander} | roleAssigned | Bob Ray assigned as commander | {role: commander, roleID: 1, userID: 'slack:U2'} | {subjectUser: {userID: 'slack:U2', name: Bob Ray, photoURL: ''}, tags: [important]}
         | Incidents.AssignRole              | {userID: 'slack:U9', role: observer} | roleAssigned | slack:U9 assigned as observer | {role: observer, roleID: 3, userID: 'slack:U9'} | {subjectUser: {userID: 'slack:U9', name: 'slack:U9', photoURL: ''}}
assigned | Incidents.UnassignRole            | {userID: 'slack:U2', role: investigator} | roleUnassigned | Bob Ray unassigned from investigator | {role: investigator, roleID: 2, userID: 'slack:U2'} | {subjectUser: {userID: 'slack:U2', name: Bob Ray, photoURL: ''}, tags: [important]}
         | Tasks.AddTask                     | {text: Restart it, assignToUserID: 'slack:U2'} | taskAdded | Task added: Restart it | {taskID: task-1, text: Restart it, status: todo} | {subjectUser: {userID: 'slack:U2', name: Bob Ray, photoURL: ''}}
task     | Tasks.UpdateTaskText              | {taskID: task-1, text: Restart both} | taskUpdated | Task updated: Restart both | {taskID: task-1, text: Restart both} | {subjectUser: {userID: 'slack:U2', name: Bob Ray, photoURL: ''}}
task     | Tasks.UpdateTaskUser              | {taskID: task-1, userID: 'slack:U1'} | taskUpdated | Task updated: Restart it | {taskID: task-1, text: Restart it, userID: 'slack:U1'} | {subjectUser: {userID: 'slack:U1', name: Ann Lee, photoURL: 'https://img.example/ann.png'}}
task     | Tasks.UpdateTaskStatus            | {taskID: task-1, status: progress} | taskUpdated | Task updated: Restart it | {taskID: task-1, text: Restart it, status: progress}
task     | Tasks.UpdateTaskStatus            | {taskID: task-1, status: done} | taskCompleted | Task completed: Restart it | {taskID: task-1, text: Restart it, status: done}
task     | Tasks.DeleteTask                  | {taskID: task-1} | taskDeleted | Task deleted: Restart it | {taskID: task-1, text: Restart it}
         | Activity.AddActivity              | {activityKind: userNote, body: " look\x0a", eventTime: '2026-09-19T09:00:00Z', fieldValues: {a: 1}} | userNote |  | {a: 1} | {body: " look\x0a", immutable: false, eventTime: '2026-09-19T09:00:00Z'}
         | Activity.AddActivity              | {body: 'See https://a.example/x?y=1, <https://b.example/> and (https://a.example/x?y=1).'} | userNote | See https://a.example/x?y=1, <https://b.example/> and (https://a.example/x?y=1). | {} | {immutable: false, url: 'https://a.example/x?y=1'}
         |                                   |    | contextAttached | https://a.example/x?y=1 | {url: 'https://a.example/x?y=1', activityItemID: activity-item-2} | {url: 'https://a.example/x?y=1'}
         |                                   |    | contextAttached | https://b.example/ | {url: 'https://b.example/', activityItemID: activity-item-2} | {url: 'https://b.example/'}
`,
);

const rows = items.flatMap((row, at) => {
  const next = items.findIndex((each, index) => index > at && each.call !== '');
  return row.call === '' ? [] : [{ ...row, items: items.slice(at, next === -1 ? undefined : next) }];
});

const toItem = ({ kind, body, fields, more }: (typeof items)[number]) => ({
  ...{ activityKind: kind, body, fieldValues: readValue(fields) },
  ...readValue(more),
});

/** The operation that a row names without the word that ends the name of each service. */
const toOperation = (call: string) => call.replace('.', 'Service.') as Operation;

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

test.each(rows)('$call $input adds its items to the timeline, once', async ({ after, call: name, input, items }) => {
  await using opened = await openService();
  await declare(opened);
  if (after !== '') await call(opened, ...acts[after]!, { people });
  const old = await readTimeline(opened);
  const { version } = await call(opened, 'IncidentsService.GetIncidentVersion', address);
  const home = await call(opened, 'IncidentsService.GetHomescreenVersion');
  opened.now = new Date('2026-09-19T09:40:00Z');

  await call(opened, toOperation(name), { ...address, ...readValue(input) }, { people });

  const added = (await readTimeline(opened)).slice(old.length);
  const createdTime = '2026-09-19T09:40:00Z';
  expect(added).toEqual(
    items.map((item, index) =>
      expect.objectContaining({
        ...usual,
        createdTime,
        eventTime: createdTime,
        ...toItem(item),
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

test.each(
  readTable(
    'what | after | call | input',
    `
    the same title                 |        | Incidents.UpdateTitle              | {title: 'Checkout is slow '}
    the same status                |        | Incidents.UpdateStatus             | {status: active}
    the same severity              |        | Incidents.UpdateSeverity           | {severity: PENDING}
    the same drill flag            |        | Incidents.UpdateIncidentIsDrill    | {isDrill: false}
    the same start                 |        | Incidents.UpdateIncidentEventTime  | {activityItemKind: incidentStart, eventTime: '2026-09-19T09:30:00Z'}
    a label that is there          |        | Incidents.AddLabel                 | {label: {label: ' eu ', description: other, colorHex: '#fff'}}
    a label that is not there      |        | Incidents.RemoveLabel              | {label: EU}
    a role held already            | watched | Incidents.AssignRole              | {userID: u, role: Observer}
    a role not held                |        | Incidents.UnassignRole             | {userID: u, role: observer}
    the same task text             | task   | Tasks.UpdateTaskText               | {taskID: task-1, text: ' Restart it '}
    the same task status           | task   | Tasks.UpdateTaskStatus             | {taskID: task-1, status: todo}
    the same assignee              | task   | Tasks.UpdateTaskUser               | {taskID: task-1, userID: 'slack:U2'}
    the same note                  | noted  | Activity.UpdateActivityBody        | {activityItemID: activity-item-2, body: note}
    the same event time            | noted  | Activity.UpdateActivityEventTime   | {activityItemID: activity-item-2, eventTime: ''}
`,
  ),
)('$what is answered and recorded nowhere', async ({ after, call: name, input }) => {
  await using opened = await openService();
  await declare(opened);
  if (after !== '') await call(opened, ...acts[after]!, { people });
  const state = async () => [
    await readTimeline(opened),
    await call(opened, 'IncidentsService.GetIncidentVersion', address),
    await call(opened, 'IncidentsService.GetHomescreenVersion'),
    { ...(await call(opened, 'IncidentsService.GetIncident', address)).incident, durationSeconds: 0 },
  ];
  const old = await state();
  opened.now = new Date('2026-09-19T10:00:00Z');
  const answer: object = await call(opened, toOperation(name), { ...address, ...readValue(input) }, { people });
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
