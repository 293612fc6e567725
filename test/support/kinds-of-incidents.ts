import { isLong } from './length.ts';
import { ana, ben, declare, openPages, saveDashboard, say, tellLong, tellMany, tellShort } from './pages.ts';
import { call, type OpenedService } from './service.ts';

/** An incident of each kind that a page has to show, by its name; the longest timeline has 1,000 items, and 6,000 in `npm run test:long`. */
export const kindsOfIncidents = [
  'active',
  'resolved',
  'two minutes old',
  'reopened',
  '300 items',
  'thousands of items',
  'right to left',
  'of long words',
] as const;
/** One of {@link kindsOfIncidents}. */
export type KindOfIncident = (typeof kindsOfIncidents)[number];

/** A service with an incident of each kind, a year of others, and a dashboard; the addresses of its pages. */
export interface OpenedKinds extends OpenedService {
  readonly incidents: Readonly<Record<KindOfIncident, string>>;
  readonly dashboard: string;
}

/** Opens the service of {@link OpenedKinds}. It is noon of 19 September 2026 there. */
export async function openKinds(): Promise<OpenedKinds> {
  const opened = await openPages();
  await tellMany(opened);
  const ids: Record<KindOfIncident, string> = {
    'thousands of items': await tellItems(opened, isLong ? 6000 : 1000),
    '300 items': await tellLong(opened),
    reopened: await tellReopened(opened),
    resolved: await tellShort(opened),
    'right to left': await tellRightToLeft(opened),
    'of long words': await tellLongWords(opened),
    active: await tellActive(opened),
    'two minutes old': await tellFresh(opened),
  };
  const dashboard = await saveDashboard(opened);
  opened.now = new Date('2026-09-19T12:00:00Z');
  const toPath = ([kind, id]: [string, string]) => [kind, `/a/grafana-irm-app/incidents/${id}`];
  return Object.assign(opened, {
    incidents: Object.fromEntries(Object.entries(ids).map(toPath)) as Readonly<Record<KindOfIncident, string>>,
    dashboard,
  });
}

/** An open incident with so many notes, one every ten seconds; gives its id. */
export async function tellItems(opened: OpenedService, count: number): Promise<string> {
  const began = Date.parse('2026-09-17T08:00:00Z');
  const incidentID = await declare(opened, new Date(began).toISOString(), {
    title: `Queue of the mailer grows (${count})`,
    severity: 'major',
  });
  const body = 'The queue holds 41,000 letters, and the oldest waits since 07:40.';
  for (let index = 1; index < count; index += 1) {
    const when = new Date(began + index * 10_000).toISOString();
    await say(opened, when, index % 2 ? ana : ben, 'ActivityService.AddActivity', {
      ...{ incidentID, activityKind: 'userNote', body: `${body} (${index})` },
    });
  }
  return incidentID;
}

type Notes = readonly (readonly [when: string, body: string, fieldValues?: object])[];

async function note(opened: OpenedService, incidentID: string, notes: Notes): Promise<void> {
  for (const [when, body, fieldValues = {}] of notes)
    await say(opened, when, ben, 'ActivityService.AddActivity', {
      ...{ incidentID, activityKind: 'userNote', body, fieldValues },
    });
}

async function lead(opened: OpenedService, when: string, incidentID: string): Promise<void> {
  const { roles } = await call(opened, 'RolesService.GetRoles');
  await say(opened, when, ana, 'IncidentsService.AssignRole', { incidentID, userID: ana.userID, role: roles[0]?.name });
}

