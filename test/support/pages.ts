import { readFileSync } from 'node:fs';
import type { KnownPerson } from '../../src/contract/define.ts';
import type { ServiceOptions } from '../../src/service/call/options.ts';
import { type Circumstances, call, type OpenedService, type Operation, openService } from './service.ts';

/** The people of the stories. */
export const ana: KnownPerson = { userID: 'slack:U1', name: 'Ana Torres' };
export const ben: KnownPerson = { userID: 'slack:U2', name: 'Ben Okafor' };
const chloe: KnownPerson = { userID: 'slack:U3', name: 'Chloé Martin' };

/** Opens a service whose pages are open. */
export function openPages(
  options: Partial<ServiceOptions> = {},
  circumstances: Circumstances = {},
): Promise<OpenedService> {
  return openService({ pages: 'open', publicGoto: true, ...options }, circumstances);
}

/** Fetches what anybody would get, without a token. */
export async function get({ service }: Pick<OpenedService, 'service'>, path: string) {
  const response = await service.fetch(new Request(`http://test${path}`));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Says something to the service as a person, at a time of day of 19 September 2026 or at a whole moment. */
export async function say<O extends Operation>(
  opened: OpenedService,
  when: string,
  actor: KnownPerson,
  operation: O,
  body: Readonly<Record<string, unknown>>,
) {
  opened.now = new Date(when.includes('T') ? when : `2026-09-19T${when}:00Z`);
  return await call(opened, operation, body, { people: { actor, others: [ana, ben, chloe] } });
}

/** Declares an incident and gives its id. */
export async function declare(
  opened: OpenedService,
  when: string,
  incident: Readonly<Record<string, unknown>>,
  actor = ana,
): Promise<string> {
  const answer = await say(opened, when, actor, 'IncidentsService.CreateIncident', incident);
  return answer.incident.incidentID;
}

/** The short story: noticed before it was declared, worked on by three people, resolved within two hours. */
export async function tellShort(opened: OpenedService): Promise<string> {
  const incidentID = await declare(opened, '09:12', {
    title: 'Checkout answers 500 for card payments',
    severity: 'major',
    labels: [{ label: 'payments' }, { label: 'checkout' }],
    attachURL: 'https://grafana.example.com/alerting/grafana/abc123/view',
    attachCaption: 'Alert: checkout error rate above 5 %',
  });
  const on = { incidentID };
  const label = { key: 'service', label: 'card-gateway', colorHex: '#d6336c' };
  await say(opened, '09:12', ana, 'IncidentsService.AddLabel', { ...on, label });
  const note = (when: string, actor: KnownPerson, body: string, more: object = {}) =>
    say(opened, when, actor, 'ActivityService.AddActivity', { ...on, activityKind: 'userNote', body, ...more });
  const start = { ...on, activityItemKind: 'incidentStart', eventTime: '2026-09-19T08:55:00Z' };
  await say(opened, '09:13', ana, 'IncidentsService.UpdateIncidentEventTime', start);
  await note(
    '09:14',
    ben,
    'Error rate on /pay went from 0.1 % to 7 %.\n\n— said by Chloé Martin in Slack, added by Ben Okafor: https://acme.slack.com/archives/C1/p1',
    {
      eventTime: '2026-09-19T09:03:00Z',
      fieldValues: {
        source: 'message',
        saidBy: 'Chloé Martin',
        addedBy: 'Ben Okafor',
        permalink: 'https://acme.slack.com/archives/C1/p1',
      },
    },
  );
  const roles = await call(opened, 'RolesService.GetRoles');
  const [commander, investigator] = roles.roles;
  const assign = (when: string, userID: string, role: string | undefined) =>
    say(opened, when, ana, 'IncidentsService.AssignRole', { ...on, userID, role });
  await assign('09:15', ana.userID, commander?.name);
  await assign('09:16', ben.userID, investigator?.name);
  await assign('09:17', chloe.userID, investigator?.name);
  const task = (when: string, text: string, userID = '') =>
    say(opened, when, ana, 'TasksService.AddTask', { ...on, text, assignToUserID: userID });
  await task('09:18', 'Compare the card gateway’s certificate with the one of last week', ben.userID);
  await task('09:19', 'Put a notice on the status page', chloe.userID);
  await task('09:20', 'Write to the ten largest merchants');
  await note(
    '09:26',
    ben,
    'The gateway’s certificate was renewed at 08:54, and our pinned chain does not have the new issuer. Runbook: https://wiki.example.com/runbooks/card-gateway#chain.',
  );
  await say(opened, '09:28', ana, 'IncidentsService.UpdateSeverity', { ...on, severity: 'critical' });
  await note('09:41', chloe, 'Status page says so. Support has 41 tickets.');
  await note(
    '09:58',
    ben,
    '```\n$ openssl s_client -connect gateway.example.com:443 -showcerts | grep issuer\nissuer=C = US, O = Example Trust, CN = Example R11\n```\nNew chain is rolled out to half of the pods.',
  );
  const { incident } = await call(opened, 'IncidentsService.GetIncident', on);
  for (const [index, status] of [
    [0, 'done'],
    [1, 'done'],
    [2, 'progress'],
  ] as const) {
    const taskID = incident.taskList.tasks[index]?.taskID;
    await say(opened, `10:0${index}`, ben, 'TasksService.UpdateTaskStatus', { ...on, taskID, status });
  }
  await note(
    '10:20',
    ana,
    'Error rate is back at 0.1 % for 15 minutes. Cause: pinned certificate chain; the pin goes away next week.',
  );
  await say(opened, '10:22', ana, 'IncidentsService.UpdateStatus', { ...on, status: 'resolved' });
  const end = { ...on, activityItemKind: 'incidentEnd', eventTime: '2026-09-19T10:05:00Z' };
  await say(opened, '10:23', ana, 'IncidentsService.UpdateIncidentEventTime', end);
  return incidentID;
}

/** The long story: an open incident with about 300 items on its timeline, over ten hours. */
export async function tellLong(opened: OpenedService): Promise<string> {
  const start = Date.parse('2026-09-18T21:10:00Z');
  const incidentID = await declare(opened, new Date(start).toISOString(), {
    title: 'Database fails over every twenty minutes',
    severity: 'critical',
    labels: [{ label: 'database' }],
  });
  const sentences = [
    'Replica lag is at 40 s and rising.',
    'Failover again, third time this hour. Writes were refused for 38 s; the pool took another minute to recover, and the queue behind it doubled before it drained.',
    'Nothing in the kernel log.',
    'Paged the storage team: https://pages.example.com/4711',
    'Back to normal.',
  ];
  for (let index = 0; index < 296; index += 1) {
    const when = new Date(start + 120_000 * (index + 1) + (index % 7) * 9000).toISOString();
    const actor = [ana, ben, chloe][index % 3] ?? ana;
    if (index % 9 === 4)
      await say(opened, when, actor, 'TasksService.AddTask', { incidentID, text: `Look into shard ${index}` });
    else if (index % 40 === 20)
      await say(opened, when, actor, 'IncidentsService.UpdateSeverity', {
        incidentID,
        severity: index % 80 === 20 ? 'major' : 'critical',
      });
    else
      await say(opened, when, actor, 'ActivityService.AddActivity', {
        incidentID,
        activityKind: 'userNote',
        body: `${sentences[index % 5]} (${index})`,
      });
  }
  return incidentID;
}

/** Some sixty incidents over half a year, so that there is something to count. */
export async function tellMany(opened: OpenedService): Promise<void> {
  const services = ['search', 'payments', 'login', 'database', 'mail'];
  for (let index = 0; index < 60; index += 1) {
    const declared = Date.parse('2026-03-30T08:00:00Z') + index * 2.87 * 86_400_000;
    const severity = index % 11 === 0 ? 'critical' : index % 4 === 0 ? 'major' : 'minor';
    const label = services[(index * 7) % 5] ?? 'search';
    const incident = { title: `${label} is slow (${index})`, severity, labels: [{ label }], isDrill: index % 13 === 5 };
    const incidentID = await declare(opened, new Date(declared).toISOString(), incident, index % 2 ? ana : ben);
    if (index % 20 === 19) continue;
    const ended = new Date(declared + (15 + ((index * 37) % 240)) * 60_000).toISOString();
    await say(opened, ended, ben, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
  }
}

/** Saves a dashboard twice and gives its path. */
export async function saveDashboard(opened: OpenedService): Promise<string> {
  const file = new URL('./fixtures/dashboards/request-handling-performance.dashboard.json', import.meta.url);
  const model: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  const save = async (dashboard: object, message: string) => {
    const answer = await opened.service.handle({
      method: 'POST',
      path: '/api/dashboards/db',
      headers: {},
      body: JSON.stringify({ dashboard, message, folderUid: 'shop', overwrite: true }),
    });
    return JSON.parse(answer.body);
  };
  const first = await save(
    { ...model, id: null, uid: 'requests', tags: ['nginx', 'slo'] },
    'As it came from the catalogue',
  );
  await save(
    { ...model, id: null, uid: 'requests', tags: ['nginx', 'slo'], time: { from: 'now-6h', to: 'now' } },
    'Look at six hours by default',
  );
  return first.url;
}
