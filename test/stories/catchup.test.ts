import { expect, test } from 'vitest';
import { renderView } from '../../src/fake-slack/fake-slack.ts';
import { declareNow, type IncidentOptions, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

/** An incident of an hour, with an update, a decision, tasks, a role and a question. */
async function openHour(options: IncidentOptions = {}) {
  const opened = await openIncident(options);
  const { type, wait, alice, bob, place, slack } = opened;
  wait(5);
  await type('/incident severity major');
  await type('/role assign @bob commander');
  wait(10);
  await type('/incident update Rolling back release 1141 --next 30m', bob);
  await type('/note Decision: we roll back before we look further', bob);
  wait(5);
  await type('/task add Call the bank @alice', bob);
  await type('/task add Roll back @bob', bob);
  await type('/task done 2', bob);
  wait(10);
  await type('/note Does the cache survive a restart?', bob);
  wait(30);
  /** What is said to a person alone in the room. */
  const alone = (who = alice) =>
    place
      .messages(who, opened.home.id)
      .filter(each => each.ephemeralTo === who.id)
      .map(each => each.text);
  const direct = (who: typeof alice) => place.reads(who, slack.openDm(who).id);
  return { ...opened, alone, direct };
}

test('who joins an hour late gets one line alone, and one press tells how it stands', async () => {
  const { carol, bob, home, place, last, press, reads, alone, act } = await openHour({ settings: { PAGES: 'open' } });
  const said = bob.say(home, 'The pool is full');
  await act(() => bob.react(said, 'memo'));
  const before = home.messages.filter(each => each.ephemeralTo === undefined && !each.subtype).length;
  carol.join(home.id);
  await place.quiet();
  expect(reads(carol)).toBe('This incident has been going on for 1 h: “Checkout answers 500”.\n[Catch me up]');
  const brief = await press(last(carol), 'Catch me up', carol);
  for (const fact of [
    'Catch-up on incident 1 “Checkout answers 500”, from the start',
    'major · active for 1 h. Commander: bob.',
    /Latest update 12:30 PM, by bob: Rolling back release 1141/,
    /Next update: .*due at/,
    'Tasks: 1 open (alice 1), 1 done (bob 1).',
    /pending → major · alice · entry \(https:\S+#activity-item-\d+\)/,
    /The pool is full · bob · message \(https:\S+\)/,
    /Decision: we roll back before we look further · bob · (message|entry)/,
    /bob assigned as commander/,
    /1\. Call the bank · alice/,
    /2\. Roll back · bob/,
    /Questions that were noted\n.*Does the cache survive a restart\? · bob/,
  ])
    expect(brief).toMatch(fact);
  expect(brief.length).toBeLessThan(3000);
  carol.leave(home.id);
  carol.join(home.id);
  await place.quiet();
  expect(alone(carol).filter(each => each.includes('has been going on'))).toHaveLength(1);
  expect(home.messages.filter(each => each.ephemeralTo === undefined && !each.subtype)).toHaveLength(before);
});

test('nobody is late in the first minutes, after the end, or right after a look', async () => {
  const { carol, home, place, wait, type, slack } = await openIncident();
  const alone = (who: typeof carol) => place.reads(who, home.id).join('\n');
  wait(9);
  carol.join(home.id);
  await place.quiet();
  expect(alone(carol)).not.toContain('going on');
  carol.leave(home.id);
  wait(30);
  await type('/incident status --incident 1', carol, slack.channel('general'));
  wait(2);
  carol.join(home.id);
  await place.quiet();
  expect(alone(carol)).not.toContain('going on');
  await type('/incident resolve It was the pool --now');
  const dora = slack.addPerson({ name: 'dora' });
  wait(60);
  dora.join(home.id);
  await place.quiet();
  expect(alone(dora)).not.toContain('going on');
});

test('twenty who join at once cost a bounded number of calls, and those who are passed over are told later', async () => {
  const { slack, home, place, wait } = await openHour();
  const many = Array.from({ length: 20 }, (_, at) => slack.addPerson({ name: `late-${at}` }));
  const before = slack.calls.length;
  for (const each of many) each.join(home.id);
  await place.quiet();
  const calls = slack.calls.slice(before).filter(each => /postEphemeral|postMessage|users\.info/.test(each.method));
  expect(calls.filter(each => each.method === 'chat.postEphemeral')).toHaveLength(10);
  expect(calls.length).toBeLessThanOrEqual(30);
  const passed = many.at(-1)!;
  wait(2);
  passed.leave(home.id);
  passed.join(home.id);
  await place.quiet();
  expect(place.reads(passed, home.id).join('\n')).toContain('[Catch me up]');
});

test('a second catch-up a minute later says that nothing is new, and offers all of it', async () => {
  const { type, wait, last, press, bob } = await openHour();
  expect(await type('/incident catchup', bob)).toMatch(
    /Nothing new|Catch-up on incident 1 “Checkout answers 500”, since/,
  );
  wait(1);
  const again = await type('/incident catchup', bob);
  expect(again).toContain('Nothing new in incident 1 “Checkout answers 500” since');
  expect(again).toContain('1 min ago');
  expect(again).not.toContain('Call the bank');
  expect(await press(last(bob), 'From the start', bob)).toContain('Call the bank');
});

test('it counts since the person looked or acted, and their own acts are no news', async () => {
  const { type, wait, alice, bob } = await openHour();
  await type('/incident status', alice);
  wait(3);
  await type('/note The pool was too small', bob);
  wait(1);
  await type('/note I restarted the proxy', alice);
  wait(1);
  const said = await type('/incident recap', alice);
  expect(said).toContain('1 min ago');
  expect(said).toContain('Nothing new');
  await type('/incident timeline', alice);
  wait(1);
  await type('/note The pool is at 200 now', bob);
  await type('/incident label db', bob);
  wait(1);
  const more = await type('/incident catchup', alice);
  expect(more).toContain('The pool is at 200 now · bob');
  expect(more).toContain('… and 1 other change: /incident timeline 1');
  expect(more).not.toContain('The pool was too small');
});

test('who writes in the room is there, and who asks Muster or comes back with a hello is not', async () => {
  const { type, wait, alice, bob, home, place, act } = await openHour();
  await type('/incident status', alice);
  wait(2);
  await type('/note The proxy is slow', bob);
  wait(1);
  await act(() => alice.say(home, 'I look at the proxy'));
  wait(1);
  expect(await type('/incident catchup', alice)).toContain('Nothing new in');
  wait(1);
  await type('/note The proxy is quick', bob);
  wait(1);
  alice.mention(home, 'what did I miss?');
  await place.quiet();
  expect(place.lastRead(alice, home.id)).toContain('The proxy is quick');
  wait(30);
  await type('/note The pool is full', bob);
  wait(5);
  await act(() => alice.say(home, 'I am back'));
  wait(1);
  expect(await type('/incident catchup', alice)).toContain('The pool is full');
});

test('since a time, from the start, and by mention; words that are no time are asked about', async () => {
  const { type, alice, home, place, reads, bob, wait } = await openHour();
  const since = await type('/incident catchup since 40m ago', alice);
  expect(since).toContain('Does the cache survive');
  expect(since).toContain('Call the bank');
  expect(since).not.toContain('Decision:');
  expect(await type('/incident catchup since 12:31 UTC', bob)).not.toContain('Decision:');
  expect(await type('/incident catchup from the start', bob)).toContain('Decision:');
  wait(1);
  alice.mention(home, 'what did I miss since 50m ago?');
  await place.quiet();
  expect(reads()).toContain('Decision:');
  expect(reads(bob)).not.toContain('50 min ago');
  alice.mention(home, 'catch me up from the start please');
  await place.quiet();
  expect(reads()).toContain('from the start');
  expect(await type('/incident catchup since banana')).toContain('is not a time');
  const asked = await type('/incident recap we rolled back v41');
  expect(asked).toContain('[Catch me up]');
  expect(asked).toContain('[Add it as a note: we rolled back v41]');
});

test('--post shows it to the room, once, and mentions nobody', async () => {
  const { type, alice, bob, carol, general, home, place, gus } = await openHour();
  const posted = () =>
    home.messages.filter(each => each.ephemeralTo === undefined && each.text.includes('Catch-up on incident'));
  expect(await type('/incident catchup --post')).toBe('Posted for everybody in this channel.');
  expect(posted()).toHaveLength(1);
  expect(place.reads(bob, home.id).join('\n')).toContain('Asked for by @alice');
  expect(JSON.stringify(posted()[0]?.blocks)).not.toMatch(/<@|<!(?!date)/);
  expect(await type('/incident catchup since 40m ago --post', bob)).toContain('Posted');
  expect(posted()).toHaveLength(2);
  expect(posted()[1]?.text).not.toContain('Decision:');
  expect(await type('/incident catchup --post --incident 1', carol, general)).toContain('Type it there.');
  expect(await type('/incident catchup --post', gus)).toContain('guests cannot');
  expect(posted()).toHaveLength(2);
  // The button below an answer posts that one.
  await type('/incident catchup from the start', alice);
  const answer = place.messages(alice, home.id).at(-1)!;
  await Promise.all([alice.press(answer, 'Post to channel'), alice.press(answer, 'Post to channel')]);
  await place.quiet();
  expect(posted()).toHaveLength(3);
});

test('a private incident catches up its members alone, and a guest reads what they may', async () => {
  const hidden = 'There is no incident 1 that you can see';
  const secret = await openIncident({ flags: '--private' });
  await secret.type('/task add Call the bank');
  expect(await secret.type('/incident catchup --incident 1', secret.carol, secret.general)).toContain(hidden);
  secret.carol.say(secret.slack.openDm(secret.carol), 'catch me up on INC-1');
  await secret.place.quiet();
  const { slack, place, alice, carol } = secret;
  expect(place.reads(carol, slack.openDm(carol).id).join('\n')).not.toMatch(/bank|Checkout/);
  expect(await secret.type('/incident catchup from the start', alice)).toContain('Call the bank');
  const open = await openHour();
  expect(await open.type('/incident catchup', open.gus)).toContain('Call the bank');
});

test('the home tab has a way to it beside each incident', async () => {
  const { alice, bob, general, place, direct, slack } = await openHour();
  await declareNow(place, bob, general, 'Search is slow');
  alice.openHome();
  await place.quiet();
  expect(renderView(slack, alice.home!).match(/\[Catch me up\]/g)).toHaveLength(2);
  await alice.press('home', { text: 'Catch me up', near: 'Checkout' });
  await place.quiet();
  expect(direct(alice).at(-1)).toContain('incident');
  expect(direct(alice).at(-1)).toMatch(/Catch-up on|Nothing new in/);
});

test('a handover at the end of a shift brings its brief', async () => {
  const { type, bob, carol, direct, home, place, wait } = await openHour();
  const known = direct(bob).length;
  expect(await type('/role handover @carol', bob)).toMatch(/Done\.\nI invited @carol to \S+\n\[Undo\]/);
  // Who hands over gets no brief, and the room one line.
  expect(direct(bob)).toHaveLength(known);
  expect(place.reads(bob, home.id).filter(each => each.includes('handed over by @bob'))).toEqual([
    ':bust_in_silhouette: @carol is now commander (handed over by @bob)',
  ]);
  const brief = direct(carol).at(-1) ?? '';
  for (const fact of [
    '@bob handed you command.',
    'commander: Owns the incident',
    'Catch-up on incident 1 “Checkout answers 500”, from the start',
    'Commander: carol.',
    'Call the bank',
    'Decision: we roll back',
    '[Roles] [Catch me up]',
  ])
    expect(brief).toContain(fact);
  // The room offers it no more.
  expect(place.reads(carol, home.id).join('\n')).not.toContain('has been going on');
  await type('/incident status', carol);
  wait(20);
  await type('/note The bank has called back', bob);
  await type('/role handover @bob', carol);
  await type('/role handover @carol', bob);
  const second = direct(carol).at(-1) ?? '';
  expect(second).toContain('since');
  expect(second).toContain('The bank has called back');
  expect(second).not.toContain('Decision: we roll back');
});

test('while the API is away it says how it was, and that nobody can say what is new', async () => {
  const { type, room, bob, place, goAway, comeBack } = await openOutage();
  await type('/incident declare Checkout answers 500 --now');
  const home = room();
  bob.join(home.id);
  await place.quiet();
  await type('/task add Call the vendor', bob, home.name);
  goAway();
  const said = await type('/incident catchup', bob, home.name);
  expect(said).toContain('cannot be reached');
  expect(said).toContain('I cannot say what is new');
  expect(said).toContain('Tasks: 1 open (nobody 1), 0 done.');
  await comeBack();
  expect(await type('/incident catchup from the start', bob, home.name)).toContain('Call the vendor');
});

test('an incident that is not registered yet says so', async () => {
  const { type, room, alice, goAway } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  expect(await type('/incident catchup', alice, room().name)).toContain('not registered yet');
});

test('of 320 notes the newest are told, and all others counted, in a few calls', async () => {
  const { type, api, wait, bob, alice, now } = await openHour();
  await type('/incident status', alice);
  wait(1);
  for (let each = 1; each <= 320; each += 1) {
    const body = `note ${each} of many & <more>\n\n— bob in Slack`;
    await api.ActivityService.AddActivity({
      ...{ incidentID: '1', activityKind: 'userNote', body, eventTime: new Date(now().getTime() + each).toISOString() },
      fieldValues: { source: 'note', addedBy: 'bob', addedByUser: bob.id },
    });
  }
  wait(1);
  const said = await type('/incident catchup', alice);
  expect(said).toMatch(/note 320 of many & <more> · bob\n.*note 319 .*\n.*note 318 .*\n.*note 317 .*\n/);
  expect(said).toContain('… and 316 more notes: /incident timeline 1');
  wait(1);
  expect(await type('/incident catchup', alice)).toContain('Nothing new');
});

test('who is brought in late, by an invitation or a role, finds the way to it', async () => {
  const { type, bob, carol, slack, home, place, direct, general } = await openHour();
  bob.invite(home, carol);
  await place.quiet();
  expect(place.reads(carol, home.id).at(-1)).toContain('[Catch me up]');
  const dora = slack.addPerson({ name: 'dora' });
  dora.join(general.id);
  await type('/role assign @dora observer', bob);
  expect(direct(dora).at(-1)).toContain('[Roles] [Catch me up]');
  expect(direct(dora).at(-1)).not.toContain('Catch-up on');
});
