import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Message } from '../../playground/fake-slack/fake-slack.ts';
import { openAlerted } from '../support/alerts/watchdog.ts';
import { openFolder } from '../support/folder.ts';
import { openInstalledSlack } from '../support/workplace.ts';

const begun = '2026-11-20T12:15:00.000Z';

/** A team, and the ways to press what an alert offers. */
async function openTeam(options: Parameters<typeof openAlerted>[0] = {}) {
  const team = await openAlerted(options);
  const { alice, bob, place, channel } = team;
  const offers = () => team.messages().filter(each => JSON.stringify(each).includes('"alert.'));
  const press = async (label: string, who = bob, offer: Message | undefined = offers().at(-1)) => {
    await who.press(offer ?? expect.fail('There is no offer'), label);
    await place.quiet();
  };
  const declare = async (who = bob) => {
    await press('Declare', who);
    await who.submit({});
    await place.quiet();
    return team.rooms().at(-1) ?? expect.fail('There is no room');
  };
  const reads = (at = channel.id, who = bob) => place.reads(who, at);
  /** The tick of a second. */
  const tick = async () => {
    await place.muster.bot.journal.tick();
    await place.quiet();
  };
  const incidents = async () =>
    (await place.api.IncidentsService.QueryIncidentPreviews({ query: { limit: 50 } })).incidentPreviews;
  return { ...team, alice, offers, press, declare, reads, tick, incidents };
}

test('an alert is offered once; its repetition is a count, its growth names the new alerts', async () => {
  const { notice, wait, reads, offers } = await openTeam();
  await notice();
  wait(5);
  await notice({ startsAt: begun, instances: ['web-1', 'web-2'] });
  await notice({ startsAt: begun, instances: ['web-1', 'web-2'] });
  expect(offers()).toHaveLength(1);
  const [offer = '', ...others] = reads();
  expect(others).toEqual([]);
  for (const fact of ['CheckoutErrors', 'critical', '3 notices', '2 alerts', 'web-2', 'Runbook', 'Declare', 'Mute 1 h'])
    expect(offer).toContain(fact);
});

test('an alert that ends before anybody acts leaves one line, and what comes late changes nothing', async () => {
  const { notice, wait, reads, rooms } = await openTeam();
  await notice();
  wait(12);
  await notice({ status: 'resolved', startsAt: begun });
  await notice({ status: 'resolved', startsAt: begun });
  await notice({ startsAt: begun });
  expect(reads()).toEqual([expect.stringMatching(/CheckoutErrors: ended after 12 min/)]);
  expect(reads()[0]).not.toContain('[');
  wait(5);
  await notice();
  expect(reads()).toEqual([expect.stringContaining('[Declare]')]);
  expect(rooms()).toEqual([]);
});

test('an end whose beginning never came is told nobody, and neither is the beginning that follows', async () => {
  const { notice, reads } = await openTeam();
  await notice({ status: 'resolved', startsAt: begun, endsAt: '2026-11-20T12:16:00.000Z' });
  await notice({ startsAt: begun });
  expect(reads()).toEqual([]);
});

test('Declare opens the form with the alert; the room has the evidence, the end and a way to resolve', async () => {
  const { notice, wait, declare, reads, press, bob, alice, incidents, place } = await openTeam();
  await notice();
  wait(5);
  const room = await declare();
  expect(await incidents()).toHaveLength(1);
  const [incident] = await incidents();
  expect(incident).toMatchObject({ title: 'CheckoutErrors', severityLabel: 'critical' });
  expect(reads(room.id)[0]).toContain('Alert fires since');
  const evidence = reads(room.id).find(each => each.includes('g0.range_input=2h')) ?? '';
  expect(evidence).toContain('prometheus');
  expect(reads()[0]).toContain(`#${room.name}`);
  expect(reads()[0]).not.toContain('[Declare]');
  await notice({ startsAt: begun, instances: ['web-1', 'web-2', 'web-3'] });
  expect(reads(room.id).at(-1)).toContain('2 more alerts of CheckoutErrors: web-2, web-3');
  wait(10);
  for (const _ of [1, 2, 3]) await notice({ status: 'resolved', startsAt: begun });
  const ends = reads(room.id).filter(each => each.includes('The alert ended'));
  expect(ends).toHaveLength(1);
  expect(ends[0]).toContain('[Resolve]');
  const end = place.messages(bob, room.id).find(each => JSON.stringify(each).includes('The alert ended'));
  await press('Resolve', bob, end);
  await bob.submit({ summary: 'The pool was too small' });
  await place.quiet();
  expect((await incidents())[0]?.status).toBe('resolved');
  alice.join(room.id);
  await bob.command(room, '/incident alerts');
  await place.quiet();
  expect(place.reads(bob, room.id).at(-1)).toMatch(/1 alert of incident 1[\s\S]*CheckoutErrors/);
  // The timeline names the source, and no person.
  const { activityItems } = await place.api.ActivityService.QueryActivity({ query: { incidentID: '1' } });
  const note = activityItems.find(each => each.body.includes('from prometheus'));
  expect(note?.fieldValues.source).toBe('alert');
  expect(note?.user.name).toBe('prometheus');
});

