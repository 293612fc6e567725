import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { http, pluginIDs, rpcBase, unversionedBase } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/define.ts';
import { Discovery } from '../../src/contract/discovery.ts';
import { Folders } from '../../src/contract/folders.ts';
import { unversioned } from '../../src/contract/unversioned.ts';
import { incomingWebhookPath } from '../../src/contract/webhooks.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createService } from '../../src/service/service.ts';

/** One call of an operation, as the reference shows it. */
interface Example {
  readonly curl: string;
  readonly answer: string;
}

type Input = Readonly<Record<string, unknown>>;
/** The answers so far by operation, from which later calls take ids. */
type Answers = Readonly<Record<string, { readonly [member: string]: ReturnType<typeof JSON.parse> }>>;

const token = 'glsa_example';
const incidentID = '1';
const userID = 'slack:U012AB3CD';
const item = (so: Answers) => ({
  incidentID,
  activityItemID: so['ActivityService.AddActivity']?.activityItem.activityItemID,
});
const task = (so: Answers) => ({ incidentID, taskID: so['TasksService.AddTask']?.task.taskID });

/** One story in which every operation is called once with success, in this order. */
const story: readonly (readonly [operation: string, input: Input | ((so: Answers) => Input)])[] = [
  [
    'IncidentsService.CreateIncident',
    { title: 'Checkout answers 500', severity: 'major', labels: [{ label: 'payments' }] },
  ],
  ['IncidentsService.GetIncident', { incidentID }],
  ['IncidentsService.AddLabel', { incidentID, label: { label: 'checkout' } }],
  ['IncidentsService.RemoveLabel', { incidentID, label: 'checkout' }],
  ['IncidentsService.AssignRole', { incidentID, userID, role: 'commander' }],
  ['IncidentsService.GetIncidentMembership', { incidentID }],
  ['IncidentsService.UnassignRole', { incidentID, userID, role: 'commander' }],
  ['IncidentsService.UpdateTitle', { incidentID, title: 'Checkout answers 500 for card payments' }],
  ['IncidentsService.UpdateSeverity', { incidentID, severity: 'critical' }],
  [
    'IncidentsService.UpdateIncidentEventTime',
    { incidentID, activityItemKind: 'incidentStart', eventTime: '2026-09-19T08:55:00Z' },
  ],
  [
    'ActivityService.AddActivity',
    { incidentID, activityKind: 'userNote', body: 'Rolled back: https://ci.example.com/77' },
  ],
  ['ActivityService.UpdateActivityBody', so => ({ ...item(so), body: 'Rolled back the gateway.' })],
  ['ActivityService.UpdateActivityEventTime', so => ({ ...item(so), eventTime: '2026-09-19T09:20:00Z' })],
  ['ActivityService.QueryActivity', { query: { incidentID, limit: 1, activityKind: ['userNote'] } }],
  ['ActivityService.RemoveActivity', item],
  ['TasksService.AddTask', { incidentID, text: 'Put a notice on the status page', assignToUserID: userID }],
  ['TasksService.UpdateTaskStatus', so => ({ ...task(so), status: 'progress' })],
  ['TasksService.UpdateTaskText', so => ({ ...task(so), text: 'Put a notice on the shop' })],
  ['TasksService.UpdateTaskUser', so => ({ ...task(so), userID: '' })],
  ['TasksService.DeleteTask', task],
  ['IncidentContextService.QueryIncidentContext', { query: { incidentID } }],
  ['IntegrationService.GetHookRuns', { incidentID }],
  ['SeveritiesService.GetOrgSeverities', {}],
  ['IncidentsService.QueryIncidentPreviews', { query: { limit: 1, queryString: 'status:active label:payments' } }],
  ['IncidentsService.QueryIncidents', { query: { limit: 1, severity: 'critical' } }],
  ['IncidentsService.UpdateStatus', { incidentID, status: 'resolved' }],
  ['IncidentsService.UpdateIncidentIsDrill', { incidentID, isDrill: true }],
  ['IncidentsService.GetIncidentVersion', { incidentID }],
  ['IncidentsService.GetHomescreenVersion', {}],
  ['RolesService.GetRoles', {}],
  ['RolesService.CreateRole', { role: { name: 'scribe', description: 'Writes things down' } }],
  ['RolesService.UpdateRole', { role: { roleID: 4, name: 'scribe', description: 'Writes notes' } }],
  ['RolesService.ArchiveRole', { roleID: 4 }],
  ['RolesService.UnarchiveRole', { roleID: 4 }],
  ['RolesService.DeleteRole', { roleID: 4 }],
  ['UsersService.GetUser', { userID }],
  ['UsersService.QueryUsers', { query: { limit: 1 } }],
  ['Folders.create', { uid: 'shop', title: 'Shop' }],
  ['Folders.list', {}],
  ['Folders.get', { uid: 'shop' }],
  ['Folders.rename', { uid: 'shop', title: 'The shop', version: 1 }],
  [
    'Dashboards.save',
    { dashboard: { uid: 'nginx', title: 'NGINX', tags: ['slo'] }, folderUid: 'shop', message: 'First' },
  ],
  ['Dashboards.get', { uid: 'nginx' }],
  ['Dashboards.tags', {}],
  ['Dashboards.home', {}],
  ['Search.find', { query: 'nginx', tag: 'slo' }],
  ['ShortUrls.create', { path: 'd/nginx/nginx?from=now-1h', uid: 'nginx-hour' }],
  ['ShortUrls.goto', { uid: 'nginx-hour' }],
  ['Dashboards.delete', { uid: 'nginx' }],
  ['Dashboards.restore', { uid: 'nginx', folderUid: 'shop' }],
  ['Dashboards.hardDelete', { uid: 'nginx' }],
  ['Folders.delete', { uid: 'shop' }],
  ['Discovery.health', {}],
  ['Discovery.settings', {}],
  ['IncomingWebhooks.createIncident', { title: 'Disk is full', labels: 'database' }],
];

