import { expect, test } from 'vitest';
import type { Api } from '../../src/contract/contract.ts';
import { openElsewhere, secret, sendWebhook, sign } from '../support/elsewhere.ts';
import { openGeneral } from '../support/general.ts';
import { recover } from '../support/recover.ts';
import { readList } from '../support/table.ts';
import { TestTimers } from '../support/timers.ts';

/** How long a card gathers changes, in milliseconds (bot/incident/board/loop.ts). */
const gathering = 300;

test('what changes in a Grafana is on card, topic, announcement and in the room within fifteen seconds', async () => {
  const { elsewhere, look, timers, card, announcement, room, lines } = await openElsewhere();
  await look();
  const before = timers.monotonicNow();
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  await elsewhere.IncidentsService.UpdateSeverity({ incidentID: '1', severity: 'major' });
  await look();
  expect(timers.monotonicNow() - before + gathering).toBeLessThan(15_000);
  expect(card()).toContain('Resolved');
  expect(announcement()).toContain('Resolved');
  expect(room.topic).toBe('Resolved · Disk is full');
  expect(lines()).toEqual([
    expect.stringContaining('Outside Slack, somebody resolved the incident; set the severity from pending to major.'),
  ]);
  await look();
  expect(lines()).toHaveLength(1);
});

test('with webhooks it is there within five seconds, and nobody asked the Grafana for changes', async () => {
  const { elsewhere, timers, place, card, announcement, room, lines, asked } = await openElsewhere({ hears: true });
  await place.quiet();
  const before = timers.monotonicNow();
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  await timers.fire(1000);
  await place.quiet();
  expect(timers.monotonicNow() - before + gathering).toBeLessThan(5000);
  expect(card()).toContain('Resolved');
  expect(announcement()).toContain('Resolved');
  expect(room.topic).toBe('Resolved · Disk is full');
  expect(lines()).toHaveLength(1);
  expect(asked('GetHomescreenVersion')).toBe(0);
});

test('looks are rarer while webhooks come, and take over when none comes although something changed', async () => {
  const { elsewhere, timers, place, grafana, lines, asked } = await openElsewhere({ hears: true });
  const heard = async () => {
    await timers.fire(1000);
    await place.quiet();
  };
  const pass = async (ms: number) => {
    await timers.fire(ms);
    await place.quiet();
  };
  const { UpdateSeverity } = elsewhere.IncidentsService;
  await UpdateSeverity({ incidentID: '1', severity: 'minor' });
  await heard();
  await pass(10_000);
  expect(asked('GetHomescreenVersion')).toBe(1);
  await pass(10_000);
  await pass(20_000);
  expect(asked('GetHomescreenVersion'), 'one look in thirty seconds').toBe(2);

  await grafana.webhooks.remove(1);
  await UpdateSeverity({ incidentID: '1', severity: 'major' });
  await pass(10_000);
  await pass(20_000);
  expect(asked('GetHomescreenVersion')).toBe(3);
  expect(lines().join()).toContain('to major');
  const before = timers.monotonicNow();
  await UpdateSeverity({ incidentID: '1', severity: 'critical' });
  await pass(10_000);
  expect(lines().join()).toContain('to critical');
  expect(timers.monotonicNow() - before + gathering, 'looks took over').toBeLessThan(15_000);
});

test('a thousand changes in a burst are one message and at most ten calls of Slack', async () => {
  const timers = new TestTimers(() => undefined);
  const { place, slack, alice, type } = await openGeneral({ timers, settings: { INCIDENT_WEBHOOK_SECRET: secret } });
  await type('/incident declare Disk is full --now');
  const room = slack.channels.find(each => each.name.startsWith('inc-1')) ?? expect.fail('There is no room');
  const hook = `${place.muster.url}/hooks/incident`;
  const change = async (at: number) => {
    const title = `Disk is full, try ${at}`;
    const { incident } = await place.api.IncidentsService.UpdateTitle({ incidentID: '1', title });
    const { status } = await sendWebhook(hook, { incident, event: 'grafana.incident.updated.title', id: `${at}` });
    expect(status).toBe(200);
  };
  const before = slack.calls.length;
  for (let from = 0; from < 1000; from += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, at) => change(from + at + 1)));
    // It goes on for longer than changes are gathered.
    if (from === 450) await timers.fire(1000);
  }
  await place.api.IncidentsService.UpdateTitle({ incidentID: '1', title: 'In the end' });
  await timers.fire(10_000);
  await place.quiet();
  const lines = place.reads(alice, room.id).filter(each => each.includes(sign));
  expect(lines).toEqual([expect.stringMatching(/renamed the incident to “In the end”\.$/)]);
  expect(room.topic).toContain('In the end');
  expect(slack.calls.length - before).toBeLessThanOrEqual(10);
});