test('two people press Declare at once: there is one incident', async () => {
  const { notice, offers, alice, bob, place, incidents, rooms } = await openTeam();
  await notice();
  const [offer] = offers();
  if (!offer) throw new Error('There is no offer');
  await Promise.all([alice.press(offer, 'Declare'), bob.press(offer, 'Declare')]);
  await place.quiet();
  await Promise.all([alice.submit({}), bob.submit({})]);
  await place.quiet();
  expect(await incidents()).toHaveLength(1);
  expect(rooms()).toHaveLength(1);
});

test('a second alert is added to the incident that goes on; nobody declares it any more', async () => {
  const { notice, declare, press, bob, place, reads, incidents } = await openTeam();
  await notice();
  const room = await declare();
  await notice({ group: 'QueueGrows', severity: 'warning' });
  await press('Add to…');
  const menu = place.messages(bob, 'alerts').at(-1) ?? expect.fail('There is no menu');
  await bob.choose(menu, 'alert.add.to', '#1 CheckoutErrors').catch(async () => bob.choose(menu, 'alert.add.to', '1'));
  await place.quiet();
  expect(await incidents()).toHaveLength(1);
  expect(reads(room.id).at(-1)).toMatch(/@bob added: .*QueueGrows/);
  expect(reads(room.id)[0]).toContain('2 of 2 fire');
  expect(reads().join()).not.toContain('[Declare]');
  await notice({ group: 'QueueGrows', severity: 'warning', status: 'resolved', startsAt: begun });
  expect(reads(room.id).at(-1)).toContain('The alert ended');
});

test('a muted alert is silent for an hour, and is offered anew when it fires still', async () => {
  const { notice, wait, press, reads, tick, offers } = await openTeam();
  await notice();
  await press('Mute 1 h');
  wait(30);
  await notice({ startsAt: begun });
  await tick();
  expect(reads().filter(each => each.includes('muted until'))).toHaveLength(1);
  expect(reads().join()).not.toContain('[Declare]');
  wait(31);
  await tick();
  expect(reads().join()).not.toContain('muted until');
  expect(offers()).toHaveLength(1);
  expect(reads().at(-1)).toContain('[Declare]');
});

test('ALERTS_DECLARE declares at once, in the name of the source; the end is a person’s', async () => {
  const { notice, rooms, reads, bob, incidents, tick, wait } = await openTeam({
    settings: { ALERTS_DECLARE: 'critical' },
  });
  await notice();
  await notice();
  const [room, ...others] = rooms();
  if (!room) throw new Error('There is no room');
  expect(others).toEqual([]);
  bob.join(room.id);
  expect(await incidents()).toHaveLength(1);
  expect(reads(room.id)[0]).toContain('declared by prometheus');
  expect(reads()).toEqual([expect.stringContaining('CRITICAL · CheckoutErrors')]);
  await notice({ group: 'DiskFull', severity: 'warning' });
  expect(reads().at(-1)).toContain('[Declare]');
  wait(5);
  await notice({ status: 'resolved', startsAt: begun });
  await tick();
  expect((await incidents()).map(each => each.status)).toEqual(['active']);
  expect(reads(room.id).at(-1)).toContain('[Resolve]');
});

