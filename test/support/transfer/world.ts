import fc from 'fast-check';
import type { Api } from '../../../src/contract/contract.ts';
import type { People } from '../../../src/contract/define.ts';
import type { OpenedService } from '../service.ts';
import { apiOf } from './moving.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter(each => each.trim() !== '');
const person = fc.constantFrom('slack:U1', 'slack:U2', 'grafana-incident:user-3');
const severity = fc.constantFrom('', 'minor', 'major', 'critical');

const deed = fc.oneof(
  fc.record({ do: fc.constant('note' as const), text, ago: fc.nat(100_000) }),
  fc.record({ do: fc.constant('link' as const), text }),
  fc.record({ do: fc.constant('task' as const), text, person, status: fc.constantFrom('todo', 'progress', 'done') }),
  fc.record({ do: fc.constant('role' as const), person, role: fc.constantFrom('commander', 'observer', 'scribe') }),
  fc.record({ do: fc.constant('label' as const), text }),
  fc.record({ do: fc.constant('title' as const), text }),
  fc.record({ do: fc.constant('severity' as const), severity }),
  fc.record({ do: fc.constant('status' as const), status: fc.constantFrom('active', 'resolved') }),
  fc.record({ do: fc.constant('remove' as const) }),
);
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never;

/** What happens in a workplace: incidents with everything people do to them, and dashboards. */
export const world = fc.record({
  incidents: fc.array(
    fc.record({ title: text, severity, isDrill: fc.boolean(), by: person, deeds: fc.array(deed, { maxLength: 8 }) }),
    { minLength: 1, maxLength: 4 },
  ),
  dashboards: fc.array(
    fc.record({
      title: text,
      folder: fc.constantFrom('', 'ops', 'Ops'),
      saves: fc.integer({ min: 1, max: 3 }),
      trashed: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  deleteScribe: fc.boolean(),
});
type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

/** Makes it happen, a second and some microseconds apart. */
export async function live(opened: OpenedService, { incidents, dashboards, deleteScribe }: World): Promise<void> {
  const api = apiOf(opened);
  const pass = () => {
    opened.now = new Date(opened.now.getTime() + 1234);
  };
  const { role } = await api.RolesService.CreateRole({ role: { name: 'scribe', important: true } });
  for (const each of incidents) {
    pass();
    const people = { actor: { userID: each.by, name: `Name of ${each.by}`, email: `${each.by}@example.com` } };
    const { incident } = await api.IncidentsService.CreateIncident(
      { title: each.title, severity: each.severity, isDrill: each.isDrill, labels: [], roomPrefix: 'inc' },
      { people },
    );
    for (const what of each.deeds) {
      pass();
      await act(api, incident.incidentID, what, people, opened.now);
    }
  }
  for (const [index, { title, folder, saves, trashed }] of dashboards.entries()) {
    const uid = `${index % 2 === 0 ? 'Dash' : 'dash'}-${Math.floor(index / 2)}`;
    const model = { uid, title: `${title.trim()} ${index}`, tags: ['a', `t${index}`], panels: [{ id: 1 }] };
    for (let version = 0; version < saves; version += 1) {
      pass();
      await api.Dashboards.save({
        dashboard: { ...model, version },
        folderUid: folder,
        overwrite: true,
        message: `v${version}`,
      });
    }
    if (trashed) await api.Dashboards.delete({ uid });
  }
  if (deleteScribe) await api.RolesService.DeleteRole({ roleID: role.roleID });
}

async function act(api: Api, incidentID: string, what: Deed, people: People, now: Date): Promise<void> {
  const options = { people };
  switch (what.do) {
    case 'note': {
      const eventTime = new Date(now.getTime() - what.ago * 1000).toISOString();
      await api.ActivityService.AddActivity(
        { incidentID, activityKind: 'userNote', body: what.text, eventTime },
        options,
      );
      return;
    }
    case 'link': {
      const body = `${what.text} https://example.com/d/Dash-0/x and https://example.com/?q=1`;
      await api.ActivityService.AddActivity({ incidentID, activityKind: 'userNote', body }, options);
      return;
    }
    case 'task': {
      const { task } = await api.TasksService.AddTask(
        { incidentID, text: what.text, assignToUserID: what.person },
        options,
      );
      const status = what.status as 'todo';
      await api.TasksService.UpdateTaskStatus({ incidentID, taskID: task.taskID, status }, options);
      return;
    }
    case 'role':
      await api.IncidentsService.AssignRole({ incidentID, userID: what.person, role: what.role }, options);
      return;
    case 'label': {
      const label = { label: what.text, description: 'said', colorHex: '#ff8800' };
      await api.IncidentsService.AddLabel({ incidentID, label }, options);
      return;
    }
    case 'title':
      await api.IncidentsService.UpdateTitle({ incidentID, title: what.text }, options);
      return;
    case 'severity':
      await api.IncidentsService.UpdateSeverity({ incidentID, severity: what.severity || 'pending' }, options);
      return;
    case 'status':
      await api.IncidentsService.UpdateStatus({ incidentID, status: what.status as 'active' }, options);
      return;
    case 'remove': {
      const { activityItems } = await api.ActivityService.QueryActivity({
        query: { incidentID, activityKind: ['userNote'] },
      });
      const activityItemID = activityItems[0]?.activityItemID;
      if (activityItemID) await api.ActivityService.RemoveActivity({ incidentID, activityItemID }, options);
    }
  }
}

/** One world that has some of everything. */
export const oneOfEach: World = {
  incidents: [
    {
      title: 'Checkout is down — <b>50x</b>',
      severity: 'major',
      isDrill: false,
      by: 'slack:U1',
      deeds: [
        { do: 'note', text: 'first alert', ago: 600 },
        { do: 'link', text: 'see' },
        { do: 'task', text: 'roll back', person: 'slack:U2', status: 'done' },
        { do: 'role', person: 'slack:U2', role: 'commander' },
        { do: 'role', person: 'slack:U1', role: 'scribe' },
        { do: 'label', text: 'checkout' },
        { do: 'severity', severity: 'critical' },
        { do: 'status', status: 'resolved' },
      ],
    },
    { title: 'A drill', severity: '', isDrill: true, by: 'slack:U2', deeds: [{ do: 'note', text: 'hello', ago: 1 }] },
  ],
  dashboards: [
    { title: 'Checkout', folder: 'ops', saves: 2, trashed: false },
    { title: 'Old', folder: '', saves: 1, trashed: true },
  ],
  deleteScribe: true,
};
