import { expect, test } from 'vitest';
import { renderView } from '../../../../../playground/fake-slack/fake-slack.ts';
import { declareNow } from '../../../../support/incident-room.ts';
import { playHour } from '../../../../support/room-scenes.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('nobody is late in the first minutes, after the end, or right after a look', async () => {
  const { carol, home, place, wait, type, slack, act } = await openVerbs();
  const alone = (who: typeof carol) => place.reads(who, home.id).join('\n');
  wait(9);
  await act(() => carol.join(home.id));
  expect(alone(carol)).not.toContain('going on');
  carol.leave(home.id);
  wait(30);
  await type('/incident status --incident 1', carol, slack.channel('general'));
  wait(2);
  await act(() => carol.join(home.id));
  expect(alone(carol)).not.toContain('going on');
  await type('/incident resolve It was the pool --now');
  const dora = slack.addPerson({ name: 'dora' });
  wait(60);
  await act(() => dora.join(home.id));
  expect(alone(dora)).not.toContain('going on');
});

test('a second catch-up a minute later says that nothing is new, and offers all of it', async () => {
  const { type, wait, last, press, bob, slack } = await playHour(await openVerbs());
  expect(await type('/incident catchup', bob)).toMatch(
    /^Incident 1 “Checkout answers 500” .*\n.*\n(?:Nothing new|News) since/,
  );
  wait(1);
  const again = await type('/incident catchup', bob);
  expect(again).toContain('Nothing new since');
  expect(again).toContain('1 min ago');
  expect(again).not.toContain('Decision:');
  await press(last(bob), 'From the start', bob);
  expect(renderView(slack, bob.view!)).toContain('Decision: we roll back');
});

test('it counts since the person looked or acted, and their own acts are no news', async () => {
  const { type, wait, alice, bob } = await playHour(await openVerbs());
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
  expect(more).toContain('Not shown: 1 other change. See the Full timeline, or type /incident timeline 1.');
  expect(more).not.toContain('The pool was too small');
});

test('who writes in the room is there, and who asks Muster or comes back with a hello is not', async () => {
  const { type, wait, alice, bob, home, place, act } = await playHour(await openVerbs());
  await type('/incident status', alice);
  wait(2);
  await type('/note The proxy is slow', bob);
  wait(1);
  await act(() => alice.say(home, 'I look at the proxy'));
  wait(1);
  expect(await type('/incident catchup', alice)).toContain('Nothing new since');
  wait(1);
  await type('/note The proxy is quick', bob);
  wait(1);
  await act(() => alice.mention(home, 'what did I miss?'));
  expect(place.lastRead(alice, home.id)).toContain('The proxy is quick');
  wait(30);
  await type('/note The pool is full', bob);
  wait(5);
  await act(() => alice.say(home, 'I am back'));
  wait(1);
  expect(await type('/incident catchup', alice)).toContain('The pool is full');
});

test('since a time, from the start, and by mention; words that are no time are asked about', async () => {
  const { type, alice, home, reads, bob, wait, act } = await playHour(await openVerbs());
  const since = await type('/incident catchup since 40m ago', alice);
  expect(since).toContain('Does the cache survive');
  expect(since).toContain('Rolling back release 1141');
  expect(since).toContain('Call the bank');
  expect(since).not.toContain('Decision:');
  expect(await type('/incident catchup since 12:31 UTC', bob)).not.toContain('Decision:');
  expect(await type('/incident catchup from the start', bob)).toContain('Decision:');
  wait(1);
  await act(() => alice.mention(home, 'what did I miss since 50m ago?'));
  expect(reads()).toContain('Decision:');
  expect(reads(bob)).not.toContain('50 min ago');
  await act(() => alice.mention(home, 'catch me up from the start please'));
  expect(reads()).not.toContain('since');
  expect(await type('/incident catchup since banana')).toContain('is not a time');
  const asked = await type('/incident recap we rolled back v41');
  expect(asked).toContain('[Catch me up]');
  expect(asked).toContain('[Add it as a note: we rolled back v41]');
});

test('the home tab has a way to it beside each incident', async () => {
  const { alice, bob, general, place, slack, act } = await playHour(await openVerbs());
  await declareNow(place, bob, general, 'Search is slow');
  await act(() => alice.openHome());
  expect(renderView(slack, alice.home!).match(/\[Catch me up\]/g)).toHaveLength(2);
  await act(() => alice.press('home', { text: 'Catch me up', near: 'Checkout' }));
  const shown = renderView(slack, alice.view!);
  expect(shown).toContain('== Catch-up ==');
  expect(shown).toMatch(/Incident 1 “Checkout answers 500” .* has been active for/);
  expect(shown).toContain('Rolling back release 1141');
});

test('of 320 notes the newest are told, and all others counted, in a few calls', async () => {
  const { type, api, wait, bob, alice, now } = await playHour(await openVerbs());
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
  expect(said).toContain('Not shown: 316 more notes. See the Full timeline, or type /incident timeline 1.');
  wait(1);
  expect(await type('/incident catchup', alice)).toContain('Nothing new');
});

test('a private incident catches up its members alone, and a guest reads what they may', async () => {
  const hidden = 'There is no incident 1 that you can see';
  const secret = await openVerbs({ isPrivate: true });
  await secret.type('/task add Call the bank');
  expect(await secret.type('/incident catchup --incident 1', secret.carol, secret.general)).toContain(hidden);
  secret.carol.say(secret.slack.openDm(secret.carol), 'catch me up on INC-1');
  await secret.place.quiet();
  const { slack, place, alice, carol } = secret;
  expect(place.reads(carol, slack.openDm(carol).id).join('\n')).not.toMatch(/bank|Checkout/);
  expect(await secret.type('/incident catchup from the start', alice)).toContain('Call the bank');
  const open = await playHour(await openVerbs());
  expect(await open.type('/incident catchup', open.gus)).toContain('Call the bank');
});