test('an idle API is asked for one number every ten seconds, however many incidents there are', async () => {
  const { elsewhere, look, grafana } = await openElsewhere();
  for (let at = 0; at < 20; at += 1)
    await elsewhere.IncidentsService.CreateIncident({ title: `Number ${at}`, status: 'resolved' });
  await look();
  const before = grafana.requests.length;
  for (let at = 0; at < 6; at += 1) await look();
  const asked = grafana.requests.slice(before);
  expect(asked).toHaveLength(6);
  expect(asked.every(each => each.endsWith('IncidentsService.GetHomescreenVersion'))).toBe(true);
});

test('what Muster itself changes is not said a second time, however it comes back', async () => {
  const { look, type, lines } = await openElsewhere({ hears: true });
  const verbs = readList(`
    /incident severity major | /incident title The disk is very full | /incident label storage, paging
    /incident unlabel paging | /role assign @alice commander | /role assign @alice observer
    /role unassign @alice observer | /incident drill on | /incident drill off | /task add Call the vendor
    /task done 1 | /note add Looking at it | /incident started 10 minutes ago | /incident resolve --now
    /incident reopen
  `);
  for (const verb of verbs) await type(verb);
  await look();
  expect(lines()).toEqual([]);
});

test('a change from elsewhere is said although Muster changed something else meanwhile', async () => {
  const { elsewhere, look, type, lines, room } = await openElsewhere();
  await elsewhere.IncidentsService.AddLabel({ incidentID: '1', label: { label: '<!channel> `x`' } });
  await type('/incident severity major');
  await look();
  expect(lines()).toHaveLength(1);
  expect(lines().join()).toContain('added the label');
  expect(lines().join()).not.toContain('severity');
  const raw = room.messages.map(each => each.text).join();
  expect(raw).toContain("`&lt;!channel&gt; 'x'`");
});

test('a room that never read of a resolution elsewhere reads of the reopening that the API takes at the second try', async () => {
  const { grafana, elsewhere, type, place, alice, room } = await openElsewhere();
  const told = () => place.reads(alice, room.id).filter(each => each.includes('Reopened –'));
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  grafana.fail({ when: /UpdateStatus/, answer: { status: 500, body: 'oops' } });
  await type('/incident reopen');
  expect(told()).toEqual([]);
  await recover(place, grafana);
  await place.quiet();
  expect(told()).toEqual(['🔁 Reopened – @alice']);
});

interface SaidAgain {
  readonly known: string;
  readonly opposite: (api: Api, userID: string) => Promise<unknown>;
  readonly again: string;
  readonly when: RegExp;
  readonly line: string;
}

/** What the room knows, the opposite that its Slack never read of, and the act that says the same again, with its line. */
const saidAgain: Readonly<Record<string, SaidAgain>> = {
  severity: {
    known: '/incident severity minor',
    opposite: ({ IncidentsService }) => IncidentsService.UpdateSeverity({ incidentID: '1', severity: 'major' }),
    again: '/incident severity minor',
    when: /UpdateSeverity/,
    line: '🟡 Severity lowered: major → minor – @alice',
  },
  title: {
    known: '/incident title Disk A is full',
    opposite: ({ IncidentsService }) => IncidentsService.UpdateTitle({ incidentID: '1', title: 'Disk B is full' }),
    again: '/incident title Disk A is full',
    when: /UpdateTitle/,
    line: ':pencil2: @alice renamed the incident to “Disk A is full”',
  },
  label: {
    known: '/incident label storage',
    opposite: ({ IncidentsService }) => IncidentsService.RemoveLabel({ incidentID: '1', label: 'storage' }),
    again: '/incident label storage',
    when: /AddLabel/,
    line: ':label: @alice added the label storage to the incident',
  },
  'no label': {
    known: '/incident unlabel storage',
    opposite: ({ IncidentsService }) => IncidentsService.AddLabel({ incidentID: '1', label: { label: 'storage' } }),
    again: '/incident unlabel storage',
    when: /RemoveLabel/,
    line: ':label: @alice took the label storage off the incident',
  },
  drill: {
    known: '/incident drill on',
    opposite: ({ IncidentsService }) => IncidentsService.UpdateIncidentIsDrill({ incidentID: '1', isDrill: false }),
    again: '/incident drill on',
    when: /UpdateIncidentIsDrill/,
    line: '🧪 @alice marked the incident as a drill',
  },
  role: {
    known: '/role assign me observer',
    opposite: ({ IncidentsService }, userID) =>
      IncidentsService.UnassignRole({ incidentID: '1', userID, role: 'observer' }),
    again: '/role assign me observer',
    when: /\.AssignRole/,
    line: ':bust_in_silhouette: @alice took the role observer',
  },
  'no role': {
    known: '/role unassign me observer',
    opposite: ({ IncidentsService }, userID) =>
      IncidentsService.AssignRole({ incidentID: '1', userID, role: 'observer' }),
    again: '/role unassign me observer',
    when: /UnassignRole/,
    line: ':bust_in_silhouette: @alice gave up the role observer',
  },
  'hand-over': {
    known: '/role assign @bob commander',
    opposite: async ({ IncidentsService }, userID) => {
      await IncidentsService.UnassignRole({ incidentID: '1', userID, role: 'commander' });
      await IncidentsService.AssignRole({ incidentID: '1', userID: 'somebody', role: 'commander' });
    },
    again: '/role handover @bob',
    when: /\.UnassignRole/,
    line: ':bust_in_silhouette: @alice handed command to @bob in place of somebody',
  },
};