/** An open incident as a room leaves it: a commander, an update with a promise, tasks, messages, a dashboard. */
async function tellActive(opened: OpenedService): Promise<string> {
  const incidentID = await declare(opened, '10:50', { title: 'Login is slow for everybody', severity: 'critical' });
  await lead(opened, '10:51', incidentID);
  for (const text of ['Roll back the session store to last week’s release', 'Tell support what to answer'])
    await say(opened, '10:55', ana, 'TasksService.AddTask', { incidentID, text, assignToUserID: ben.userID });
  const permalink = 'https://acme.slack.com/archives/C1/p1758279600000100';
  const message = { source: 'message', saidBy: 'Ana Torres', addedBy: 'Ben Okafor', permalink };
  await note(opened, incidentID, [
    ['11:02', `Logins take 20 s.\n\n— said by Ana Torres in Slack, added by Ben Okafor: ${permalink}`, message],
    ['11:20', 'The session store waits for its disk. https://wiki.example.com/runbooks/sessions'],
    [
      '11:41',
      '📣 Two of three stores are back, and logins take 3 s again. We roll back the third.',
      { source: 'update', nextUpdateAt: '2026-09-19T12:11:00Z' },
    ],
  ]);
  await say(opened, '11:45', ana, 'IncidentsService.UpdateSeverity', { incidentID, severity: 'major' });
  return incidentID;
}

async function tellFresh(opened: OpenedService): Promise<string> {
  const incidentID = await declare(opened, '11:58', { title: 'Search finds nothing', severity: 'minor' });
  await note(opened, incidentID, [['11:59', 'Is it the index, or the cache before it?']]);
  return incidentID;
}

/** Resolved twice before its end. */
async function tellReopened(opened: OpenedService): Promise<string> {
  const incidentID = await declare(opened, '2026-09-18T04:00:00Z', {
    title: 'Exports stop half-way',
    severity: 'major',
  });
  const statuses = [
    ['05:00', 'resolved'],
    ['07:30', 'active'],
    ['08:10', 'resolved'],
    ['13:00', 'active'],
    ['15:45', 'resolved'],
  ] as const;
  for (const [clock, status] of statuses)
    await say(opened, `2026-09-18T${clock}:00Z`, ana, 'IncidentsService.UpdateStatus', { incidentID, status });
  await note(opened, incidentID, [
    ['2026-09-18T15:45:30Z', 'The worker’s memory limit was too low.', { source: 'resolution' }],
  ]);
  return incidentID;
}

async function tellRightToLeft(opened: OpenedService): Promise<string> {
  const actor = { userID: 'slack:U9', name: 'فاطمة الزهراء' };
  const title = 'بطء في صفحة الدفع للعملاء';
  const incidentID = await declare(opened, '11:00', { title, severity: 'minor' }, actor);
  await note(opened, incidentID, [['11:05', 'الخادم الثاني لا يجيب. نعيد تشغيله الآن.']]);
  await lead(opened, '11:06', incidentID);
  await say(opened, '11:07', actor, 'TasksService.AddTask', {
    ...{ incidentID, text: 'اتصل بالبنك', assignToUserID: actor.userID },
  });
  return incidentID;
}

/** An incident whose every field is as long as people make them. */
async function tellLongWords(opened: OpenedService): Promise<string> {
  const actor = { userID: 'slack:U8', name: 'Thiruvananthapuram Krishnamurthy-Venkataraghavan' };
  const title = 'The replication of the internationalization service disagrees with itself in Llanfairpwllgwyngyll';
  const labels = [{ label: 'infrastructure-observability-platform' }, { label: 'x'.repeat(100) }];
  const incidentID = await declare(opened, '09:40', { title, severity: 'major', labels, isDrill: true }, actor);
  const { role } = await call(opened, 'RolesService.CreateRole', {
    role: { name: 'communications coordinator', description: 'Tells the customers', important: true },
  });
  await say(opened, '09:41', actor, 'IncidentsService.AssignRole', {
    ...{ incidentID, userID: actor.userID, role: role.name },
  });
  await note(opened, incidentID, [
    ['09:45', `A word without an end: ${'w'.repeat(2000)} https://example.com/${'p'.repeat(800)}`],
    [
      '09:46',
      `\`\`\`\n${'kubectl get pods --all-namespaces --output=wide --selector=app=replicator '.repeat(6)}\n\`\`\``,
    ],
  ]);
  return incidentID;
}