test('ALERTS_END=auto ends what nobody touched, and opens it again; an act of a person keeps it open', async () => {
  const settings = { ALERTS_DECLARE: 'critical', ALERTS_END: 'auto' };
  const { notice, rooms, bob, incidents, tick, wait, place, reads } = await openTeam({ settings });
  await notice();
  const [room] = rooms();
  if (!room) throw new Error('There is no room');
  bob.join(room.id);
  wait(10);
  await notice({ status: 'resolved', startsAt: begun });
  await tick();
  expect((await incidents()).map(each => each.status)).toEqual(['resolved']);
  wait(5);
  await notice({ startsAt: '2026-11-20T12:30:00.000Z' });
  await tick();
  expect((await incidents()).map(each => each.status)).toEqual(['active']);
  expect(rooms()).toHaveLength(1);
  await bob.command(room, '/incident update we look into it');
  await place.quiet();
  wait(5);
  await notice({ status: 'resolved', startsAt: '2026-11-20T12:30:00.000Z' });
  await tick();
  expect((await incidents()).map(each => each.status)).toEqual(['active']);
  expect(reads(room.id).at(-1)).toContain('[Resolve]');
});

test('an alert that fires again after its incident is over: soon the same is offered, later a new one that names it', async () => {
  const { notice, declare, wait, bob, place, reads, incidents } = await openTeam();
  await notice();
  const room = await declare();
  wait(5);
  await notice({ status: 'resolved', startsAt: begun });
  await bob.command(room, '/incident resolve --now it was nothing');
  await place.quiet();
  wait(20);
  await notice();
  expect(reads(room.id).at(-1)).toMatch(/The alert fires again[\s\S]*\[Reopen\]/);
  expect(reads().at(-1)).toMatch(/Before, it was incident 1[\s\S]*\[Reopen\]/);
  expect(reads()[0]).toContain('Alerts: incident 1');
  wait(5);
  await notice({ status: 'resolved', startsAt: '2026-11-20T12:40:00.000Z' });
  wait(31);
  await notice();
  expect(reads().at(-1)).toMatch(/\[Declare\]/);
  expect(reads().at(-1)).toContain('Before, it was incident 1');
  expect(await incidents()).toHaveLength(1);
});

test('a storm is one offer that lists each group; once it is declared the rest joins its incident', async () => {
  const { notice, reads, declare, rooms, incidents } = await openTeam();
  const groups = Array.from({ length: 14 }, (_, at) => ({
    group: `Group${at}`,
    severity: 'warning',
    labels: { service: `service-${at % 3}` },
  }));
  for (const each of groups) await notice(each);
  expect(reads()).toHaveLength(1);
  expect(reads()[0]).toContain('14 alerts of 3 services');
  for (const { group } of groups) expect(reads()[0]).toContain(group);
  const room = await declare();
  for (const at of [14, 15]) await notice({ group: `Group${at}`, severity: 'warning' });
  expect(rooms()).toHaveLength(1);
  expect(await incidents()).toHaveLength(1);
  expect(reads(room.id).at(-1)).toContain('Group15');
  for (const { group } of groups) await notice({ group, status: 'resolved', startsAt: begun });
  expect(reads(room.id).join()).not.toContain('The alerts ended');
  for (const at of [14, 15]) await notice({ group: `Group${at}`, status: 'resolved', startsAt: begun });
  expect(reads(room.id).filter(each => each.includes('The alerts ended'))).toHaveLength(1);
});

test('a storm of alerts that declare is one incident more, and never forty channels', async () => {
  const settings = { ALERTS_DECLARE: 'critical' };
  const { notice, rooms, incidents, tick } = await openTeam({ settings });
  for (let at = 0; at < 40; at += 1) await notice({ group: `Group${at}` });
  await tick();
  expect(await incidents()).toHaveLength(6);
  expect(rooms()).toHaveLength(6);
});

test('the offer of an alert that became a private incident does not name it', async () => {
  const { notice, press, bob, carol, place, reads } = await openTeam();
  await notice();
  await press('Declare');
  await bob.submit({ private: ['private'] });
  await place.quiet();
  expect(place.reads(carol, 'alerts').join()).not.toContain('incident 1');
  expect(reads()[0]).toContain('taken up by @bob');
});

