import { expect, onTestFinished, test } from 'vitest';
import { patient } from '../support/deadlines.ts';
import { requests } from '../support/grafana/documents.ts';
import { openGrafana } from '../support/grafana/grafana.ts';
import { lastMessage, openIncident } from '../support/incident-room.ts';

/** An incident in a Grafana, on a clock that moves by each act alone, and the requests that an act costs with all that follows from it. */
async function openCounted() {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const grafana = await openGrafana({ now: clock });
  onTestFinished(() => grafana[Symbol.asyncDispose]());
  const { settings } = grafana;
  const opened = await openIncident({ clock, monotonicNow: () => now.getTime(), deadlines: patient(), settings });
  const { place } = opened;
  const costOf = async (act: () => unknown): Promise<readonly string[]> => {
    now = new Date(now.getTime() + 10_000);
    await place.quiet();
    const before = grafana.taken.length;
    await act();
    await place.quiet();
    return grafana.taken.slice(before).map(each => each.operation);
  };
  return { ...opened, grafana, costOf };
}

/** Asked once in a minute, and once in ten, whatever people do. */
const isOfTime = (operation: string) =>
  /^(?:RolesService.GetRoles|IncidentsService.GetHomescreenVersion|GET \/a\/)/.test(operation);
const isRead = (operation: string) => /\.(?:Get|Query)|^GET /.test(operation);

const severity = 'IncidentsService.UpdateSeverity';
const addLabel = 'IncidentsService.AddLabel';
const removeLabel = 'IncidentsService.RemoveLabel';
const drill = 'IncidentsService.UpdateIncidentIsDrill';
const title = 'IncidentsService.UpdateTitle';
const moment = 'IncidentsService.UpdateIncidentEventTime';
const status = 'IncidentsService.UpdateStatus';
const assign = 'IncidentsService.AssignRole';
const unassign = 'IncidentsService.UnassignRole';
const note = 'ActivityService.AddActivity';
const remove = 'ActivityService.RemoveActivity';
const addTask = 'TasksService.AddTask';
const taskStatus = 'TasksService.UpdateTaskStatus';
const taskUser = 'TasksService.UpdateTaskUser';

const twice = (operation: string) => [operation, operation];

/** What alice types, or the button of the last message that she presses, and the calls that make the change. */
const acts: readonly (readonly [act: string, ...own: string[]])[] = [
  ['/incident severity major', severity],
  ['Undo', severity],
  ['/incident severity minor it is less', severity, note],
  ['/incident label eu', addLabel],
  ['Undo', removeLabel],
  ['/incident label a, b', ...twice(addLabel)],
  ['/incident unlabel a', removeLabel],
  ['Undo', addLabel],
  ['/incident drill on', drill],
  ['Undo', drill],
  ['/incident title Other words', title],
  ['Undo', title],
  ['/incident started 30m ago', moment],
  ['Undo', moment],
  ['/incident summary It is their network', note],
  ['Undo', remove],
  ['/incident update We fail over', note],
  ['Undo', remove],
  ['/incident update We fail over --next 30m --severity critical', severity, note],
  ['Undo', severity, remove],
  ['/task add fail over', addTask],
  ['/task add call them @bob', addTask],
  ['/task start 1', taskStatus],
  ['Undo', taskStatus],
  ['/task done 1', taskStatus],
  ['/task reopen 1', taskStatus],
  ['/task assign 1 @bob', taskUser],
  ['/task unassign 1', taskUser],
  ['Undo', taskUser],
  ['/task edit 1 fail over now', 'TasksService.UpdateTaskText'],
  // It is answered with the tasks that are left, and they are read for it.
  ['/task delete 1', 'TasksService.DeleteTask', 'IncidentsService.GetIncident'],
  ['/role assign me commander', assign],
  ['/role assign @bob investigator', assign],
  ['Undo', unassign],
  // The one who takes over reads what happened.
  [
    '/role handover @bob commander',
    assign,
    unassign,
    'IncidentsService.GetIncident',
    ...twice('ActivityService.QueryActivity'),
  ],
  ['/role unassign @bob commander', unassign],
  ['/role assign me observer', assign],
  ['/role leave observer', unassign],
  ['/note add It is their network', note],
  ['Undo', remove],
  ['/note add earlier --at 5m ago', note],
  // Its title is looked up.
  ['/dash link {url}/d/checkout/checkout last 3 hours', 'GET /api/dashboards/uid/:uid', 'ShortUrls.create', note],
  ['/dash link https://status.example.com/7', note],
  ['/incident resolve --now', status],
  ['Undo', status],
  ['/incident resolve the cache was full --now', note, status],
  ['/incident ended 5s ago', moment],
  ['/incident reopen it is back', note, status],
  ['/incident resolve over at last --at 1s ago --now', moment, note, status],
  ['/incident declare Disk is full --now', 'IncidentsService.CreateIncident'],
];

