import { type Check, checksOf, holds, refused, same, there } from './check.ts';

const documents = 'docs/incident-api.md, IncidentsService';
const create = checksOf('IncidentsService.CreateIncident', documents);
const get = checksOf('IncidentsService.GetIncident', documents);
const title = checksOf('IncidentsService.UpdateTitle', documents);
const severity = checksOf('IncidentsService.UpdateSeverity', documents);
const status = checksOf('IncidentsService.UpdateStatus', documents);
const drill = checksOf('IncidentsService.UpdateIncidentIsDrill', documents);
const eventTime = checksOf('IncidentsService.UpdateIncidentEventTime', documents);
const incidentVersion = checksOf('IncidentsService.GetIncidentVersion', documents, { optional: true });
const homescreen = checksOf('IncidentsService.GetHomescreenVersion', documents, { optional: true });

/** An id that no incident has. */
export const noIncident = '987654321';

/** Declaring, reading and changing incidents. */
export const incidentChecks: readonly Check[] = [
  create.required('declares an incident as asked', async desk => {
    const incident = await desk.declare({ title: `${desk.prefix} declared`, labels: [toLabel('conformance')] });
    same('title', incident.title, `${desk.prefix} declared`);
    same('status', incident.status, 'active');
    same('isDrill', incident.isDrill, true);
    same(
      'labels',
      incident.labels.map(each => each.label),
      ['conformance'],
    );
    holds(incident.incidentID !== '', 'an incidentID', incident);
    same('closedTime', incident.closedTime, '');
  }),
  create.required('opens a retrospective incident with status resolved', async desk => {
    const incident = await desk.declare({ title: `${desk.prefix} over`, status: 'resolved' });
    same('status', incident.status, 'resolved');
    holds(incident.closedTime !== '', 'a closedTime', incident.closedTime);
  }),
  create.required(
    'is pending when no severity is named',
    async desk => {
      const incident = await desk.incident('plain');
      same('severity', incident.severity.toLowerCase(), 'pending');
    },
    'docs/api-rules.md A2, severity (D)',
  ),
  create.required('attaches a link with its caption', async desk => {
    const attachURL = 'https://example.com/graph?a=1';
    const made = await desk.declare({ title: `${desk.prefix} linked`, attachURL, attachCaption: 'the graph' });
    const found = await desk.soon(async () => {
      const items = await desk.timeline(made.incidentID);
      return items.find(each => each.url === attachURL || each.body.includes(attachURL));
    });
    there(found, `${attachURL} on the timeline`, 'a timeline without it');
  }),
  create.ours('puts incidentCreated on the timeline', 'A4', async desk => {
    const { incidentID } = await desk.incident('plain');
    same('items', (await desk.timeline(incidentID, 'incidentCreated')).length, 1);
  }),
  create.ours('trims the title, and refuses one that is blank or over 500 characters', 'A6', async desk => {
    const incident = await desk.declare({ title: `  ${desk.prefix} trimmed  ` });
    same('title', incident.title, `${desk.prefix} trimmed`);
    await refused(desk.api.IncidentsService.CreateIncident({ title: ' ' }), 'invalid_argument');
    await refused(desk.api.IncidentsService.CreateIncident({ title: 'x'.repeat(501) }), 'invalid_argument');
  }),
  create.required(
    'refuses a severity that there is not, in the words that callers look for',
    async desk => {
      const call = desk.api.IncidentsService.CreateIncident({ title: desk.prefix, severity: 'no-such-severity' });
      await refused(call, 'invalid_argument', /Severity\.FindOne: not found/);
    },
    'docs/api-rules.md A1, error envelope (R)',
  ),
  get.required('answers what was declared', async desk => {
    const made = await desk.incident('plain');
    const { incident } = await desk.api.IncidentsService.GetIncident({ incidentID: made.incidentID });
    same('title', incident.title, made.title);
    same('createdTime', incident.createdTime, made.createdTime);
    same('incidentID', incident.incidentID, made.incidentID);
  }),
  get.required(
    'answers 404 for an incident that there is not',
    desk => refused(desk.api.IncidentsService.GetIncident({ incidentID: noIncident }), 'not_found'),
    'docs/api-rules.md A6 (R)',
  ),
  get.ours('leads to a page of the plugin that was asked, by a slug of the title', 'A2', async desk => {
    const { overviewURL, incidentID } = await desk.incident('plain');
    const found = /^\/a\/([^/]+)\/incidents\/([^/]+)\/[a-z0-9-]+$/.exec(overviewURL);
    same(
      'incident and plugin of overviewURL',
      [found?.[2], desk.wire.base.includes(`/${found?.[1]}/`)],
      [incidentID, true],
    );
  }),
  title.required('renames the incident', async desk => {
    const { incidentID } = await desk.incident('changing');
    const renamed = `${desk.prefix} renamed`;
    const { incident } = await desk.api.IncidentsService.UpdateTitle({ incidentID, title: renamed });
    same('title', incident.title, renamed);
  }),
  title.ours('records the change once, and repeating it not at all', 'A4', async desk => {
    const { incidentID } = await desk.incident('changing twice');
    const change = () => desk.api.IncidentsService.UpdateTitle({ incidentID, title: `${desk.prefix} twice` });
    const first = await change();
    const second = await change();
    same('items', (await desk.timeline(incidentID, 'incidentTitleChanged')).length, 1);
    same('modifiedTime', second.incident.modifiedTime, first.incident.modifiedTime);
  }),
  severity.required('changes the severity, in whatever case it is named', async desk => {
    const { incidentID } = await desk.incident('changing');
    const { incident } = await desk.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'Minor' });
    same('severity', incident.severity.toLowerCase(), 'minor');
    const again = await desk.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'major' });
    same('severity', again.incident.severity.toLowerCase(), 'major');
  }),
  severity.ours('spells severities in lower case, and records the change', 'D2, A4', async desk => {
    const { incidentID } = await desk.incident('rated');
    const { incident } = await desk.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'Critical' });
    same('severity', incident.severity, 'critical');
    const [item] = await desk.timeline(incidentID, 'incidentSeverityChanged');
    same('tags of the item', item?.tags, ['important']);
  }),
  severity.required(
    'refuses a severity that there is not',
    async desk => {
      const { incidentID } = await desk.incident('changing');
      const call = desk.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'no-such-severity' });
      await refused(call, 'invalid_argument');
    },
    'docs/api-rules.md A1 (R)',
  ),
  status.required('resolves and reopens', async desk => {
    const { incidentID } = await desk.incident('changing');
    const resolved = (await desk.api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' })).incident;
    same('status', resolved.status, 'resolved');
    holds(resolved.closedTime !== '', 'a closedTime', resolved.closedTime);
    const reopened = (await desk.api.IncidentsService.UpdateStatus({ incidentID, status: 'active' })).incident;
    same('status', reopened.status, 'active');
  }),
  status.ours('takes closedTime and incidentEnd back when it reopens', 'A6', async desk => {
    const { incidentID } = await desk.incident('reopened');
    await desk.api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' });
    const { incident } = await desk.api.IncidentsService.UpdateStatus({ incidentID, status: 'active' });
    same('closedTime and incidentEnd', [incident.closedTime, incident.incidentEnd], ['', '']);
  }),
  status.required('refuses a status that there is not', async desk => {
    const { incidentID } = await desk.incident('changing');
    const reply = await desk.wire.post('IncidentsService.UpdateStatus', { incidentID, status: 'no-such-status' });
    holds(reply.status !== 200 || reply.body.error !== '', 'a refusal', reply.text);
  }),
  drill.required('marks and unmarks a drill', async desk => {
    const { incidentID } = await desk.incident('changing');
    for (const isDrill of [false, true]) {
      const { incident } = await desk.api.IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill });
      same('isDrill', incident.isDrill, isDrill);
    }
  }),
  eventTime.required('sets start and end', async desk => {
    const { incidentID } = await desk.incident('timed');
    const [start, end] = ['2026-01-31T14:05:00Z', '2026-01-31T15:06:07Z'];
    for (const [activityItemKind, time] of [
      ['incidentStart', start],
      ['incidentEnd', end],
    ] as const) {
      await desk.api.IncidentsService.UpdateIncidentEventTime({ incidentID, activityItemKind, eventTime: time });
    }
    const { incident } = await desk.api.IncidentsService.GetIncident({ incidentID });
    same('start', toTime(incident.incidentStart), toTime(start));
    same('end', toTime(incident.incidentEnd), toTime(end));
  }),
  eventTime.ours('counts durationSeconds from start to end, in whole seconds', 'A2', async desk => {
    const { incidentID } = await desk.incident('lasting');
    const times = { incidentStart: '2026-01-31T14:00:00.25Z', incidentEnd: '2026-01-31T14:00:10Z' } as const;
    for (const activityItemKind of ['incidentStart', 'incidentEnd'] as const) {
      const eventTime = times[activityItemKind];
      await desk.api.IncidentsService.UpdateIncidentEventTime({ incidentID, activityItemKind, eventTime });
    }
    const { incident } = await desk.api.IncidentsService.GetIncident({ incidentID });
    same('durationSeconds', incident.durationSeconds, 9);
  }),
  eventTime.ours('refuses an end before the start, and takes eventName for activityItemKind', 'A6, A1', async desk => {
    const { incidentID } = await desk.incident('ordered');
    const set = (body: object) =>
      desk.api.IncidentsService.UpdateIncidentEventTime({ incidentID, activityItemKind: '', eventTime: '', ...body });
    await set({ eventName: 'incidentStart', eventTime: '2026-01-31T14:00:00Z' });
    const end = set({ activityItemKind: 'incidentEnd', eventTime: '2026-01-31T13:00:00Z' });
    await refused(end, 'invalid_argument');
  }),
  incidentVersion.required('rises when the incident changes', async desk => {
    const { incidentID } = await desk.incident('counted');
    const before = await desk.api.IncidentsService.GetIncidentVersion({ incidentID });
    await desk.api.IncidentsService.UpdateTitle({ incidentID, title: `${desk.prefix} counted on` });
    const after = await desk.api.IncidentsService.GetIncidentVersion({ incidentID });
    holds(after.version > before.version, `a version above ${before.version}`, after.version);
  }),
  homescreen.required('rises when any incident changes', async desk => {
    const { incidentID } = await desk.incident('counted');
    const before = await desk.api.IncidentsService.GetHomescreenVersion({});
    await desk.api.IncidentsService.UpdateTitle({ incidentID, title: `${desk.prefix} counted further` });
    const after = await desk.api.IncidentsService.GetHomescreenVersion({});
    holds(after.version > before.version, `a version above ${before.version}`, after.version);
  }),
];

/** A label as it is sent. */
export function toLabel(label: string) {
  return { key: '', label, description: '', colorHex: '' };
}

function toTime(text: string): number {
  return Date.parse(text.replace(' ', 'T').replace(/Z?$/, 'Z'));
}
