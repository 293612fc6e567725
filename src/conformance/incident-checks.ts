import { type Check, checksOf, expectRefusal, expectSame, expectThat, expectThere } from './check.ts';

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

/** An unused incident id. */
export const noIncident = '987654321';

/** Declaring, reading and changing incidents. */
export const incidentChecks: readonly Check[] = [
  create.required('declares an incident as asked', async fixtures => {
    const incident = await fixtures.declare({ title: `${fixtures.prefix} declared`, labels: [toLabel('conformance')] });
    expectSame('title', incident.title, `${fixtures.prefix} declared`);
    expectSame('status', incident.status, 'active');
    expectSame('isDrill', incident.isDrill, true);
    expectSame(
      'labels',
      incident.labels.map(each => each.label),
      ['conformance'],
    );
    expectThat(incident.incidentID !== '', 'an incidentID', incident);
    expectSame('closedTime', incident.closedTime, '');
  }),
  create.required('opens a retrospective incident with status resolved', async fixtures => {
    const incident = await fixtures.declare({ title: `${fixtures.prefix} over`, status: 'resolved' });
    expectSame('status', incident.status, 'resolved');
    expectThat(incident.closedTime !== '', 'a closedTime', incident.closedTime);
  }),
  create.required(
    'is pending when no severity is named',
    async fixtures => {
      const incident = await fixtures.incident('plain');
      expectSame('severity', incident.severity.toLowerCase(), 'pending');
    },
    'docs/api-rules.md A2, severity (D)',
  ),
  create.required('attaches a link with its caption', async fixtures => {
    const attachURL = 'https://example.com/graph?a=1';
    const made = await fixtures.declare({ title: `${fixtures.prefix} linked`, attachURL, attachCaption: 'the graph' });
    const found = await fixtures.eventually(async () => {
      const items = await fixtures.timeline(made.incidentID);
      return items.find(each => each.url === attachURL || each.body.includes(attachURL));
    });
    expectThere(found, `${attachURL} on the timeline`, 'a timeline without it');
  }),
  create.ours('puts incidentCreated on the timeline', 'A4', async fixtures => {
    const { incidentID } = await fixtures.incident('plain');
    expectSame('items', (await fixtures.timeline(incidentID, 'incidentCreated')).length, 1);
  }),
  create.ours('trims the title, and refuses one that is blank or over 500 characters', 'A6', async fixtures => {
    const incident = await fixtures.declare({ title: `  ${fixtures.prefix} trimmed  ` });
    expectSame('title', incident.title, `${fixtures.prefix} trimmed`);
    await expectRefusal(fixtures.api.IncidentsService.CreateIncident({ title: ' ' }), 'invalid_argument');
    await expectRefusal(fixtures.api.IncidentsService.CreateIncident({ title: 'x'.repeat(501) }), 'invalid_argument');
  }),
  create.required(
    'refuses a severity that does not exist, in the words that callers look for',
    async fixtures => {
      const call = fixtures.api.IncidentsService.CreateIncident({
        title: fixtures.prefix,
        severity: 'no-such-severity',
      });
      await expectRefusal(call, 'invalid_argument', /Severity\.FindOne: not found/);
    },
    'docs/api-rules.md A1, error envelope (R)',
  ),
  get.required('answers what was declared', async fixtures => {
    const made = await fixtures.incident('plain');
    const { incident } = await fixtures.api.IncidentsService.GetIncident({ incidentID: made.incidentID });
    expectSame('title', incident.title, made.title);
    expectSame('createdTime', incident.createdTime, made.createdTime);
    expectSame('incidentID', incident.incidentID, made.incidentID);
  }),
  get.required(
    'answers 404 for an incident that does not exist',
    fixtures => expectRefusal(fixtures.api.IncidentsService.GetIncident({ incidentID: noIncident }), 'not_found'),
    'docs/api-rules.md A6 (R)',
  ),
  get.ours('leads to a page of the plugin that was asked, by a slug of the title', 'A2', async fixtures => {
    const { overviewURL, incidentID } = await fixtures.incident('plain');
    const found = /^\/a\/([^/]+)\/incidents\/([^/]+)\/[a-z0-9-]+$/.exec(overviewURL);
    expectSame(
      'incident and plugin of overviewURL',
      [found?.[2], fixtures.raw.base.includes(`/${found?.[1]}/`)],
      [incidentID, true],
    );
  }),
  title.required('renames the incident', async fixtures => {
    const { incidentID } = await fixtures.incident('changing');
    const renamed = `${fixtures.prefix} renamed`;
    const { incident } = await fixtures.api.IncidentsService.UpdateTitle({ incidentID, title: renamed });
    expectSame('title', incident.title, renamed);
  }),
  title.ours('records the change once, and repeating it not at all', 'A4', async fixtures => {
    const { incidentID } = await fixtures.incident('changing twice');
    const change = () => fixtures.api.IncidentsService.UpdateTitle({ incidentID, title: `${fixtures.prefix} twice` });
    const first = await change();
    const second = await change();
    expectSame('items', (await fixtures.timeline(incidentID, 'incidentTitleChanged')).length, 1);
    expectSame('modifiedTime', second.incident.modifiedTime, first.incident.modifiedTime);
  }),
  severity.required('changes the severity, in whatever case it is named', async fixtures => {
    const { incidentID } = await fixtures.incident('changing');
    const { incident } = await fixtures.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'Minor' });
    expectSame('severity', incident.severity.toLowerCase(), 'minor');
    const again = await fixtures.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'major' });
    expectSame('severity', again.incident.severity.toLowerCase(), 'major');
  }),
  severity.ours('spells severities in lower case, and records the change', 'D2, A4', async fixtures => {
    const { incidentID } = await fixtures.incident('rated');
    const { incident } = await fixtures.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'Critical' });
    expectSame('severity', incident.severity, 'critical');
    const [item] = await fixtures.timeline(incidentID, 'incidentSeverityChanged');
    expectSame('tags of the item', item?.tags, ['important']);
  }),
  severity.required(
    'refuses a severity that does not exist',
    async fixtures => {
      const { incidentID } = await fixtures.incident('changing');
      const call = fixtures.api.IncidentsService.UpdateSeverity({ incidentID, severity: 'no-such-severity' });
      await expectRefusal(call, 'invalid_argument');
    },
    'docs/api-rules.md A1 (R)',
  ),
  status.required('resolves and reopens', async fixtures => {
    const { incidentID } = await fixtures.incident('changing');
    const resolved = (await fixtures.api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' })).incident;
    expectSame('status', resolved.status, 'resolved');
    expectThat(resolved.closedTime !== '', 'a closedTime', resolved.closedTime);
    const reopened = (await fixtures.api.IncidentsService.UpdateStatus({ incidentID, status: 'active' })).incident;
    expectSame('status', reopened.status, 'active');
  }),
  status.ours('takes closedTime and incidentEnd back when it reopens', 'A6', async fixtures => {
    const { incidentID } = await fixtures.incident('reopened');
    await fixtures.api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' });
    const { incident } = await fixtures.api.IncidentsService.UpdateStatus({ incidentID, status: 'active' });
    expectSame('closedTime and incidentEnd', [incident.closedTime, incident.incidentEnd], ['', '']);
  }),
  status.required('refuses a status that does not exist', async fixtures => {
    const { incidentID } = await fixtures.incident('changing');
    const reply = await fixtures.raw.post('IncidentsService.UpdateStatus', { incidentID, status: 'no-such-status' });
    expectThat(reply.status !== 200 || reply.body.error !== '', 'a refusal', reply.text);
  }),
  drill.required('marks and unmarks a drill', async fixtures => {
    const { incidentID } = await fixtures.incident('changing');
    for (const isDrill of [false, true]) {
      const { incident } = await fixtures.api.IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill });
      expectSame('isDrill', incident.isDrill, isDrill);
    }
  }),
  eventTime.required('sets start and end', async fixtures => {
    const { incidentID } = await fixtures.incident('timed');
    const [start, end] = ['2026-01-31T14:05:00Z', '2026-01-31T15:06:07Z'];
    for (const [activityItemKind, time] of [
      ['incidentStart', start],
      ['incidentEnd', end],
    ] as const) {
      await fixtures.api.IncidentsService.UpdateIncidentEventTime({ incidentID, activityItemKind, eventTime: time });
    }
    const { incident } = await fixtures.api.IncidentsService.GetIncident({ incidentID });
    expectSame('start', toTime(incident.incidentStart), toTime(start));
    expectSame('end', toTime(incident.incidentEnd), toTime(end));
  }),
  eventTime.ours('counts durationSeconds from start to end, in whole seconds', 'A2', async fixtures => {
    const { incidentID } = await fixtures.incident('lasting');
    const times = { incidentStart: '2026-01-31T14:00:00.25Z', incidentEnd: '2026-01-31T14:00:10Z' } as const;
    for (const activityItemKind of ['incidentStart', 'incidentEnd'] as const) {
      const eventTime = times[activityItemKind];
      await fixtures.api.IncidentsService.UpdateIncidentEventTime({ incidentID, activityItemKind, eventTime });
    }
    const { incident } = await fixtures.api.IncidentsService.GetIncident({ incidentID });
    expectSame('durationSeconds', incident.durationSeconds, 9);
  }),
  eventTime.ours(
    'refuses an end before the start, and takes eventName for activityItemKind',
    'A6, A1',
    async fixtures => {
      const { incidentID } = await fixtures.incident('ordered');
      const set = (body: object) =>
        fixtures.api.IncidentsService.UpdateIncidentEventTime({
          incidentID,
          activityItemKind: '',
          eventTime: '',
          ...body,
        });
      await set({ eventName: 'incidentStart', eventTime: '2026-01-31T14:00:00Z' });
      const end = set({ activityItemKind: 'incidentEnd', eventTime: '2026-01-31T13:00:00Z' });
      await expectRefusal(end, 'invalid_argument');
    },
  ),
  incidentVersion.required('rises when the incident changes', async fixtures => {
    const { incidentID } = await fixtures.incident('counted');
    const before = await fixtures.api.IncidentsService.GetIncidentVersion({ incidentID });
    await fixtures.api.IncidentsService.UpdateTitle({ incidentID, title: `${fixtures.prefix} counted on` });
    const after = await fixtures.api.IncidentsService.GetIncidentVersion({ incidentID });
    expectThat(after.version > before.version, `a version above ${before.version}`, after.version);
  }),
  homescreen.required('rises when any incident changes', async fixtures => {
    const { incidentID } = await fixtures.incident('counted');
    const before = await fixtures.api.IncidentsService.GetHomescreenVersion({});
    await fixtures.api.IncidentsService.UpdateTitle({ incidentID, title: `${fixtures.prefix} counted further` });
    const after = await fixtures.api.IncidentsService.GetHomescreenVersion({});
    expectThat(after.version > before.version, `a version above ${before.version}`, after.version);
  }),
];

/** A label as it is sent. */
export function toLabel(label: string) {
  return { key: '', label, value: '', description: '', colorHex: '' };
}

function toTime(text: string): number {
  return Date.parse(text.replace(' ', 'T').replace(/Z?$/, 'Z'));
}
