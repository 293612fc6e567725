import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { DeliveryStore } from '../../../src/bot/inbox/delivery-store.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { engine } from '../../support/databases/fresh.ts';
import { patient } from '../../support/deadlines.ts';
import { declareNow, notesOf } from '../../support/incident-room.ts';
import { type MusterProcess, muster, spawnMuster } from '../../support/muster-process.ts';
import { phrases } from '../../support/phrases.ts';
import { openRestarts } from '../../support/restarts.ts';
import type { Workplace } from '../../support/workplace.ts';

/** Musters that start one after the other, and time that goes by between them. */
async function openStory() {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead * 1000);
  const monotonicNow = () => performance.now() + ahead * 1000;
  const restarts = await openRestarts({ clock, monotonicNow });
  const { url, slack, database, alice, general, open } = restarts;
  return {
    ...restarts,
    clock,
    wait: (seconds: number) => {
      ahead += seconds;
    },
    /** A process that is gone left a command of alice's in the middle, and what it had of a press. */
    leave: async (text: string, press?: string) => {
      // It is closed before anything is left, which its first look would else take up.
      await (await open())[Symbol.asyncDispose]();
      const deliveries = new DeliveryStore({ database, owner: 'somebody who is gone' });
      const left = {
        key: 'command/x',
        actor: { teamId: slack.teamId, userId: alice.id },
        location: { channelId: general.id, threadTs: '' },
        act: { kind: 'command' as const, root: 'incident', text },
      };
      await deliveries.keep(left, true, clock());
      if (press !== undefined) {
        await deliveries.keep({ ...left, key: 'press/y' }, true, clock());
        const rows = database.as<BotTables>().updateTable('bot_delivery').set({ kind: 'press', body: press });
        await rows.where('key', '=', 'press/y').execute();
      }
      await deliveries.handBack();
    },
    /** Muster as a process of its own. */
    spawn: async (program?: string) => {
      const child = spawnMuster(
        ['start'],
        {
          SLACK_BOT_TOKEN: slack.botToken,
          SLACK_SIGNING_SECRET: slack.signingSecret,
          SLACK_API_URL: slack.apiUrl,
          DATABASE_URL: url,
          PORT: '0',
        },
        program === undefined ? {} : { program },
      );
      onTestFinished(() => void child.kill('SIGKILL'));
      slack.connectApp(`http://127.0.0.1:${await portOf(child)}/slack/events`);
      return child;
    },
    stored: () => database.as<BotTables>().selectFrom('bot_delivery').selectAll().orderBy('key').execute(),
    mention: () => {
      const found = slack.deliveries.findLast(each => each.kind === 'event' && /app_mention/.test(each.body));
      if (!found) throw new Error('Nobody mentioned the bot');
      return found;
    },
  };
}

/** Others take up what a killed Muster left once its lease is over: it may only be busy. On SQLite there are no others. */
const mayBeBusy = engine === 'postgres';

async function portOf(child: MusterProcess): Promise<number> {
  for await (const line of createInterface(child.stdout)) {
    if (/"msg":"muster: ready"/.test(line)) {
      child.stdout.resume();
      return JSON.parse(line).port;
    }
  }
  throw new Error('Muster did not become ready');
}

const titlesOf = async (place: Workplace) => {
  const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
  return incidentPreviews.map(each => each.title).toSorted();
};

test('what a killed Muster had acknowledged and not done is done by the next one, once, and answered', async () => {
  const { slack, alice, general, wait, open, spawn, stored, mention } = await openStory();
  const child = await spawn();
  slack.fail('users.info', { stall: true }, { times: 100 });
  alice.mention(general, 'declare Disk is full --now');
  await slack.settled();
  expect((await alice.command(general, '/incident declare Cache is cold --now')).status).toBe(200);
  await slack.until(() => slack.callsOf('users.info').length > 0);
  await expect.poll(async () => (await stored()).map(each => each.state)).toEqual(['open', 'open']);
  child.kill('SIGKILL');
  await once(child, 'exit');
  slack.heal();

  const place = await open();
  if (mayBeBusy) {
    await place.quiet();
    expect(await titlesOf(place)).toEqual([]);
    wait(21);
  }
  await expect.poll(() => titlesOf(place)).toEqual(['Cache is cold', 'Disk is full']);
  await place.quiet();
  const read = place.reads(alice, general.name).join('\n');
  expect(read).toContain('disk-is-full');
  expect(read).toContain('cache-is-cold');
  expect(await stored()).toMatchObject([
    { state: 'done', body: '' },
    { state: 'done', body: '' },
  ]);
  expect((await slack.redeliver(mention())).status).toBe(200);
  await place.quiet();
  expect(await titlesOf(place)).toHaveLength(2);
});

