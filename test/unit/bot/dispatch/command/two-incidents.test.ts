import { expect, test } from 'vitest';
import { lastMessage } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { declareTwoHere } from '../../../../support/room-scenes.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('of two active incidents in one channel, the person picks one, and the typed words are kept', async () => {
  const { here, pick, notes } = await declareTwoHere(await openVerbs());
  const question = await here('/note moved the logs');
  expect(question).toContain('This channel has 2 active incidents. Which one do you mean with /note add?');
  expect(question).toContain('[#3 Mail is late]\n[#2 Disk is full]');
  expect(question).toContain('You typed: /note moved the logs');
  await pick('#2 Disk is full');
  expect([await notes('2'), await notes('3')]).toEqual([['moved the logs'], []]);
});

test('a resolved incident never wins over an active one, also when it is newer', async () => {
  const { here, notes, status } = await declareTwoHere(await openVerbs());
  await here('/incident resolve --incident 3 --now');
  expect(await status('3')).toBe('resolved');
  await here('/note moved the logs');
  expect([await notes('2'), await notes('3')]).toEqual([['moved the logs'], []]);
  await here('/incident resolve --now');
  expect(await status('2')).toBe('resolved');
  await here('/note that was it');
  expect(await notes('3')).toEqual(['that was it']);
});

test('a message goes to the one that is active; between two the person chooses', async () => {
  const { here, notes, alice, bob, general, slack, act } = await declareTwoHere(await openVerbs());
  const message = bob.say(general, 'it is the logs');
  await act(() => alice.shortcut('add_timeline', message));
  expect(JSON.stringify(alice.view?.blocks)).toContain('Which incident?');
  await act(() => alice.submit({ incident: '2' }));
  expect(await notes('2')).toEqual(['it is the logs']);
  await here('/incident resolve --incident 2 --now');
  await act(() => alice.shortcut('add_timeline', bob.say(general, 'mail is slow')));
  expect(await notes('3')).toEqual(['mail is slow']);
  expect(slack.channel('general').id).toBe(general.id);
});

test('an unknown number is said in plain words, with what was typed', async () => {
  const { here } = await declareTwoHere(await openVerbs());
  for (const line of ['/task list --incident 99', '/note gone --incident 99', '/incident status --incident 99']) {
    const answer = await here(line);
    expect(answer).toContain(phrases.noIncident(99));
    expect(answer).toContain(`You typed: ${line}`);
  }
});

test('a command alone means the active incident of its channel, and asks between two', async () => {
  const { here, pick } = await declareTwoHere(await openVerbs());
  const question = await here('/incident');
  expect(question).toContain('This channel has 2 active incidents. Which one do you mean with /incident status?');
  expect(await pick('#2 Disk is full')).toContain('Disk is full');
  await here('/incident resolve --incident 3 --now');
  expect(await here('/incident')).toContain('Disk is full');
});

test('a channel that is named means its active incident, and asks between two', async () => {
  const { type, alice, home, press, last, notes, here } = await declareTwoHere(await openVerbs());
  const question = await type('/incident status #general', alice, home);
  expect(question).toContain('#general has 2 active incidents, so nothing was done yet. Which one do you mean?');
  expect(question).toContain('[#3 Mail is late]\n[#2 Disk is full]');
  expect(await press(last(alice, home), '#2 Disk is full')).toContain('Disk is full');
  const unsure = await type('/note #general is slow', alice, home);
  expect(unsure).toContain('[#1: Add it as a note: #general is slow]');
  await press(last(alice, home), '#3 Mail is late');
  expect([await notes('1'), await notes('2'), await notes('3')]).toEqual([[], [], ['is slow']]);
  await here('/incident resolve --incident 3 --now');
  expect(await type('/incident status #general', alice, home)).toContain('Disk is full');
});

test('a reaction between two active incidents adds nothing and says what to do; with one it goes there', async () => {
  const { here, notes, alice, bob, general, place, slack, reads } = await declareTwoHere(await openVerbs());
  const react = async (text: string) => {
    alice.react(bob.say(general, text), 'memo');
    await slack.settled();
    await place.quiet();
  };
  await react('it is the logs');
  expect(reads(alice, general)).toContain('This channel has 2 active incidents, so I added nothing. Add to timeline');
  expect([await notes('2'), await notes('3')]).toEqual([[], []]);
  await here('/incident resolve --incident 2 --now');
  await react('mail is slow');
  expect([await notes('2'), await notes('3')]).toEqual([[], ['mail is slow']]);
});

test('a menu of many incidents with hostile titles is one that Slack takes, the newest first', async () => {
  const { alice, api, place, slack, act } = await openVerbs();
  for (let each = 2; each <= 45; each += 1) {
    const title = `${each} ${'"\\<é>&'.repeat(40)}`;
    await api.IncidentsService.CreateIncident({ title, severity: 'minor', status: 'active', labels: [] });
  }
  for (let each = 46; each <= 60; each += 1) {
    const title = `${each} ${'"\\<é>&'.repeat(40)}`;
    await api.IncidentsService.CreateIncident({ title, severity: 'minor', status: 'resolved', labels: [] });
  }
  const elsewhere = slack.addChannel({ name: 'elsewhere', members: [alice] });
  await act(() => alice.command(elsewhere, '/incident status'));
  const asked = lastMessage(place, alice, elsewhere);
  expect(asked.text).toContain('Which one do you mean');
  expect(JSON.stringify(asked.blocks).length).toBeLessThan(13_000);
  expect(JSON.stringify(asked.blocks)).toContain('#45 45');
});

test('elsewhere one menu offers what goes on, and what is over to those who look or reopen', async () => {
  const { here, alice, general, place, last, home, type, status, act } = await declareTwoHere(await openVerbs());
  await type('/incident resolve --now', alice, home);
  const options = async (line: string) => {
    await act(() => alice.command(elsewhere, line));
    const { blocks } = last(alice, elsewhere);
    return JSON.stringify(blocks);
  };
  const elsewhere = place.slack.addChannel({ name: 'elsewhere', members: [alice] });
  const toAdd = await options('/note the logs moved');
  expect(toAdd).toContain('"Active (2)"');
  expect(toAdd).toContain('#3 Mail is late');
  expect(toAdd).toContain('⚪ pending · active for');
  expect(toAdd).not.toContain('Checkout');
  const toLook = await options('/incident status');
  expect(toLook).toContain('"Recently resolved (1)"');
  expect(toLook).toContain('✅ resolved');
  const toReopen = await options('/incident reopen');
  expect(toReopen).not.toContain('Mail is late');
  await act(() => alice.choose(last(alice, elsewhere), 'muster.pick', '#1 Checkout answers 500'));
  expect(await status('1')).toBe('active');

  await here('/incident resolve --incident 2 --now');
  await here('/incident resolve --incident 3 --now');
  await type('/incident resolve --now', alice, home);
  expect(await type('/note for the review', alice, elsewhere)).toContain(
    'This channel has no incident. None is active. Which one do you mean with /note add?',
  );
  expect(general.id).not.toBe(elsewhere.id);
});
