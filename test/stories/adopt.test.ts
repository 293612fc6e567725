import { expect, test } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import { openElsewhere } from '../support/elsewhere.ts';
import { recover } from '../support/recover.ts';

/** What an alert asks the Grafana for. */
const alert = { title: 'Queue is stuck', severity: 'major', status: 'active' } as const;

/**
 * A Muster that knows a Grafana, whose alert then began incident 2. It is offered in #alerts, where alice and bob are; `seen` are those
 * who read #alerts too.
 */
async function openAlert(options: { readonly settings?: Record<string, string>; readonly incident?: object } = {}) {
  const opened = await openElsewhere(options);
  const { slack, place, alice, alerts, elsewhere, look } = opened;
  const bob = slack.addPerson({ name: 'bob' });
  bob.join(alerts);
  await look();
  await elsewhere.IncidentsService.CreateIncident({ ...alert, ...options.incident });
  await look();
  const offers = () => place.messages(alice, alerts.id).filter(each => JSON.stringify(each).includes('Queue is stuck'));
  const offered = () => place.reads(alice, alerts.id).filter(each => each.includes('Queue is stuck'));
  const rooms = () => slack.channels.filter(each => each.name.includes('queue-is-stuck'));
  const press = async (...people: Person[]) => {
    const offer = offers()[0] ?? expect.fail('There is no offer');
    await Promise.all(people.map(person => person.press(offer, 'Open a channel')));
    await place.quiet();
  };
  return { ...opened, bob, offers, offered, rooms, press };
}

test('an incident that an alert began is offered once; the offer becomes its announcement', async () => {
  const { offered, offers, rooms, press, look, place, alice, bob, slack } = await openAlert();
  expect(offered()).toHaveLength(1);
  expect(offers()[0]?.text).toContain('It has no channel. If another app made one already, invite me there');
  expect(offered()[0]).toContain(
    'It has no channel. If another app made one already, invite me there and type /incident link 2 in it.\n[Open a channel]',
  );
  expect(rooms()).toEqual([]);
  await look();
  expect(offered()).toHaveLength(1);
  await press(bob);
  const [room] = rooms();
  if (!room) throw new Error('There is no room');
  expect(slack.channel(room.id).members).toContain(bob.id);
  expect(place.reads(bob, room.id)[0]).toContain('Queue is stuck');
  expect(slack.channel(room.id).messages.filter(each => each.pinned)).toHaveLength(1);
  expect(offered()).toHaveLength(1);
  expect(offered()[0]).toContain(`#${room.name}`);
  expect(offered()[0]).not.toContain('Open a channel');
  expect(place.reads(bob, 'alerts').at(-1)).toContain(`Head to #${room.name}.`);
  await bob.command(room, '/incident severity critical');
  await place.quiet();
  expect(offered()[0]).toContain('CRITICAL');
  const [, , raised, ...more] = place.reads(alice, 'alerts');
  expect(raised).toMatch(/^🔴 #2 Queue is stuck went from .+ to critical – #/);
  expect(more).toEqual([]);
});

test('two people press at the same moment: there is one room, and both are in it', async () => {
  const { alice, bob, press, rooms, slack, place, offered } = await openAlert();
  await press(alice, bob);
  expect(rooms()).toHaveLength(1);
  const [room] = rooms();
  expect(slack.channel(room?.id ?? '').members).toEqual(new Set([slack.botUserId, alice.id, bob.id]));
  expect(place.reads(alice, room?.id ?? '').filter(each => each.includes('Queue is stuck'))).toHaveLength(1);
  expect(offered()).toHaveLength(1);
  for (const person of [alice, bob]) expect(place.lastRead(person, 'alerts')).toContain('Head to #inc-2');
});

test('a channel that another app made is linked in place of a new one', async () => {
  const { alice, slack, place, offered, rooms } = await openAlert();
  const theirs = slack.addChannel({ name: 'grafana-2', members: [alice], botIsMember: true });
  await alice.command(theirs, '/incident link 2');
  await place.quiet();
  expect(place.reads(alice, theirs.id).join('\n')).toContain('You made #grafana-2 follow incident 2');
  expect(offered()).toHaveLength(1);
  expect(offered()[0]).toContain('#grafana-2');
  expect(offered()[0]).not.toContain('Open a channel');
  expect(rooms()).toEqual([]);
});

test('ROOMS_FOR: an incident of that severity gets its room at once, another one is offered', async () => {
  const { offered, rooms, elsewhere, look, place, alice, alerts } = await openAlert({
    settings: { ROOMS_FOR: 'Major, critical' },
    incident: { isDrill: true },
  });
  expect(rooms()).toHaveLength(1);
  expect(offered()).toHaveLength(1);
  expect(offered()[0]).toContain('🧪 DRILL · 🟠 MAJOR · Queue is stuck');
  expect(offered()[0]).toContain('#inc-2-queue-is-stuck');
  expect(offered()[0]).not.toContain('Open a channel');
  await elsewhere.IncidentsService.CreateIncident({ title: 'Mail is late', severity: 'minor', status: 'active' });
  await look();
  expect(place.lastRead(alice, alerts.id)).toContain('Mail is late');
  expect(place.lastRead(alice, alerts.id)).toContain('[Open a channel]');
});

test('a drill is offered as one', async () => {
  const { offered } = await openAlert({ incident: { isDrill: true } });
  expect(offered()[0]).toContain('🧪 DRILL · 🟠 MAJOR · Queue is stuck');
});

test('what is over is not offered, and an offer of what is over makes no room', async () => {
  const over = await openAlert({ incident: { status: 'resolved' } });
  expect(over.offered()).toEqual([]);
  const { elsewhere, offered, press, look, alice, place, rooms } = await openAlert();
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: '2', status: 'resolved' });
  await press(alice);
  expect(place.lastRead(alice, 'alerts')).toContain(
    'Incident 2 is resolved, so it needs no channel. /incident reopen 2 opens it again.',
  );
  expect(rooms()).toEqual([]);
  await look();
  expect(offered()[0]).toContain('Resolved');
  expect(offered()[0]).not.toContain('Open a channel');
});

