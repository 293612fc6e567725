import { expect, test } from 'vitest';
import { lastMessage, openIncident } from '../support/incident-room.ts';

const picker = 'incident.invite.pick';

test('a private incident says so: in the answer, on its card and in the topic, with a way to invite', async () => {
  const { place, slack, alice, general, home, card, incident } = await openIncident({ flags: '--private' });
  const told = place.reads(alice, general.id).join('\n');
  expect(told).toContain(':lock: Private: only people in its channel see it.');
  expect(told).toContain('[Invite somebody ▾]');
  const shown = () => place.reads(alice, home.id)[0] ?? '';
  expect(shown()).toContain(':lock: Private – only the 1 person in this channel sees it');
  expect(shown()).toContain('[Invite somebody ▾]');
  expect(slack.channel(home.name).topic).toBe(':lock: Private · Active · Checkout answers 500');
  expect((await incident()).incidentType).toBe('private');
  expect(card().pinned).toBe(true);
});

test('who is picked is in the room, and the number follows who comes and goes, without an edit for each', async () => {
  const { place, slack, alice, bob, carol, wendy, gus, home, card, act } = await openIncident({ flags: '--private' });
  const shown = () => /only the \d+ \w+/.exec(place.reads(alice, home.id)[0] ?? '')?.[0];
  await act(() => alice.choose(card(), picker, carol));
  expect(slack.channel(home.name).members).toContain(carol.id);
  expect(shown()).toBe('only the 2 people');
  const edits = () => slack.callsOf('chat.update').length;
  const before = edits();
  for (const person of [bob, wendy, gus]) alice.invite(home.id, person);
  await place.quiet();
  expect(shown()).toBe('only the 5 people');
  expect(edits() - before).toBeLessThanOrEqual(2);
  await act(() => carol.leave(home.id));
  expect(shown()).toBe('only the 4 people');
});

test('a public incident says nothing of it', async () => {
  const { place, slack, alice, general, home } = await openIncident();
  expect(place.reads(alice, general.id).join('\n')).not.toMatch(/Private|Invite somebody/);
  expect(place.reads(alice, home.id)[0]).not.toMatch(/Private|Invite somebody/);
  expect(slack.channel(home.name).topic).toBe('Active · Checkout answers 500');
});

test('a guest in the room invites nobody, and somebody outside reads nothing', async () => {
  const { place, slack, gus, carol, home, card, reads, alice, act } = await openIncident({ flags: '--private' });
  await act(() => alice.invite(home.id, gus));
  await act(() => gus.choose(card(), picker, carol));
  expect(reads(gus)).toContain('guests cannot change incidents');
  expect(slack.channel(home.name).members).not.toContain(carol.id);
  for (const channel of slack.channels)
    if (channel.members.has(carol.id))
      expect(place.reads(carol, channel.id).join('\n')).not.toMatch(/Checkout|Private/);
  expect(lastMessage(place, alice, home)).toBeDefined();
});

test('who takes over a private incident, and is in its room, reads the way into it', async () => {
  const { place, slack, alice, bob, type, home, act } = await openIncident({ flags: '--private' });
  await act(() => alice.invite(home.id, bob));
  await type('/role assign me commander');
  await type('/role handover @bob', alice);
  expect(place.reads(bob, slack.openDm(bob).id).join('\n')).toContain(`#${home.name}`);
});