test('what a killed Muster had acknowledged is done before what was asked of another one meanwhile', async () => {
  const { slack, alice, bob, general, wait, open, spawn, stored } = await openStory();
  const first = await open();
  const room = await declareNow(first, alice, general, 'Disk is full');
  await first[Symbol.asyncDispose]();
  bob.join(room);
  const child = await spawn();
  slack.fail('users.info', { stall: true }, { times: 100 });
  const asked = slack.callsOf('users.info').length;
  expect((await bob.command(room, '/note add It is the log')).status).toBe(200);
  await slack.until(() => slack.callsOf('users.info').length > asked);
  await expect.poll(async () => (await stored()).filter(each => each.state === 'open')).toHaveLength(1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  slack.heal();

  const place = await open();
  await alice.command(room, '/note add The log is rotated');
  const notes = async () => (await notesOf(place, '1')).map(each => each.body.split('\n')[0]);
  if (mayBeBusy) {
    await expect.poll(async () => (await stored()).filter(each => each.blocks_order === 1)).toHaveLength(2);
    expect(await notes()).toEqual([]);
  }
  // A lease is over its whole time after the first look at it, and nothing here tells when that look was.
  const notesLater = () => {
    wait(21);
    return notes();
  };
  await expect
    .poll(mayBeBusy ? notesLater : notes, mayBeBusy ? { interval: 3000 } : {})
    .toEqual(['It is the log', 'The log is rotated']);
  await place.quiet();
  // Each look puts the clock ahead. After some of them the answer is a late one, which names the incident and the note.
  expect(place.lastRead(alice, room.name)).toContain(phrases.added);
  expect(place.lastRead(bob, room.name)).toContain(phrases.added);
});

test.each([
  ['before its note is stored', 'conversations.replies', 0],
  ['after its note is stored and before the mark is set', 'reactions.add', 1],
])(
  'a Muster that is killed in mid-reaction, %s: the next one leaves one note and the mark',
  async (_when, method, stored) => {
    const { slack, alice, bob, general, wait, open, spawn, stored: deliveries } = await openStory();
    const first = await open();
    const room = await declareNow(first, alice, general, 'Disk is full');
    await first[Symbol.asyncDispose]();
    bob.join(room);
    const message = bob.say(room, 'The log has grown');
    const child = await spawn();
    const before = slack.callsOf(method).length;
    slack.fail(method, { stall: true }, { times: 100 });
    alice.react(message, 'pushpin');
    await slack.settled();
    await slack.until(() => slack.callsOf(method).length > before);
    expect((await deliveries()).filter(each => each.state === 'open')).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    slack.heal();
    const marks = () => message.reactions.filter(each => each.users.includes(slack.botUserId)).map(each => each.name);
    expect(marks()).toEqual([]);

    const place = await open();
    const notes = async () => (await notesOf(place, '1')).map(each => each.body.split('\n')[0]);
    if (mayBeBusy) {
      await place.quiet();
      expect(await notes()).toHaveLength(stored);
      expect(marks()).toEqual([]);
      wait(21);
    }
    await expect.poll(marks).toEqual(['memo']);
    await place.quiet();
    expect(await notes()).toEqual(['The log has grown']);
    expect((await deliveries()).filter(each => each.state === 'open')).toEqual([]);
  },
);

test('a Muster that must stop before it is done hands it back, and the next one does it at once', async () => {
  const { slack, alice, general, open, spawn, stored } = await openStory();
  // It stops as it does for people, and waits no thirty times as long for what is stalled.
  const child = await spawn(muster);
  slack.fail('chat.postEphemeral', { stall: true }, { times: 100 });
  slack.fail('chat.postMessage', { stall: true }, { times: 100 });
  alice.mention(general, 'list');
  await slack.settled();
  await slack.until(() => slack.callsOf('chat.postEphemeral').length > 0);
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(await stored()).toMatchObject([{ state: 'open' }]);
  slack.heal();
  const place = await open();
  await place.quiet();
  expect(place.lastRead(alice, general.name)).toContain(`${phrases.noIncidentYet}.`);
});

test.for([
  ['storing takes too long', { storeEvent: 2000 }, 500, 'receiver: could not take a request, answers 500'],
  // A process that stood still may come to this deadline first.
  ['the time is over', { acknowledge: 2000 }, 503, 'receiver: a request was not acknowledged in time'],
] as const)(
  'a mention that cannot be stored is not acknowledged: %s; stored late, it is carried out once',
  async ([, deadlines, status, trouble]) => {
    const { slack, database, alice, general, open, mention } = await openStory();
    const place = await open({ deadlines: patient(deadlines), expectErrors: each => each.msg === trouble });
    const gate = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const blocking = database.withLock('test', async trx => {
      if (engine === 'postgres') await sql`lock table bot_delivery in exclusive mode`.execute(trx);
      locked.resolve();
      await gate.promise;
    });
    await locked.promise;
    alice.mention(general, 'declare Disk is full --now');
    await slack.settled();
    expect(place.troubles.map(each => each.msg)).toContain(trouble);
    expect(await slack.replay(mention()), 'tried again within the same second').toMatchObject({ status });
    gate.resolve();
    await blocking;
    expect((await slack.redeliver(mention())).status).toBe(200);
    await place.quiet();
    expect(await titlesOf(place)).toEqual(['Disk is full']);
    expect(place.reads(alice, general.name).filter(each => each.includes('You declared'))).toHaveLength(1);
  },
);

test('a command is acknowledged and answered although it cannot be stored', async () => {
  const { database, alice, general, open } = await openStory();
  const place = await open();
  const { schema } = database.as<BotTables>();
  await schema.alterTable('bot_delivery').renameColumn('body', 'elsewhere').execute();
  onTestFinished(() => schema.alterTable('bot_delivery').renameColumn('elsewhere', 'body').execute());
  expect((await alice.command(general, '/incident declare Disk is full --now')).status).toBe(200);
  await place.quiet();
  expect(place.lastRead(alice, general.name)).toContain('You declared incident 1');
  expect(place.troubles.map(each => each.msg)).toEqual([
    'inbox: storing a delivery takes too long, it is carried out anyway',
  ]);
});

test('whoever could not be answered is answered later', async () => {
  const { slack, alice, general, wait, open, stored } = await openStory();
  const place = await open({
    expectErrors: each => /^delivery: failed, and the person could not be answered/.test(each.msg),
  });
  slack.fail('chat.postEphemeral', { error: 'fatal_error' }, { times: 100 });
  slack.fail('chat.postMessage', { error: 'fatal_error' }, { times: 100 });
  alice.mention(general, 'list');
  await place.quiet();
  expect(await stored()).toMatchObject([{ state: 'open' }]);
  await place[Symbol.asyncDispose]();
  slack.heal();
  wait(40);
  const next = await open();
  await next.quiet();
  expect(next.lastRead(alice, general.name)).toContain(`${phrases.noIncidentYet}.`);
  expect(await stored()).toMatchObject([{ state: 'done' }]);
});

test('what was left for more than an hour is not done unasked: whoever asked is told, with what they typed', async () => {
  const { alice, general, leave, wait, open, stored } = await openStory();
  await leave('declare <!here> Disk is full --now', '{"of":"another version"}');
  wait(2 * 3600);
  const next = await open();
  await next.quiet();
  expect(next.lastRead(alice, general.name)).toContain(
    'You asked for this 2 h ago, and Muster was stopped before it had answered. It may or may not have happened: look at /incident status, and do it again if it is missing.',
  );
  expect(next.lastRead(alice, general.name)).toContain('You typed: /incident declare @here Disk is full --now');
  expect(await titlesOf(next)).toEqual([]);
  expect(await stored()).toMatchObject([
    { key: 'command/x', state: 'done', body: '' },
    { key: 'press/y', state: 'done', body: '' },
  ]);
  expect(next.troubles.map(each => each.msg)).toContain('inbox: dropped a delivery that this version cannot read');
});

test('whoever cannot be told of what was left, since Slack is away, is told later, and soon after Slack is back', async () => {
  const { slack, alice, general, leave, wait, open, stored } = await openStory();
  await leave('list');
  wait(2 * 3600);
  slack.fail('chat.postEphemeral', { error: 'fatal_error' }, { times: 100 });
  slack.fail('chat.postMessage', { error: 'fatal_error' }, { times: 100 });
  const away = await open();
  await away.quiet();
  // While it rests, later changes of its channel do not wait for it.
  expect(await stored()).toMatchObject([{ state: 'open', lease_owner: '', next_at: expect.toSatisfy(at => at > 0) }]);
  await away[Symbol.asyncDispose]();
  slack.heal();
  wait(60);
  const next = await open();
  await next.quiet();
  expect(next.lastRead(alice, general.name)).toContain('You asked for this 2 h 1 min ago');
  expect(await stored()).toMatchObject([{ state: 'done' }]);
});