test('a private incident is offered to nobody, and gets no room by itself', async () => {
  const { elsewhere, look, place, alice, alerts, slack } = await openElsewhere({
    settings: { ROOMS_FOR: 'critical' },
  });
  await look();
  const wish = { ...alert, severity: 'critical' };
  await elsewhere.IncidentsService.CreateIncident(wish, { incidentType: 'private' });
  await look();
  expect((await elsewhere.IncidentsService.GetIncident({ incidentID: '2' })).incident.incidentType).toBe('private');
  expect(place.reads(alice, alerts.id).join('\n')).not.toContain('Queue is stuck');
  expect(slack.channels.filter(each => each.name.includes('queue'))).toEqual([]);
});

test('where another organisation reads the announcements, the offer names the number alone', async () => {
  const { place, alice, alerts, elsewhere, look, slack } = await openElsewhere();
  await look();
  alice.share(alerts);
  await slack.settled();
  await elsewhere.IncidentsService.CreateIncident(alert);
  await look();
  expect(place.lastRead(alice, alerts.id)).toContain(':lock: Incident 2. People of another organisation');
  expect(place.lastRead(alice, alerts.id)).not.toContain('Open a channel');
});

test('a guest opens no room', async () => {
  const { slack, place, alerts, offers, rooms } = await openAlert();
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  gus.join(alerts);
  await gus.press(offers()[0] ?? expect.fail('There is no offer'), 'Open a channel');
  await place.quiet();
  expect(place.lastRead(gus, alerts.id)).toContain('guests cannot change incidents');
  expect(rooms()).toEqual([]);
});

test('a channel that is unlinked offers a room again', async () => {
  const { alice, slack, place, offered, press, rooms } = await openAlert();
  const db = slack.addChannel({ name: 'db', members: [alice], botIsMember: true });
  await alice.command(db, '/incident link 2');
  await place.quiet();
  await alice.command(db, '/incident unlink');
  await place.quiet();
  await alice.press(place.messages(alice, db.id).at(-1) ?? expect.fail('There is no question'), 'Unlink');
  await place.quiet();
  expect(offered()[0]).toContain('[Open a channel]');
  await press(alice);
  expect(rooms()).toHaveLength(1);
  expect(offered()).toHaveLength(1);
});

test('an answer of Slack’s that is lost makes neither a second offer nor a second room', async () => {
  const { slack, place, elsewhere, look, alice, alerts } = await openElsewhere({ settings: { ROOMS_FOR: 'critical' } });
  await look();
  slack.fail('chat.postMessage', { dropAfterEffect: true }, { times: 1 });
  await elsewhere.IncidentsService.CreateIncident(alert);
  await look();
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(place.reads(alice, alerts.id).filter(each => each.includes('Queue is stuck'))).toHaveLength(1);
  slack.fail('conversations.create', { dropAfterEffect: true }, { times: 1 });
  await elsewhere.IncidentsService.CreateIncident({ ...alert, title: 'Cluster is gone', severity: 'critical' });
  await look();
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(slack.channels.filter(each => each.name.includes('cluster-is-gone'))).toHaveLength(1);
  expect(place.lastRead(alice, alerts.id)).toContain('#inc-3-cluster-is-gone');
});

test('a declaration whose answer was lost is not taken for an alert’s incident of the same title', async () => {
  const { alice, general, grafana, place, rooms } = await openAlert();
  grafana.fail({ when: /CreateIncident$/, answer: 'hang up' });
  await alice.command(general, '/incident declare Queue is stuck --now');
  await place.quiet();
  await recover(place, grafana);
  await expect
    .poll(() => place.muster.bot.journal.countByState())
    .toEqual([expect.objectContaining({ state: 'done' })]);
  const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
  expect(incidentPreviews.map(each => each.title)).toEqual(['Queue is stuck', 'Queue is stuck', 'Disk is full']);
  expect(rooms()).toHaveLength(1);
});
