import { expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../playground/fake-slack/fake-slack.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { makeDatabase } from '../support/databases/fresh.ts';
import { patient } from '../support/deadlines.ts';
import { holdNext } from '../support/held-call.ts';
import { declareNow, notesOf } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { openWorkplace, type Workplace } from '../support/workplace.ts';

/** Two replicas of Muster on one database; Slack delivers to the second until told otherwise. */
async function openTwo(deadlines = patient()) {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const settings = { DATABASE_URL: fresh.url };
  const anne = await openWorkplace({ settings, deadlines });
  const bert = await openWorkplace({ settings, deadlines, slack: anne.slack });
  const { slack, api } = anne;
  const alice = slack.addPerson({ name: 'alice' });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  // One takes up what the other left.
  const quiet = async () => {
    for (const place of [anne, bert, anne, bert]) await place.quiet();
  };
  return {
    anne,
    bert,
    slack,
    alice,
    general,
    quiet,
    /** From here on Slack delivers to this one. */
    to: (place: Workplace) => slack.connectApp(`${place.muster.url}/slack/events`),
    titles: async () => {
      const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: {} });
      return incidentPreviews.map(each => each.title);
    },
    tasks: async () => {
      const { incident } = await api.IncidentsService.GetIncident({ incidentID: '1' });
      return incident.taskList.tasks.map(each => `${each.text}: ${each.status}`);
    },
    last: (kind: Delivery['kind'], pattern = /./): Delivery => {
      const found = slack.deliveries.findLast(each => each.kind === kind && pattern.test(each.body));
      if (!found) throw new Error(`There was no such ${kind}`);
      return found;
    },
    lines: () => anne.reads(alice, general.name),
  };
}

test('the same signed command, sent to two replicas, takes effect once and is answered once', async () => {
  const { anne, bert, to, slack, alice, general, quiet, titles, last, lines } = await openTwo();
  to(anne);
  await alice.command(general, '/incident declare Disk is full --now');
  await quiet();
  const before = lines();
  to(bert);
  expect((await slack.replay(last('command'))).status).toBe(200);
  await quiet();
  expect(await titles()).toEqual(['Disk is full']);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
  expect(lines()).toEqual(before);
  expect((await slack.replay(last('command'))).status).toBe(401);
});

test('a mention delivered to both replicas at the same moment, and to the other one later, takes effect once', async () => {
  const { anne, bert, to, slack, alice, general, quiet, titles, last, lines } = await openTwo();
  const looked = Promise.withResolvers<void>();
  slack.fail('users.info', { until: () => looked.promise }, { times: 2 });
  to(anne);
  alice.mention(general, 'declare Disk is full --now');
  await slack.settled();
  const mention = last('event', /app_mention/);
  to(bert);
  expect((await slack.redeliver(mention)).status).toBe(200);
  looked.resolve();
  await quiet();
  expect(await titles()).toEqual(['Disk is full']);
  expect(lines().filter(each => each.includes('You declared incident 1'))).toHaveLength(1);
  for (const [minute, place] of [anne, bert].entries()) {
    to(place);
    // Signed again, as Slack does minutes later.
    const timestamp = Math.floor(Date.now() / 1000) + 60 * (minute + 1);
    const { body, contentType } = mention;
    expect((await slack.deliver({ body, contentType, timestamp })).status).toBe(200);
  }
  await quiet();
  expect(await titles()).toEqual(['Disk is full']);
  expect(lines().filter(each => each.includes('You declared incident 1'))).toHaveLength(1);
});

test('a press and a shortcut that come to the other replica as well take effect once', async () => {
  const { anne, bert, to, slack, alice, general, quiet, tasks, last } = await openTwo();
  await alice.command(general, '/incident declare Disk is full --now');
  await quiet();
  const room = slack.channel('inc-1-disk-is-full');
  to(anne);
  await alice.command(room, '/task add Look at it');
  await quiet();
  const list = anne.messages(alice, room.id).findLast(each => each.ephemeralTo !== undefined);
  if (!list) throw new Error('There is no list');
  await alice.press(list, 'Start');
  await quiet();
  expect(await tasks()).toEqual(['Look at it: progress']);
  await alice.command(room, '/task undo Look at it');
  await quiet();
  const before = anne.reads(alice, room.name);
  to(bert);
  expect((await slack.replay(last('interaction', /block_actions/))).status).toBe(200);
  await quiet();
  expect(anne.reads(alice, room.name)).toEqual(before);

  to(anne);
  const message = alice.say(room, 'It is the database');
  await alice.shortcut('add_timeline', message);
  await quiet();
  const read = anne.reads(alice, room.name);
  to(bert);
  expect((await slack.replay(last('interaction', /message_action/))).status).toBe(200);
  await quiet();
  expect(anne.reads(alice, room.name)).toEqual(read);
});

test('a form submitted to both replicas declares one incident, and each says which', async () => {
  const { anne, bert, to, slack, alice, general, quiet, titles, lines } = await openTwo();
  to(anne);
  await alice.command(general, '/incident declare');
  await quiet();
  await alice.submit({ title: 'Disk is full' });
  await quiet();
  to(bert);
  await alice.resubmit();
  await quiet();
  expect(await titles()).toEqual(['Disk is full']);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
  const told = lines().filter(each => each.includes('declared incident 1:'));
  expect(told.filter(each => each.includes('already declared'))).toHaveLength(1);
  expect(told).toHaveLength(2);
});

