import { expect, test } from 'vitest';
import { holdNext } from '../support/held-call.ts';
import { openOutage } from '../support/outage-room.ts';

const users = [
  { userID: 'grafana-user:7', name: 'Alice Doe', email: 'alice@example.com' },
  { userID: 'grafana-user:8', name: 'Bob Roe', email: 'bob@example.com' },
];

/** What nobody must ever read: an id that only the journal knows, or an incident without a number. */
const inside = /~|incident [.,:“]|undefined|\[object/i;

test('an incident that is run while the API is down: everything is there afterwards, once, in order, by whoever did it', async () => {
  let now = new Date(Date.now() - 30 * 60_000);
  const outage = await openOutage({ users, clock: () => now });
  const { place, alice, bob, goAway, comeBack, type, room, incident, timeline, states, readsAll } = outage;
  const wait = (minutes: number) => {
    now = new Date(now.getTime() + minutes * 60_000);
  };
  goAway();
  const declaredAt = now;
  await type('/incident declare Checkout answers 500 --severity major --commander --now');
  const home = room().name;
  bob.join(home);
  wait(2);
  const notedAt = now;
  expect(await type('/note add Rolled back to v41', alice, home)).toContain(
    ':hourglass_flowing_sand: Saved. I’ll add “Rolled back to v41” to the timeline of this incident as soon as this incident is registered. The incident API does not know it yet.',
  );
  wait(1);
  await type('/task add check the replica @bob', alice, home);
  await type('/task add call the vendor', bob, home);
  await type('/role assign @bob investigator', alice, home);
  expect(await type('/incident severity critical', bob, home)).toContain(
    'Saved. I’ll set the severity of this incident to critical as soon as',
  );
  await type('/note add The vendor is on it --at 1m ago', bob, home);
  const said = bob.say(room(), 'the graph goes down');
  await alice.shortcut('add_timeline', said);
  await place.quiet();
  expect(place.lastRead(alice, home)).toContain('Saved. I’ll add “the graph goes down”');
  expect(place.reads(alice, home)[0]).toContain('Not yet registered');
  for (const person of [alice, bob]) for (const read of readsAll(person)) expect(read).not.toMatch(inside);

  now = new Date();
  await comeBack();
  const made = await incident();
  expect(made).toMatchObject({ title: 'Checkout answers 500', severity: 'critical', status: 'active' });
  expect(Date.parse(made.incidentStart)).toBe(declaredAt.getTime());
  expect(made.taskList.tasks.map(task => [task.text, task.assignedUser?.userID ?? ''])).toEqual([
    ['check the replica', 'grafana-user:8'],
    ['call the vendor', ''],
  ]);
  expect(made.incidentMembership.assignments.map(each => [each.role.name, each.user.userID])).toEqual([
    ['commander', 'grafana-user:7'],
    ['investigator', 'grafana-user:8'],
  ]);
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual([
    'Rolled back to v41\n\n— alice in Slack',
    'The vendor is on it\n\n— bob in Slack',
    `the graph goes down\n\n— said by bob in Slack, added by alice: ${said.permalink}`,
  ]);
  expect(Date.parse(notes[0]?.eventTime ?? '')).toBe(notedAt.getTime());
  expect(
    (await timeline()).map(item => item.activityKind).filter(kind => /^(task|role|incidentSev)/.test(kind)),
  ).toEqual(['roleAssigned', 'taskAdded', 'taskAdded', 'roleAssigned', 'incidentSeverityChanged']);
  const { done, ...rest } = await states();
  expect(rest).toEqual({});
  expect(done).toBe(13);

  const card = place.reads(alice, home)[0];
  for (const part of [
    'CRITICAL · Checkout answers 500\nActive since',
    '2 open, 0 done',
    'Commander @alice',
    'Investigating @bob',
  ]) {
    expect(card).toContain(part);
  }
  expect(card).not.toContain('registered');
  expect(room().topic).toBe('Active · critical · Checkout answers 500');
  const all = [...readsAll(alice), ...readsAll(bob)];
  for (const read of all) expect(read).not.toMatch(inside);
  const count = (words: string, of = all) => of.filter(read => read.includes(words)).length;
  expect(count(':rotating_light: Incident 1 is declared: “Checkout answers 500”, severity major.')).toBe(1);
  expect(count(':memo: Added to the timeline of incident 1: “Rolled back to v41”.', readsAll(alice))).toBe(1);
  expect(count(':memo: Added to the timeline of incident 1 at', readsAll(bob))).toBe(1);
  expect(count('“The vendor is on it”.', readsAll(bob))).toBe(1);
  expect(count('Task 1: “check the replica”, for @bob.', readsAll(alice))).toBe(1);
  expect(count('Task 2: “call the vendor”.', readsAll(bob))).toBe(1);
  expect(count('@alice gave you a task: “check the replica”', readsAll(bob))).toBe(1);
  expect(count('@bob is now investigator.', readsAll(alice))).toBe(1);
  expect(count('The incident API is back. This is incident 1 now', readsAll(bob))).toBe(1);
  expect(said.reactions).toHaveLength(1);
  // Slack's own redelivery apart, nobody is told anything twice.
  await comeBack();
  expect([...readsAll(alice), ...readsAll(bob)]).toEqual(all);
});

test('what cannot be done before an incident is registered says so, and works with one press afterwards', async () => {
  const { place, grafana, alice, goAway, comeBack, type, room, incident, states } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  await type('/task add call the vendor', alice, home);
  const lines = [
    '/incident resolve',
    '/incident resolve all good --now',
    '/incident reopen',
    '/task list',
    '/task done 1',
    '/task assign 1 me',
    '/role list',
    '/role unassign me',
    '/note list',
    '/incident started 20m ago',
    '/incident ended 5m ago',
    '/incident drill',
    '/dash link /d/abc',
  ];
  for (const line of lines) {
    const asked = grafana.requests.length;
    const read = await type(line, alice, home);
    expect(read).toContain('This works only when the incident API has registered the incident, and it has not yet.');
    expect(read).toContain('Nothing was changed. I will say so in this channel: try again then.');
    expect(read).toContain(`[Try again]\nYou typed: ${line}`);
    // The API is away, and the answer does not wait for it.
    expect(grafana.requests.slice(asked), line).toEqual([]);
  }
  expect(await states()).toEqual({ pending: 2, done: 2 });

  const resolve = place.messages(alice, home).find(each => each.text.includes('and it has not yet'));
  await comeBack();
  if (!resolve) throw new Error('The answer is gone');
  await alice.press(resolve, 'Try again');
  await place.quiet();
  expect(alice.view?.callbackId ?? JSON.stringify(alice.view)).toContain('incident.resolve');
  await alice.submit({ summary: 'The vendor fixed it' });
  await place.quiet();
  expect((await incident()).status).toBe('resolved');
  const [card] = place.messages(alice, home);
  if (!card) throw new Error('There is no card');
  await alice.press(card, 'Tasks');
  await place.quiet();
  expect(place.lastRead(alice, home)).toContain('Tasks of incident 1 “Checkout answers 500”: 1 open');
  expect(place.lastRead(alice, home)).not.toMatch(inside);
});

test('title, labels, drill and severity are kept too, also when a form is sent after the incident was registered', async () => {
  const { place, alice, goAway, comeBack, type, room, incident, readsAll } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  expect(await type('/incident title Checkout is slow', alice, home)).toContain(
    'I’ll rename this incident to “Checkout is slow” as soon as',
  );
  expect(await type('/incident label eu', alice, home)).toContain('I’ll label this incident with “eu”');
  expect(await type('/incident drill on', alice, home)).toContain('I’ll mark this incident as a drill');
  await type('/incident severity', alice, home);
  expect(alice.view).toBeDefined();
  await comeBack();
  expect(await incident()).toMatchObject({ title: 'Checkout is slow', isDrill: true, severity: 'pending' });
  expect((await incident()).labels.map(each => each.label)).toEqual(['eu']);
  await alice.submit({ severity: 'critical' });
  await place.quiet();
  expect((await incident()).severity).toBe('critical');
  expect(readsAll().join('\n')).toContain('Incident 1 went from pending to critical');
  for (const read of readsAll()) expect(read).not.toMatch(inside);
});

test('the usual roles can be given while the API is down, those read before too, and others are not guessed', async () => {
  let minutes = 0;
  const clock = () => new Date(Date.now() + minutes * 60_000);
  const { grafana, alice, goAway, comeBack, type, room, incident } = await openOutage({ users, clock });
  await type('/incident declare Warm up --now');
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  expect(await type('/role assign me scribe', alice, home)).toContain(
    'The incident API cannot be reached, so I cannot look up the role “scribe”. Until it answers you can give commander, investigator, observer. Nobody was assigned.',
  );
  expect(await type('/role assign me observer', alice, home)).toContain('Saved. I’ll make alice observer as soon as');
  await type('/role assign', alice, home);
  await alice.submit({ role: 'investigator' });
  minutes = 1;
  await comeBack();
  const held = (await incident('2')).incidentMembership.assignments;
  expect(held.map(each => [each.role.name, each.user.userID])).toEqual([
    ['observer', 'grafana-user:7'],
    ['investigator', 'grafana-user:7'],
  ]);

  const scribe = { ...held[0]?.role, roleID: 9, name: 'scribe' };
  const answer = { status: 200, body: JSON.stringify({ roles: [scribe], error: '' }) };
  grafana.fail({ when: /GetRoles/, answer });
  minutes = 5;
  await type('/role list', alice, 'inc-1-warm-up');
  goAway();
  minutes = 10;
  expect(await type('/role assign me scribe', alice, 'inc-1-warm-up')).toContain(
    'Saved. I’ll make alice scribe as soon as',
  );
  expect(await type('/role assign me observer', alice, 'inc-1-warm-up')).toContain(
    'Until it answers you can give scribe.',
  );
});

test('a kept note can be discarded, and what stands behind it is done', async () => {
  const { alice, grafana, place, comeBack, type, press, timeline, states, readsAll } = await openOutage();
  await type('/incident declare Disk is full --now');
  const home = 'inc-1-disk-is-full';
  grafana.fail({ when: /./, answer: 'hang up' });
  await type('/note add one', alice, home);
  const kept = place.messages(alice, home).at(-1);
  await type('/note add two', alice, home);
  if (!kept) throw new Error('Nothing was kept');
  await alice.press(kept, 'Discard');
  await place.quiet();
  expect(place.reads(alice, home).at(-2)).toBe('Discarded. I will not add “one” to the timeline of incident 1.');
  await comeBack();
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual(['two\n\n— alice in Slack']);
  expect(await states()).toEqual({ done: 5, discarded: 1 });
  expect(readsAll().join('\n')).not.toContain('Added to the timeline of incident 1: “one”');
  await expect(press('Discard', alice, home)).rejects.toThrow('no button');
});

test('a press that crosses Discard revives nothing', async () => {
  const { alice, grafana, place, comeBack, type, timeline, states } = await openOutage();
  await type('/incident declare Disk is full --now');
  const home = 'inc-1-disk-is-full';
  grafana.fail({ when: /./, answer: 'hang up' });
  await type('/note add one', alice, home);
  const kept = place.messages(alice, home).at(-1);
  if (!kept) throw new Error('Nothing was kept');
  // Both presses are on their way before Slack shows the answer to either.
  await Promise.all(['Discard', 'Try now', 'Discard'].map(button => alice.press(kept, button)));
  await place.quiet();
  expect(place.lastRead(alice, home)).toContain('I will not add “one” to the timeline of incident 1.');
  await comeBack();
  expect((await timeline()).filter(item => item.activityKind === 'userNote')).toEqual([]);
  expect(await states()).toMatchObject({ discarded: 1 });
});

test('the words of “Try now” that come after those of Discard say that it was discarded', async () => {
  const { slack, alice, grafana, place, type } = await openOutage();
  await type('/incident declare Disk is full --now');
  const home = 'inc-1-disk-is-full';
  grafana.fail({ when: /./, answer: 'hang up' });
  await type('/note add one', alice, home);
  const kept = place.messages(alice, home).at(-1);
  if (!kept) throw new Error('Nothing was kept');
  const late = holdNext(slack, 'response_url');
  await alice.press(kept, 'Try now');
  await late.begun;
  await alice.press(kept, 'Discard');
  await slack.until(() => place.lastRead(alice, home).startsWith('Discarded.'));
  late.go();
  await place.quiet();
  expect(place.lastRead(alice, home)).toBe(
    'That was discarded before. I will not add “one” to the timeline of incident 1.',
  );
});

test('a kept declaration that is discarded takes along what waits behind it, and everybody there is told', async () => {
  const { place, slack, alice, bob, goAway, comeBack, type, room, titles, states, readsAll } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const declared = place.messages(alice, 'general').at(-1);
  const home = room().name;
  bob.join(home);
  await type('/note add Rolled back to v41', bob, home);
  await type('/task add call the vendor', alice, home);
  if (!declared) throw new Error('Nothing was kept');
  await alice.press(declared, 'Discard');
  await place.quiet();
  const givenUp =
    'These were queued behind it and are discarded too:\n• add “Rolled back to v41” to the timeline of this incident\n• add the task “call the vendor”';
  expect(place.reads(alice, 'general').at(-1)).toBe(
    `Discarded. I will not declare “Checkout answers 500”.\n${givenUp}`,
  );
  expect(place.lastRead(bob, home)).toBe(
    `:wastebasket: @alice discarded this incident before it reached the incident API. I will not declare “Checkout answers 500”. /incident declare declares it again.\n${givenUp}`,
  );
  expect(place.reads(bob, home)[0]).toContain('@alice discarded this incident');
  expect(place.reads(bob, home)[0]).not.toContain('registered');

  const read = await type('/note add too late', bob, home);
  expect(read).toContain('This incident was never registered: its declaration failed or was discarded');
  expect(read).toContain('You typed: /note add too late');
  await alice.shortcut('add_timeline', bob.say(room(), 'nobody listens'));
  await place.quiet();
  expect(place.lastRead(alice, home)).toContain('This incident was never registered');
  expect(await type('/incident resolve', bob, home)).toContain('This incident was never registered');

  await comeBack();
  expect(await titles()).toEqual([]);
  expect(await states()).toEqual({ done: 2, discarded: 3 });
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
  for (const line of [...readsAll(alice), ...readsAll(bob)]) {
    expect(line).not.toMatch(inside);
    expect(line).not.toContain('What you asked for earlier');
  }
});

test('“Try now” says that it is still kept, and then does it with all that waits', async () => {
  const { place, alice, grafana, goAway, comeBack, reachable, type, press, room, incident, states, readsAll } =
    await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  await type('/note add Rolled back to v41', alice, home);
  expect(await press('Try now')).toContain(
    'Not yet: I’ll declare “Checkout answers 500” as soon as the incident API is back. It cannot be reached right now.',
  );
  expect(await press('Try now', alice, home)).toContain(
    'Not yet: I’ll add “Rolled back to v41” to the timeline of this incident as soon as',
  );
  grafana.heal();
  // An attempt of a moment ago may still be on its way.
  await place.quiet();
  await reachable();
  await press('Try now', alice, home);
  expect(readsAll().join('\n')).toContain('Added to the timeline of incident 1: “Rolled back to v41”.');
  await comeBack();
  expect((await incident()).title).toBe('Checkout answers 500');
  expect(await states()).toEqual({ done: 5 });
  const all = readsAll();
  const count = (words: string) => all.filter(each => each.includes(words)).length;
  expect(count('Incident 1 is declared')).toBe(1);
  expect(count('This is incident 1 now')).toBe(1);
  expect(count('the timeline of incident 1')).toBe(1);
  for (const read of all) expect(read).not.toMatch(inside);
});

test('what is refused in the end is told with the reason and the way out, and holds up nobody', async () => {
  const { alice, place, grafana, goAway, reachable, comeBack, type, press, incident, timeline } = await openOutage();
  await type('/incident declare Disk is full --now');
  const home = 'inc-1-disk-is-full';
  goAway();
  await type('/note add forbidden', alice, home);
  await type('/task add call the vendor', alice, home);
  grafana.heal();
  const no = { status: 403, body: '{"message":"no notes today"}' };
  grafana.fail({ when: /AddActivity/, answer: no });
  await reachable();
  await place.muster.bot.journal.wake();
  await place.quiet();
  const told = place.reads(alice, home).filter(each => each.includes('asked for earlier'));
  expect(told.join('\n')).toContain(
    'I could not add “forbidden” to the timeline of incident 1. The incident API does not let Muster do this (“no notes today”).',
  );
  expect(told.join('\n')).toContain('[Try again]\nYou typed: /note add forbidden\n[Discard]');
  expect((await incident()).taskList.tasks.map(task => task.text)).toEqual(['call the vendor']);

  await comeBack();
  const refusal = place.messages(alice, home).findLast(each => each.text.includes('forbidden'));
  if (!refusal) throw new Error('The refusal is gone');
  await alice.press(refusal, 'Try again');
  await place.quiet();
  expect(place.lastRead(alice, home)).toContain('Added to the timeline of incident 1: “forbidden”');
  expect((await timeline()).filter(item => item.activityKind === 'userNote')).toHaveLength(1);
  await expect(press('Try again', alice, home)).rejects.toThrow('no button');
});

test('a declaration that is refused in the end: its channel reads why, and one press brings all that was kept', async () => {
  const { place, alice, bob, grafana, goAway, reachable, type, room, titles, incident, readsAll } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  bob.join(home);
  await type('/task add call the vendor', bob, home);
  grafana.heal();
  grafana.fail({ when: /CreateIncident/, answer: { status: 401, body: '{"message":"Unauthorized"}' }, times: 1 });
  await reachable();
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(await titles()).toEqual([]);
  expect(place.lastRead(alice, 'general')).toContain(
    'I could not declare “Checkout answers 500”. The incident API does not accept Muster’s token.',
  );
  expect(place.lastRead(bob, home)).toContain(
    ':warning: This incident could not be registered. The incident API does not accept Muster’s token.',
  );
  expect(place.lastRead(bob, home)).toContain('@alice declared it and can try again or discard it.');
  const refusal = place.messages(alice, 'general').at(-1);
  if (!refusal) throw new Error('The refusal is gone');
  await alice.press(refusal, 'Try again');
  await place.quiet();
  expect(await titles()).toEqual(['Checkout answers 500']);
  expect((await incident()).taskList.tasks.map(task => task.text)).toEqual(['call the vendor']);
  expect(place.reads(bob, home)[0]).toContain('Active since');
  for (const read of [...readsAll(alice), ...readsAll(bob)]) expect(read).not.toMatch(inside);
});

test('an incident that is known is resolved, corrected and worked on while the API is down, and it takes effect afterwards', async () => {
  const { place, alice, goAway, comeBack, type, press, incident, timeline, states, readsAll } = await openOutage({
    users,
  });
  await type('/incident declare Disk is full --now');
  const home = 'inc-1-disk-is-full';
  await type('/task add call the vendor', alice, home);
  await type('/role assign me commander', alice, home);
  goAway();
  expect(await type('/task done vendor', alice, home)).toContain(
    'Saved. I’ll mark the task “call the vendor” as done as soon as',
  );
  expect(await type('/role unassign me commander', alice, home)).toContain('Saved. I’ll take the role commander from');
  await type('/incident severity', alice, home);
  await alice.submit({ severity: 'critical' });
  await place.quiet();
  expect(place.lastRead(alice, home)).toContain('Saved. I’ll set the severity of incident 1 to critical as soon as');
  await type('/note add from elsewhere');
  await press('#1 Disk is full');
  expect(place.lastRead(alice, 'general')).toContain(
    'Saved. I’ll add “from elsewhere” to the timeline of incident 1 as soon as',
  );
  await type('/incident resolve', alice, home);
  await alice.submit({ summary: 'Cleaned up' });
  await place.quiet();
  expect(place.lastRead(alice, home)).toMatch(/Saved\. I’ll (resolve incident 1|put the summary of incident 1)/);

  await comeBack();
  const made = await incident();
  expect(made).toMatchObject({ status: 'resolved', severity: 'critical' });
  expect(made.taskList.tasks.map(task => task.status)).toEqual(['done']);
  expect(made.incidentMembership.assignments).toEqual([]);
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual([
    'from elsewhere\n\n— alice in Slack',
    'Cleaned up\n\n— alice in Slack',
  ]);
  expect((await states()).done).toBe(12);
  for (const read of readsAll()) expect(read).not.toMatch(inside);
});

test('what could not be done for seven days is given up, and that is said', async () => {
  let now = new Date();
  const { slack, alice, place, goAway, type, press, reachable, grafana } = await openOutage({ clock: () => now });
  await type('/incident declare Disk is full --now');
  goAway();
  await type('/note add at last', alice, 'inc-1-disk-is-full');
  now = new Date(now.getTime() + 8 * 24 * 3_600_000);
  await place.muster.bot.journal.wake();
  await place.quiet();
  const dm = slack.openDm(alice).id;
  expect(place.lastRead(alice, dm)).toContain(
    'I could not add “at last” to the timeline of incident 1, though I tried for seven days.',
  );
  grafana.heal();
  await reachable();
  expect(await press('Try again', alice, dm)).toContain('Added to the timeline of incident 1: “at last”');
});

test('an incident that the API does not know yet stands in lists, searches and pickers', async () => {
  const { type, goAway, comeBack, reads, alice, bob, general, place, room } = await openOutage();
  await type('/incident declare Disk is full --now');
  await type('/incident status --incident 1');
  goAway();
  await type('/incident declare Payments are down --severity major --drill --now', bob);
  const row =
    /⏳ not registered yet · 🧪 Drill · Payments are down · 🟠 major · declared \d+ s ago by @bob · #inc-payments/;
  const listed = await type('/incident list');
  expect(listed).toMatch(row);
  expect(listed.indexOf('Payments are down')).toBeLessThan(listed.indexOf('Disk is full'));
  expect(await type('/incident list payments')).toMatch(row);
  expect(await type('/incident list checkout')).not.toMatch(row);
  expect(await type('/incident list me', bob)).toMatch(row);
  expect(await type('/incident list me')).not.toMatch(row);

  await type('/note the queue grows');
  const asked = place.messages(alice, general.name).at(-1);
  if (!asked) throw new Error('Nothing was asked');
  expect(JSON.stringify(asked.blocks)).toContain('⏳ not registered yet · major · declared');
  await alice.choose(asked, 'muster.pick', '🧪 Drill · Payments are down');
  await place.quiet();
  expect(reads()).toContain('the queue grows');
  await comeBack();
  alice.join(room().id);
  expect(await type('/incident status', alice, room().name)).toContain('the queue grows');
  expect(await type('/incident list')).not.toContain('not registered yet');
});
