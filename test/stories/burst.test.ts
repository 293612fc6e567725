import { expect, test } from 'vitest';
import { countedIn, namedIn, openBurst } from '../support/burst.ts';

const titles = (count: number) => Array.from({ length: count }, (_, at) => `Node ${at + 1} is gone`);

test('135 incidents that come at once are one message: the oldest are named, the others are counted', async () => {
  const { make, look, top, reads } = await openBurst();
  const ids = await make(titles(135));
  await look();
  expect(top()).toHaveLength(1);
  const [message] = top();
  expect(namedIn(message ?? { text: '' })).toEqual(ids.slice(0, 20));
  expect(countedIn(message ?? { text: '' })).toBe(115);
  expect(reads()[0]).toContain('135 incidents');
  expect(reads()[0]).toContain('/incident list');
  expect(reads()[0]).toContain('Node 1 is gone');
  expect(reads()[0]).toContain('major');
});

test('five are announced each, and offer a channel each', async () => {
  const { make, look, top, reads } = await openBurst();
  const ids = await make(titles(5));
  await look();
  expect(top().map(namedIn)).toEqual(ids.map(each => [each]));
  for (const each of reads()) expect(each).toContain('[Open a channel]');
});

test('those that come one by one within a minute join a message from the sixth on, which grows', async () => {
  const { make, look, top, pass } = await openBurst();
  const ids: string[] = [];
  for (const title of titles(9)) {
    ids.push(...(await make([title])));
    await look();
    pass(-8000);
  }
  expect(top().map(namedIn)).toEqual([...ids.slice(0, 5).map(each => [each]), ids.slice(5)]);
  pass(120_000);
  const later = await make(['Something else']);
  await look();
  expect(top().at(-1) && namedIn(top().at(-1) ?? { text: '' })).toEqual(later);
});

test('hostile titles stay words, and no name is long', async () => {
  const { make, look, top } = await openBurst();
  await make([...titles(5), '<!channel> *x* <https://evil.example.com|click> & `code`', 'a'.repeat(250)]);
  await look();
  const [message] = top();
  expect(JSON.stringify(message)).not.toMatch(/<!channel>|<https:\/\/evil[^>]*\|/);
  expect((message?.text ?? '').length).toBeLessThan(3000);
});

test('what becomes of one of them stands in the message and in its thread, and names it', async () => {
  const { make, look, top, elsewhere, alerts } = await openBurst();
  const ids = await make(titles(30));
  await look();
  const [third = '', last = ''] = [ids[2], ids[29]];
  await elsewhere.IncidentsService.UpdateSeverity({ incidentID: third, severity: 'critical' });
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: last, status: 'resolved' });
  await look();
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: third, status: 'resolved' });
  await look();
  expect(top()).toHaveLength(1);
  const [message] = top();
  const replies = alerts.messages.filter(each => each.threadTs === message?.ts && each.ts !== message?.ts);
  const said = replies.map(each => each.text.replace(/ after .*/, '')).toSorted();
  expect(said).toEqual([
    expect.stringContaining(`#${third} Node 3 is gone resolved`),
    expect.stringContaining(`#${last} Node 30 is gone resolved`),
    expect.stringContaining(`#${third} Node 3 is gone went from major to critical`),
  ]);
  expect(message?.text).toMatch(new RegExp(`✅[^\n]*#${third}[^\n]*resolved`));
  expect(namedIn(message ?? { text: '' })).toEqual(ids.slice(0, 20));
});

test('private ones are in no message, and one that is made private later is taken out', async () => {
  const { make, look, top, elsewhere, alice, slack, place } = await openBurst();
  const [secret = ''] = await make(['Secret one']);
  await make(titles(8));
  await elsewhere.IncidentsService.CreateIncident(
    { title: 'Hidden from the start', severity: 'major', status: 'active' },
    { incidentType: 'private' },
  );
  await look();
  expect(top()).toHaveLength(1);
  expect(top()[0]?.text).toContain('Secret one');
  expect(JSON.stringify(top())).not.toContain('Hidden');
  const war = slack.addChannel({ name: 'war', members: [alice], botIsMember: true });
  await alice.command(war, `/incident link ${secret}`);
  await place.quiet();
  expect(top()[0]?.text).toContain(`<#${war.id}>`);
  await elsewhere.IncidentsService.UpdateSeverity({ incidentID: secret, severity: 'critical' });
  await look();
  alice.makePrivate(war);
  await place.quiet();
  await look();
  expect(JSON.stringify(slack.channel('alerts').messages)).not.toContain('Secret one');
  expect(namedIn(top()[0] ?? { text: '' })).toHaveLength(8);
  expect(JSON.stringify(top())).toContain('8 incidents');
});

test('one that gets a channel is told in the channel of the announcements again', async () => {
  const { make, look, elsewhere, alice, slack, place, alerts } = await openBurst();
  const [first = '', second = ''] = await make(titles(8));
  await look();
  const war = slack.addChannel({ name: 'war', members: [alice], botIsMember: true });
  await alice.command(war, `/incident link ${first}`);
  await place.quiet();
  for (const incidentID of [first, second]) {
    await elsewhere.IncidentsService.UpdateSeverity({ incidentID, severity: 'critical' });
    await look();
  }
  const broadcast = alerts.messages.filter(each => each.subtype === 'thread_broadcast');
  expect(broadcast.map(each => each.text)).toEqual([expect.stringContaining(`#${first} `)]);
});

test('ROOMS_FOR: each gets its room, and the message leads there', async () => {
  const { make, look, top, slack } = await openBurst({ settings: { ROOMS_FOR: 'major' } });
  await make(titles(8));
  await look();
  await look();
  expect(slack.channels.filter(each => each.name.includes('is-gone'))).toHaveLength(8);
  expect(top()).toHaveLength(1);
  expect(top()[0]?.text.match(/<#C/g)).toHaveLength(8);
});

test('where another organisation reads the announcements, the message names numbers alone', async () => {
  const { make, look, top, alice, slack, alerts } = await openBurst();
  alice.share(alerts);
  await slack.settled();
  const ids = await make(titles(8));
  await look();
  expect(JSON.stringify(top())).not.toContain('is gone');
  expect(top()).toHaveLength(1);
  expect(namedIn(top()[0] ?? { text: '' })).toEqual(ids);
});

test.each([
  ['is lost before it arrives', { dropBefore: true }],
  ['is lost after its effect', { dropAfterEffect: true }],
  ['fails for now', { error: 'internal_error' }],
] as const)('when the post of the message %s, it stands once', async (_how, fault) => {
  const { make, look, top, slack, pass, restart } = await openBurst();
  const ids = await make(titles(8));
  slack.fail('chat.postMessage', fault, { times: 3 });
  await look();
  slack.heal('chat.postMessage');
  await restart();
  pass(60_000);
  await look();
  // A process catches up once a second.
  await expect.poll(() => top().map(namedIn)).toEqual([ids]);
});

test('somebody deletes the message: it is posted again while one of them goes on', async () => {
  const { make, look, top, alice, elsewhere } = await openBurst();
  const [first = '', ...others] = await make(titles(8));
  await look();
  const [message] = top();
  if (message) alice.deleteMessage(message, 'administrator');
  expect(top()).toEqual([]);
  await elsewhere.IncidentsService.UpdateSeverity({ incidentID: first, severity: 'critical' });
  await look();
  await look();
  expect(top().map(namedIn)).toEqual([[first, ...others]]);
});