test('a source has a channel, words for severities, and labels of its own, from the offer to the incident', async () => {
  const slack = await openInstalledSlack(() => new Date(begun));
  const payments = slack.addChannel({ name: 'payments', members: [], botIsMember: true });
  const file = `${await openFolder()}/alert-sources.json`;
  const source = { channel: payments.id, severities: { page: 'major', ticket: 'minor' }, labels: ['team', 'service'] };
  await writeFile(file, JSON.stringify({ prometheus: { ...source, declare: ['major'] } }));
  const { notice, reads, bob, place, incidents, rooms } = await openTeam({
    slack,
    settings: { ALERTS_SOURCES: file },
  });
  bob.join(payments.id);
  const labels = { team: 'shop', zone: 'eu-1' };
  await notice({ group: 'SlowCheckout', severity: 'ticket', labels });
  expect(reads()).toEqual([]);
  expect(reads(payments.id)).toEqual([expect.stringMatching(/SlowCheckout[\s\S]*minor[\s\S]*\[Declare\]/)]);
  const offer = place.messages(bob, payments.id).at(-1) ?? expect.fail('There is no offer');
  await bob.press(offer, 'Declare');
  await place.quiet();
  await bob.submit({});
  await place.quiet();
  // One of the severity that declares needs nobody.
  await notice({ group: 'CheckoutDown', severity: 'page', labels });
  await place.muster.bot.journal.tick();
  await place.quiet();
  const found = await incidents();
  expect(found.map(each => [each.title, each.severityLabel]).toSorted()).toEqual([
    ['CheckoutDown', 'major'],
    ['SlowCheckout', 'minor'],
  ]);
  for (const { incidentID } of found) {
    const { incident } = await place.api.IncidentsService.GetIncident({ incidentID });
    expect(incident.labels.map(each => each.label).toSorted()).toEqual(['service:checkout', 'team:shop']);
  }
  expect(rooms()).toHaveLength(2);
});

test.each([
  ['a guest', 'guests may read'],
  ['people of another organisation', 'people of another organisation read'],
])('where %s may read, an alert has no name, and its buttons show it to members', async (_who, why) => {
  const slack = await openInstalledSlack(() => new Date('2026-11-20T12:15:00Z'));
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  const isExtShared = why.startsWith('people');
  const shared = slack.addChannel({
    name: 'support',
    members: isExtShared ? [] : [gus],
    botIsMember: true,
    isExtShared,
  });
  const team = await openTeam({ slack, settings: { ANNOUNCE_CHANNEL: shared.id } });
  const { notice, wait, bob, alice, place, press, incidents, channel } = team;
  for (const who of [alice, bob]) who.join(shared);
  const posted = () => JSON.stringify(shared.messages.filter(each => each.ephemeralTo === undefined));
  const hidesAll = () => {
    for (const word of ['CheckoutErrors', 'payments', 'critical', 'web-1', 'example.com', 'prometheus'])
      expect(posted(), word).not.toContain(word);
  };
  const offer = () => shared.messages.findLast(each => JSON.stringify(each).includes('"alert.'));
  await notice({ instances: ['web-1', 'web-2'] });
  hidesAll();
  expect(place.reads(bob, shared.id)).toEqual([expect.stringContaining(why)]);
  expect(place.reads(bob, shared.id)[0]).toMatch(/An alert fires[\s\S]*\[Declare\]/);
  await press('Mute 1 h', bob, offer());
  expect(place.reads(bob, shared.id)[0]).toMatch(/An alert: muted until/);
  hidesAll();
  await press('Unmute', bob, offer());
  expect(posted()).toContain('An alert');
  await press('Declare', bob, offer());
  await bob.submit({});
  await place.quiet();
  expect((await incidents())[0]).toMatchObject({ title: 'CheckoutErrors' });
  expect(posted()).toMatch(/An alert: incident 1, taken up/i);
  hidesAll();
  await notice({ group: 'DiskFull' });
  wait(5);
  await notice({ group: 'DiskFull', status: 'resolved', startsAt: begun });
  expect(posted()).toContain('An alert: ended');
  expect(posted()).not.toContain('DiskFull');
  hidesAll();
  await bob.command(channel, '/muster doctor');
  await place.quiet();
  const report = place.reads(bob, channel.id).join(' ');
  expect(report).toContain('readers of alerts in #support');
  expect(report).toContain(isExtShared ? 'SHARED_CHANNELS=all' : 'GUESTS=all');
});