test.each(Object.entries(saidAgain))(
  'a room that never read that its %s was turned back elsewhere reads of the act that turns it again at the second try',
  async (_, { known, opposite, again, when, line }) => {
    const { grafana, elsewhere, slack, type, place, alice, room } = await openElsewhere();
    slack.addPerson({ name: 'bob' });
    const told = () =>
      place
        .reads(alice, room.id)
        .flatMap(each => each.split('\n'))
        .filter(each => each === line);
    await type(known);
    const { incident } = await elsewhere.IncidentsService.GetIncident({ incidentID: '1' });
    const [held] = incident.incidentMembership.assignments;
    await opposite(elsewhere, held?.user.userID ?? `slack:${alice.id}`);
    const before = told().length;
    grafana.fail({ when, answer: { status: 500, body: 'oops' } });
    await type(again);
    expect(told()).toHaveLength(before);
    await recover(place, grafana);
    await place.quiet();
    expect(told()).toHaveLength(before + 1);
  },
);

test('of a private incident nothing is said outside its room', async () => {
  const { elsewhere, look, lines, slack, room } = await openElsewhere({ flags: '--private' });
  const outside = () => slack.channels.filter(each => each.id !== room.id).flatMap(each => each.messages);
  const before = JSON.stringify(outside());
  await elsewhere.IncidentsService.UpdateTitle({ incidentID: '1', title: 'Something secret' });
  await look();
  expect(room.isPrivate).toBe(true);
  expect(lines()).toHaveLength(1);
  expect(JSON.stringify(outside())).toBe(before);
});

test('an incident that was declared elsewhere since the first start is found once; one of Muster’s own never', async () => {
  const { elsewhere, look, type, place } = await openElsewhere();
  const found = () =>
    place.logged
      .filter(each => each.includes('sync: an incident was declared elsewhere'))
      .map(each => JSON.parse(each).incident);
  await type('/incident declare Second of ours --now');
  await type('/incident declare Over --resolved --now');
  await look();
  expect(found()).toEqual([]);
  const { incident } = await elsewhere.IncidentsService.CreateIncident({ title: 'Of somebody else' });
  await look();
  await elsewhere.IncidentsService.UpdateTitle({ incidentID: incident.incidentID, title: 'Still of somebody else' });
  await look();
  expect(found()).toEqual([incident.incidentID]);
});

test('the embedded service tells of a change through its own API at once', async () => {
  const token = 'glsa_somebody_elses_1234567';
  const timers = new TestTimers(() => undefined);
  const { place, slack, alice, type } = await openGeneral({
    settings: { SERVICE_TOKENS: `${token}:Editor` },
    timers,
  });
  await type('/incident declare Disk is full --now');
  const room = slack.channels.find(each => each.name.startsWith('inc-1')) ?? expect.fail('There is no room');
  const url = `${place.muster.url}/api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.UpdateStatus`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ incidentID: '1', status: 'resolved' });
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  // A second at most: changes that come together are shown together.
  await timers.fire(1000);
  await place.quiet();
  expect(place.reads(alice, room.id).join('\n')).toContain('somebody resolved the incident');
});

test('a room that did not hear of an end elsewhere hears of the reopening, also when its answer was lost', async () => {
  const { elsewhere, grafana, place, alice, room, type, look } = await openElsewhere();
  await look();
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  grafana.fail({ when: /UpdateStatus/, answer: 'hang up', afterEffect: true, thenAway: true, times: 1 });
  await type('/incident reopen');
  await recover(place, grafana);
  await place.quiet();
  const heard = place.reads(alice, room.id).filter(each => /Reopened/.test(each));
  expect(heard).toEqual([expect.stringContaining('alice')]);
});