test('a change costs three requests at most beside its own, whoever makes it and however', async () => {
  const { place, alice, home, type, press, costOf, grafana } = await openCounted();
  grafana.saveDashboard({ uid: 'checkout', title: 'Checkout' });
  await place.quiet();
  const dear: string[] = [];
  const made = new Set<string>();
  let rounds = 0;
  for (const [act, ...own] of acts) {
    const line = act.replace('{url}', grafana.url);
    const all = await costOf(() => (act === 'Undo' ? press(lastMessage(place, alice, home), act) : type(line)));
    const cost = all.filter(each => !isOfTime(each));
    const changes = own.filter(each => !isRead(each));
    expect(cost.filter(each => !isRead(each)).toSorted(), act).toEqual(changes.toSorted());
    for (const each of changes) made.add(each);
    // A round of the board asks twice. Where an act takes longer than changes are gathered, as on a slow machine, its first change has a round.
    const ofRounds = (some: readonly string[]) => some.filter(each => each === 'ActivityService.QueryActivity').length;
    const more = Math.max(0, ofRounds(cost) - ofRounds(own) - 1);
    rounds += more;
    if (cost.length > own.length + 3 + 2 * more) dear.push(`${act}: ${cost.join(' ')}`);
  }
  expect(dear).toEqual([]);
  expect(rounds).toBeLessThan(acts.length / 4);
  const ofIncidents = Object.keys(requests).filter(each => /^(?:Incidents|Tasks|Activity)/.test(each) && !isRead(each));
  const elsewhere = /CreateIncident|UpdateActivity/;
  expect(ofIncidents.filter(each => !made.has(each) && !elsewhere.test(each))).toEqual([]);
});

test.each([0, 1, 5, 30])(
  'with %i open incidents that Muster has not seen, a home tab costs three requests at most',
  async count => {
    const { grafana, alice, costOf, type } = await openCounted();
    for (let at = 0; at < count; at += 1) {
      const { incident } = grafana.call('IncidentsService.CreateIncident', {
        title: `Other ${at}`,
        severity: 'minor',
      }) as {
        readonly incident: { readonly incidentID: string };
      };
      const { incidentID } = incident;
      grafana.call('TasksService.AddTask', { incidentID, text: `of ${at}`, assignToUserID: `slack:${alice.id}` });
    }
    await type('/incident resolve --now');
    const first = await costOf(() => alice.openHome());
    expect(first.length, first.join(' ')).toBeLessThanOrEqual(3);
    expect(JSON.stringify(alice.home)).toContain(count === 0 ? 'none is open' : `*Your tasks* (${count})`);
    const later = await costOf(() => alice.openHome());
    expect(later.length, later.join(' ')).toBeLessThanOrEqual(1);
  },
);

test('where a Grafana has no list of whole incidents, a home tab costs three requests at most, and has all after some', async () => {
  const { grafana, alice, costOf } = await openCounted();
  for (let at = 0; at < 4; at += 1)
    grafana.call('IncidentsService.CreateIncident', { title: `Other ${at}`, severity: 'minor' });
  grafana.call('TasksService.AddTask', { incidentID: '2', text: 'the oldest', assignToUserID: `slack:${alice.id}` });
  const away = {
    effect: 'none' as const,
    reply: () => ({ status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' }),
  };
  grafana.fail('IncidentsService.QueryIncidents', away);
  for (let at = 0; at < 4; at += 1) expect((await costOf(() => alice.openHome())).length).toBeLessThanOrEqual(3);
  expect(JSON.stringify(alice.home)).toContain('the oldest');
});