test('an alert loses its name when a guest joins, and while Slack does not say who reads; it has its name again once Slack does', async () => {
  const { notice, reads, slack, channel, place, wait } = await openTeam();
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  slack.fail('conversations.members', { error: 'internal_error' }, { times: 1000 });
  await notice();
  expect(reads()[0]).toMatch(/An alert fires[\s\S]*Slack does not tell who reads[\s\S]*\[Declare\]/);
  slack.heal();
  wait(1);
  await expect
    .poll(async () => {
      await place.muster.bot.journal.tick();
      await place.quiet();
      return reads()[0];
    })
    .toContain('CheckoutErrors');
  gus.join(channel);
  await place.quiet();
  expect(reads()[0]).toContain('guests may read');
  expect(reads()[0]).not.toContain('CheckoutErrors');
});

test('Reopen on an offer opens the incident again, and its alerts are the incident’s; reopening by hand takes them back too', async () => {
  const { notice, declare, wait, bob, place, reads, incidents, press } = await openTeam();
  await notice();
  const room = await declare();
  for (const how of ['press', 'command']) {
    await bob.command(room, '/incident resolve --now the pool was too small');
    await place.quiet();
    wait(240);
    await notice({ startsAt: begun });
    expect(reads(room.id).at(-1)).toMatch(/fires on[\s\S]*\[Reopen\]/);
    expect(reads().at(-1)).toMatch(/Before, it was incident 1[\s\S]*\[Reopen\]/);
    if (how === 'press') await press('Reopen');
    else await bob.command(room, '/incident reopen it burns on');
    await place.quiet();
    expect((await incidents()).map(each => each.status)).toEqual(['active']);
    expect(reads().at(-1)).not.toContain('[Declare]');
    wait(1);
    await notice({ startsAt: begun, instances: ['web-1', 'web-2'] });
    expect(reads(room.id).join()).toContain('1 more alert of');
  }
});

test('Raise severity gives the incident the severity of its alert, and people are called for it', async () => {
  const { notice, declare, wait, bob, carol, place, reads, incidents, tick, slack } = await openTeam({
    settings: { CALL: 'critical:@sre' },
  });
  slack.addUserGroup({ handle: 'sre', members: [carol] });
  await notice({ severity: 'warning' });
  const room = await declare();
  wait(10);
  await notice({ severity: 'critical', startsAt: begun });
  const line = place.messages(bob, room.id).findLast(each => JSON.stringify(each).includes('Raise severity'));
  expect(reads(room.id).at(-1)).toMatch(/is critical now[\s\S]*\[Raise severity\]/);
  expect((await incidents())[0]?.severityLabel).toBe('minor');
  const pressTwice = async () => {
    await bob.press(line ?? expect.fail('There is no line'), 'Raise severity');
    await place.quiet();
    await tick();
    await tick();
  };
  await pressTwice();
  expect((await incidents())[0]?.severityLabel).toBe('critical');
  expect(place.reads(carol, slack.openDm(carol).id)).toHaveLength(1);
  await pressTwice();
  expect(place.reads(bob, room.id).join()).toContain('is graver than the incident');
});

