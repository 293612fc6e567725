import { expect, test } from 'vitest';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { patient } from '../support/deadlines.ts';
import { holdNext } from '../support/held-call.ts';
import { declareNow, notesOf } from '../support/incident-room.ts';
import { openRestarts } from '../support/restarts.ts';
import type { WorkplaceOptions } from '../support/workplace.ts';

/** For a Slack that says nothing to a call for which a person waits. */
const hasty = patient({ slack: { quick: { call: 100 } } });

/** Bob and Alice in the channel of an incident. */
async function openStory(options: WorkplaceOptions = {}) {
  const { slack, database, alice, bob, general, open } = await openRestarts(options);
  const place = await open();
  const room = await declareNow(place, alice, general, 'Disk is full');
  bob.join(room);
  return {
    place,
    slack,
    alice,
    bob,
    general,
    room,
    notes: async () => (await notesOf(place, '1')).map(each => each.body.split('\n')[0]),
    reads: (person = alice, channel = room) => place.reads(person, channel.name).join('\n'),
    stored: () => database.as<BotTables>().selectFrom('bot_delivery').selectAll().orderBy('seq').execute(),
  };
}

test('a slow look does not hold up a note', async () => {
  const { place, slack, alice, bob, room, notes, reads } = await openStory();
  const look = holdNext(slack, 'users.info');
  await bob.command(room, '/incident status');
  await look.begun;
  await alice.command(room, '/note add It is the log');
  await expect.poll(notes).toEqual(['It is the log']);
  expect(reads(bob)).not.toContain('Latest on the timeline');
  look.go();
  await place.quiet();
  expect(reads(bob)).toContain('Latest on the timeline');
});

test('a note waits for one that was made before it and is slower', async () => {
  const { place, slack, alice, bob, room, notes, reads } = await openStory({ deadlines: hasty });
  slack.fail('users.info', { stall: true }, { times: 1 });
  await bob.command(room, '/note add first');
  await slack.until(() => slack.callsOf('users.info').length > 1);
  await alice.command(room, '/note add second');
  await place.quiet();
  expect(await notes()).toEqual(['first', 'second']);
  expect(reads()).toMatch(/^:memo: You noted on the timeline/m);
});

test('a change waits until the one before it has done all that it does', async () => {
  const { place, slack, alice, bob, room } = await openStory();
  const line = holdNext(slack, 'chat.postMessage');
  await bob.command(room, '/role assign @alice @bob investigator');
  await line.begun;
  await alice.command(room, '/incident severity critical');
  line.go();
  await place.quiet();
  const { activityItems } = await place.api.ActivityService.QueryActivity({
    query: { incidentID: '1', limit: 10, orderDirection: 'ASC' },
  });
  const done = activityItems.map(each => each.activityKind).filter(kind => /role|severity/i.test(kind));
  expect(done).toEqual(['roleAssigned', 'roleAssigned', 'incidentSeverityChanged']);
});

test('a note in one channel does not wait for a slow one in another', async () => {
  const { place, slack, alice, bob, room, general, notes } = await openStory();
  const other = await declareNow(place, alice, general, 'Cache is cold');
  bob.join(other);
  const look = holdNext(slack, 'users.info');
  await bob.command(other, '/note add elsewhere');
  await look.begun;
  await alice.command(room, '/note add here');
  await expect.poll(notes).toEqual(['here']);
  expect(await notesOf(place, '2')).toEqual([]);
  look.go();
  await place.quiet();
  expect(await notesOf(place, '2')).toHaveLength(1);
});

test('a form that is slow to open holds nobody up', async () => {
  const { place, slack, alice, bob, room, notes } = await openStory();
  const form = holdNext(slack, 'views.open');
  await bob.command(room, '/incident declare');
  await form.begun;
  await alice.command(room, '/note add first');
  await expect.poll(notes).toEqual(['first']);
  form.go();
  await place.quiet();
});

test('who waits for a form that is too slow to open reads why there is none', async () => {
  const { place, slack, bob, room, reads } = await openStory({ deadlines: hasty });
  slack.fail('views.open', { stall: true }, { times: 1 });
  await bob.command(room, '/incident declare');
  await place.quiet();
  expect(reads(bob)).toContain('they were over');
});

test('a command that does nothing, as one that nobody may give, holds nobody up', async () => {
  const { place, slack, alice, room, notes } = await openStory();
  const guest = slack.addPerson({ name: 'gus', isRestricted: true });
  guest.join(room);
  slack.fail('chat.postEphemeral', { stall: true }, { times: 100 });
  await guest.command(room, '/note add I may not');
  await alice.command(room, '/note add first');
  await expect.poll(notes).toEqual(['first']);
  slack.heal();
  await place.quiet();
});

test('what is stored of a delivery has no secret in it, and nothing of it stays when it is done', async () => {
  const { place, slack, alice, general, room, stored } = await openStory();
  await alice.command(general, '/incident declare Okapi escaped --now');
  await place.quiet();
  alice.mention(general, 'declare Zebra escaped --now');
  await place.quiet();
  await alice.shortcut('add_timeline', alice.say(room, 'A gnu as well'));
  await place.quiet();
  await slack.settled();
  const rows = await stored();
  expect(rows).toHaveLength(4);
  for (const row of rows) expect(row).toMatchObject({ state: 'done', body: '', lease_owner: '' });
  expect(JSON.stringify(rows)).not.toMatch(/okapi|zebra|gnu as well|trigger_id|https?:|xoxb/i);
});
