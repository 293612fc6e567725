import type { Tables } from '../../src/service/store/tables.ts';
import { openPages, say } from './pages.ts';
import { call, type OpenedService } from './service.ts';

/** What somebody might write to make a page do their bidding: markup in every manner, an address that is a script, marks that turn text. */
export const hostile =
  '<script>window.pwned=1</script>"\'><img src=x onerror=window.pwned=1>\u202egnp.exe\u2066</title></textarea>--><svg/onload=window.pwned=1>&lt;b&gt;';
const script = 'javascript:window.pwned=1//https://example.com';

/** A service in whose every field somebody wrote {@link hostile}, and the addresses of all that shows it. */
export async function openHostile(): Promise<OpenedService & { readonly paths: readonly string[] }> {
  const opened = await openPages({
    severities: [
      { label: 'pending', level: -1 },
      { label: `sev ${hostile}`, level: 1 },
    ],
    folders: [{ uid: 'evil', title: hostile }],
  });
  const actor = { userID: 'evil:1', name: hostile, photoURL: script };
  const { incident } = await say(opened, '09:00', actor, 'IncidentsService.CreateIncident', {
    title: hostile,
    severity: `sev ${hostile}`,
    labels: [{ label: hostile }],
    attachURL: script,
    attachCaption: hostile,
  });
  const { incidentID } = incident;
  const label = { key: hostile, label: `${hostile} 2`, description: hostile };
  await say(opened, '09:01', actor, 'IncidentsService.AddLabel', { incidentID, label });
  await opened.database
    .as<Tables>()
    .updateTable('org_label')
    .set({ color_hex: '#fff" onload="window.pwned=1' })
    .execute();
  const fieldValues = { source: hostile, saidBy: hostile, addedBy: hostile, permalink: script };
  for (const body of [
    hostile,
    `\`\`\`\n${hostile}\n\`\`\`\n${script} https://example.com/?q=${hostile}`,
    `${hostile}\n\n— said by ${hostile} in Slack`,
  ]) {
    await say(opened, '09:02', actor, 'ActivityService.AddActivity', {
      incidentID,
      activityKind: 'userNote',
      body,
      fieldValues,
    });
  }
  const long = hostile.repeat(40);
  await say(opened, '09:03', actor, 'ActivityService.AddActivity', {
    incidentID,
    activityKind: 'userNote',
    body: long,
  });
  await say(opened, '09:04', actor, 'TasksService.AddTask', {
    incidentID,
    text: hostile,
    assignToUserID: actor.userID,
  });
  const { role } = await call(opened, 'RolesService.CreateRole', {
    role: { name: hostile.slice(0, 60), description: hostile, important: true },
  });
  await say(opened, '09:05', actor, 'IncidentsService.AssignRole', {
    incidentID,
    userID: actor.userID,
    role: role.name,
  });
  const panel = {
    id: 1,
    title: hostile,
    type: hostile,
    description: hostile,
    datasource: { type: hostile, uid: hostile },
    gridPos: { x: hostile, y: {}, w: -1, h: null },
    targets: [{ expr: hostile }, { rawSql: script }, null, 7],
  };
  const model = {
    uid: 'evil-board',
    title: hostile,
    tags: [hostile],
    description: hostile,
    time: { from: hostile, to: script },
    templating: { list: [{ name: hostile, current: { value: [hostile] } }, 'x', null] },
    panels: [panel, { ...panel, type: 'row', panels: [panel, [], 'x'] }, null, 'x'],
    links: [{ url: script }],
    '<script>': hostile,
  };
  await opened.service.handle({
    method: 'POST',
    path: '/api/dashboards/db',
    headers: {},
    body: JSON.stringify({ dashboard: model, message: hostile, folderUid: 'evil' }),
  });
  const q = encodeURIComponent(hostile);
  const overview = `/a/grafana-irm-app/incidents/${incidentID}`;
  const paths = [
    overview,
    `${overview}/${q}?show=${q}`,
    `${overview}?after=${q}`,
    `/a/${q}/incidents/${incidentID}`,
    `/a/grafana-irm-app/incidents/${q}`,
    '/incidents',
    `/incidents?q=${q}`,
    `/incidents?q=%22${q.replaceAll('%22', '')}%22&severity=${q}&status=${q}&drills=${q}&after=${q}`,
    `/incidents?severity=${q}`,
    '/incidents/figures',
    `/incidents/figures?q=${q}&by=${q}&severity=${q}`,
    '/d/evil-board',
    `/d/evil-board/${q}?from=${q}&to=${q}&var-${q}=${q}`,
    `/d/${q}`,
    '/dashboards/f/evil',
    `/dashboards/f/evil/${q}`,
    `/dashboards/f/${q}`,
    `/${q}`,
  ];
  return Object.assign(opened, { paths });
}