test('a form and a mention that come to both replicas at the same moment take effect once', async () => {
  const { anne, bert, to, slack, alice, general, quiet, titles, last, lines } = await openTwo();
  const urls = [anne, bert].map(place => `${place.muster.url}/slack/events`);
  const later = Math.floor(Date.now() / 1000) + 60;
  /** Both get the same bytes, signed again. */
  const toBoth = async ({ body, contentType }: Delivery) => {
    const replies = urls.map(url => slack.deliver({ body, contentType, timestamp: later, url }));
    expect((await Promise.all(replies)).map(each => each.status)).toEqual([200, 200]);
    await quiet();
  };
  to(anne);
  await alice.command(general, '/incident declare');
  await quiet();
  slack.connectApp('http://127.0.0.1:9/nobody');
  await alice.submit({ title: 'Disk is full' });
  await toBoth(last('interaction', /view_submission/));
  expect(await titles()).toEqual(['Disk is full']);
  const told = lines().filter(each => each.includes('declared incident 1:'));
  expect(told.filter(each => each.includes('already declared'))).toHaveLength(1);
  expect(told).toHaveLength(2);

  alice.mention(general, 'declare Cache is cold --now');
  await slack.settled();
  await toBoth(last('event', /app_mention/));
  expect((await titles()).toSorted()).toEqual(['Cache is cold', 'Disk is full']);
  expect(lines().filter(each => each.includes('declared incident 2:'))).toHaveLength(1);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(2);
});

test('a card that Slack takes late from one replica does not cover what another one has to show', async () => {
  const { anne, bert, to, slack, alice, general, quiet } = await openTwo();
  to(anne);
  await alice.command(general, '/incident declare Disk is full --severity minor --now');
  await quiet();
  const room = slack.channels.find(each => each.name.startsWith('inc-1'))?.id ?? '';
  const calls = slack.callsOf('chat.update').length;
  const update = holdNext(slack, 'chat.update');
  await alice.command(general, '/incident severity major --incident 1');
  await update.begun;
  expect(anne.reads(alice, room).join()).toContain('minor → major');
  to(bert);
  await alice.command(general, '/incident severity critical --incident 1');
  await slack.until(() => bert.lastRead(alice, general.name).includes('to critical'));
  update.go();
  await quiet();
  const shown = slack
    .callsOf('chat.update')
    .slice(calls)
    .filter(each => each.args.channel === room);
  expect(shown.map(each => /major|critical/.exec(JSON.stringify(each))?.[0])).toEqual(['major', 'critical']);
  expect(anne.reads(alice, room)[0]).toContain('CRITICAL');
});

/** Rob and Alice in the channel of an incident, which Alice declared at Anne's. */
async function openRoom(deadlines?: Deadlines) {
  const two = await openTwo(deadlines);
  const { anne, slack, alice, general, to } = two;
  to(anne);
  const rob = slack.addPerson({ name: 'rob' });
  const room = await declareNow(anne, alice, general, 'Disk is full');
  rob.join(room);
  const notes = async () => (await notesOf(anne, '1')).map(each => each.body.split('\n')[0]);
  return { ...two, rob, room, notes };
}

test('a slow look at one replica does not hold up a note at another one', async () => {
  const { anne, bert, to, slack, alice, rob, room, notes, quiet } = await openRoom();
  const look = holdNext(slack, 'users.info');
  await rob.command(room, '/incident status');
  await look.begun;
  to(bert);
  await alice.command(room, '/note add It is the log');
  await expect.poll(notes).toEqual(['It is the log']);
  expect(anne.reads(rob, room.name).join('\n')).not.toContain('Latest on the timeline');
  look.go();
  await quiet();
  expect(anne.reads(rob, room.name).join('\n')).toContain('Latest on the timeline');
});

test('a note waits for one that was made before it and is slower, at another replica', async () => {
  const { bert, to, slack, alice, rob, room, notes, quiet } = await openRoom(
    patient({ slack: { quick: { call: 1000 } } }),
  );
  slack.fail('users.info', { stall: true }, { times: 1 });
  await rob.command(room, '/note add first');
  await slack.until(() => slack.callsOf('users.info').length > 1);
  to(bert);
  await alice.command(room, '/note add second');
  await quiet();
  expect(await notes()).toEqual(['first', 'second']);
  expect(bert.lastRead(alice, room.name)).toContain(phrases.added);
});

test('a reaction that is delivered to both replicas stores its message once', async () => {
  const { anne, bert, to, slack, alice, general, quiet, last } = await openTwo();
  to(anne);
  const room = await declareNow(anne, alice, general, 'Disk is full');
  const message = alice.say(room, 'rolled back');
  alice.react(message, 'memo');
  await slack.settled();
  to(bert);
  await slack.redeliver(last('event', /reaction_added/));
  await quiet();
  expect(await notesOf(anne, '1')).toHaveLength(1);
});