/** Where the examples are kept. */
export const examplesPath = 'src/service/pages/reference-examples.json';

/** Plays the story on a service of its own and gives each call and its answer, by operation. The same code gives the same text. */
export async function makeExamples(): Promise<Record<string, Example>> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-examples-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const database = stack.use(await openDatabase(`sqlite:${join(folder, 'muster.db')}`));
  const service = stack.use(
    await createService({
      database,
      log: pino({ level: 'silent' }),
      clock: () => new Date('2026-09-19T09:30:00Z'),
      options: { rootUrl: 'https://muster.example.com', users: [{ userID, name: 'Ana Torres' }] },
      tokens: [{ token, role: 'Admin', name: 'docs' }],
    }),
  );
  const answers: Record<string, Answers[string]> = {};
  const examples: Record<string, Example> = {};
  for (const [operation, given] of story) {
    // The trash must hold it before it can be deleted for good.
    if (operation === 'Dashboards.hardDelete') await ask(toRequest('Dashboards.delete', { uid: 'nginx' }));
    const request = toRequest(operation, typeof given === 'function' ? given(answers) : given);
    const { status, location, text } = await ask(request);
    if (status >= 400) throw new Error(`${operation} answered ${status}: ${text}`);
    const answer = text === '' ? { location } : JSON.parse(text);
    answers[operation] = answer;
    examples[operation] = { curl: toCurl(request), answer: toLines(answer) };
  }
  return JSON.parse(steady(JSON.stringify(examples)));

  async function ask({ method, path, body }: Asked) {
    const headers = { authorization: `Bearer ${token}` };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://test${path}`, init));
    return { status: response.status, location: response.headers.get('location'), text: await response.text() };
  }
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: Input;
}

function toRequest(operation: string, input: Input): Asked {
  const [group = '', name = ''] = operation.split('.');
  const groups: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = { ...http, Folders, Discovery };
  const endpoint = groups[group]?.[name];
  const [plugin] = pluginIDs;
  const query = (members: Input) => {
    const all = Object.entries(members).map(([member, value]): [string, string] => [member, String(value)]);
    return all.length === 0 ? '' : `?${new URLSearchParams(all)}`;
  };
  if (group === 'IncomingWebhooks') {
    return { method: 'POST', path: `${rpcBase(plugin)}${incomingWebhookPath}${query(input)}`, body: {} };
  }
  if (!endpoint) {
    const base = group in unversioned ? unversionedBase(plugin) : rpcBase(plugin);
    return { method: 'POST', path: `${base}/${operation}`, body: input };
  }
  const left = { ...input };
  const path = endpoint.path.replace(/:(\w+)/g, (_, member: string) => {
    const value = String(left[member]);
    delete left[member];
    return value;
  });
  const { httpMethod: method } = endpoint;
  if (method === 'GET') return { method, path: `${path}${query(left)}` };
  return Object.keys(left).length === 0 ? { method, path } : { method, path, body: left };
}

function toCurl({ method, path, body }: Asked): string {
  const data = body === undefined ? '' : ` \\\n  -d '${JSON.stringify(body)}'`;
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return `curl ${verb}"$MUSTER${path}" \\\n  -H "Authorization: Bearer $TOKEN"${data}`;
}

/** The most lines of an answer, and the most characters of a line that holds a whole object. */
const most = { lines: 8, width: 90 } as const;

function toLines(answer: unknown): string {
  const lines = write(answer, '').split('\n');
  return lines.length <= most.lines ? lines.join('\n') : [...lines.slice(0, most.lines), '  …'].join('\n');
}

/** JSON as people write it: what fits on a line stands on one. */
function write(value: unknown, indent: string): string {
  const whole = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  if (typeof value !== 'object' || value === null || indent.length + whole.length <= most.width) return whole;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${write(member, inner)}`,
  );
  return `${isList ? '[' : '{'}\n${members.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

/** Ids that are drawn by lot become numbers in the order in which they appear. */
function steady(text: string): string {
  const seen = new Map<string, string>();
  return text.replace(/\b(activity-item|task)-([0-9a-f][0-9a-f-]{7,})/g, (whole, kind: string) => {
    const known = seen.get(whole) ?? `${kind}-${seen.size + 1}`;
    seen.set(whole, known);
    return known;
  });
}