test.each(['2030-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '2026-11-20T12:15:30Z'])(
  'a beginning that cannot be, %s, is neither the alert’s nor its incident’s',
  async startsAt => {
    const { notice, declare, wait, reads, incidents } = await openTeam();
    await notice({ startsAt });
    expect(reads()[0]).toContain('Fires since Nov 20, 2026 12:15 PM');
    wait(2);
    await declare();
    expect((await incidents())[0]?.incidentStart).toMatch(/^2026-11-20T12:1[57]/);
  },
);

test('a critical alert speaks out of a storm of mild ones; the storm takes in no more after an hour, or when its first ones ended', async () => {
  const { notice, wait, reads } = await openTeam();
  const storm = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({ group: `Mild${from + at}`, severity: 'info' }));
  for (const each of storm(0, 8)) await notice(each);
  expect(reads()).toHaveLength(1);
  await notice({ group: 'DatabaseDown' });
  expect(reads()).toHaveLength(2);
  expect(reads().at(-1)).toMatch(/DatabaseDown[\s\S]*\[Declare\]/);
  // One key each nine minutes does not keep it going for ever.
  for (let each = 0; each < 8; each += 1) {
    wait(9);
    await notice({ group: `Later${each}`, severity: 'info' });
  }
  expect(reads().filter(each => each.includes('Later7')).length).toBe(1);
  expect(reads().find(each => each.includes('Mild0'))).not.toContain('Later7');
  wait(61);
  for (const each of storm(20, 26)) await notice(each);
  wait(3);
  for (const each of storm(20, 26)) await notice({ ...each, status: 'resolved' });
  const before = reads().length;
  await notice({ group: 'AfterTheStorm', severity: 'info' });
  expect(reads().at(-1)).toContain('AfterTheStorm');
  expect(reads().length).toBe(before + 1);
});

test('of 1,200 and 5,000 alerts in one body the first are shown and all are counted, and its end is heard', async () => {
  const { notice, reads, send, toBody, place, offers } = await openTeam();
  const many = (count: number) => Array.from({ length: count }, (_, at) => `pod-${at}`);
  await notice({ instances: many(54) });
  await notice({ instances: many(1200) });
  expect(reads()[0]).toContain('1200 alerts');
  const large = JSON.stringify(toBody({ instances: many(5000), status: 'firing' }));
  expect(large.length).toBeGreaterThan(1_500_000);
  await notice({ instances: many(5000) });
  expect(reads()[0]).toContain('5000 alerts');
  await notice({ instances: many(5000), status: 'resolved', startsAt: begun });
  expect(reads()[0]).toContain('nobody had to act');
  expect(offers()).toEqual([]);
  // What is refused is said in the channel, once an hour.
  for (const _ of [1, 2]) expect((await send({ groupKey: 'x', alerts: {} })).status).toBe(400);
  await place.quiet();
  await expect.poll(() => reads().filter(each => each.includes('was refused'))).toHaveLength(1);
  expect(reads().at(-1)).toMatch(/An alert of prometheus was refused[\s\S]*alerts is no list/);
});

test('a source of which refusals were told tells them again an hour later', async () => {
  const { reads, send, wait } = await openTeam();
  const refused = () => reads().filter(each => each.includes('was refused')).length;
  for (const told of [1, 2]) {
    for (const _ of [1, 2]) await send('no body');
    await expect.poll(refused).toBe(told);
    wait(61);
  }
});

test('two clusters that send as one source do not end each other’s alerts, and the doctor names them', async () => {
  const { notice, reads, bob, channel, place, wait } = await openTeam();
  const [one, other] = ['https://am-1.example.com', 'https://am-2.example.com'];
  await notice({ tool: one, instances: ['db-1'] });
  await notice({ tool: other, instances: ['web-9'] });
  wait(5);
  await notice({ tool: other, instances: ['web-9'], status: 'resolved', startsAt: begun });
  expect(reads()[0]).toContain('[Declare]');
  await bob.command(channel, '/muster doctor');
  await place.quiet();
  expect(place.reads(bob, channel.id).join(' ')).toMatch(/Two tools send as prometheus/);
  await notice({ tool: one, instances: ['db-1'], status: 'resolved', startsAt: begun });
  expect(reads()[0]).toContain('nobody had to act');
});

test('an alert that came while its channel was closed is offered once the channel is open again', async () => {
  const { notice, reads, slack, channel, place, tick } = await openTeam();
  const of = ({ channel: one }: { readonly channel?: unknown }) => one === channel.id;
  slack.fail('chat.postMessage', { error: 'not_in_channel' }, { times: 10_000, when: of });
  await notice();
  await tick();
  expect(reads()).toEqual([]);
  slack.heal();
  await tick();
  expect(reads()).toEqual([]);
  slack.addPerson({ name: 'dan' }).join(channel);
  await place.quiet();
  await expect.poll(() => reads().join()).toMatch(/CheckoutErrors[\s\S]*\[Declare\]/);
  expect(reads()).toHaveLength(1);
});
