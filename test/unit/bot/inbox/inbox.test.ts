import { expect, test } from 'vitest';
import { type Act, type Delivery, noReply, type Reply } from '../../../../src/bot/dispatch/feature/delivery.ts';
import type { Plan, Turn } from '../../../../src/bot/dispatch/feature/turn.ts';
import { DeliveryStore, maxAttempts } from '../../../../src/bot/inbox/delivery-store.ts';
import { Inbox } from '../../../../src/bot/inbox/inbox.ts';
import { Visits } from '../../../../src/bot/incident/state/visits.ts';
import { Stopped } from '../../../../src/bot/journal/intent.ts';
import { keepFor } from '../../../../src/bot/keep-for.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import type { Words } from '../../../../src/bot/text/blocks.ts';
import { Heart } from '../../../../src/db/heart.ts';
import { deadlines } from '../../../../src/deadlines.ts';
import { makeFresh, openBotDatabase } from '../../../support/fresh-database.ts';
import { openVirtualTime } from '../../../support/virtual-time.ts';
import { type LogRecord, openWatchedLog } from '../../../support/watched-log.ts';

const pollEvery = 2500;
const leaseTime = 20_000;

/** What handling a delivery comes to. */
type Handle = (turn: Turn) => Promise<void>;

/** Processes on one database, whose time passes when the test says so. */
async function openWorld() {
  const time = openVirtualTime(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']);
  const url = await makeFresh();
  let now = Date.parse('2026-03-02T14:00:00Z');
  let monotonicNow = 0;
  const clock = () => new Date(now);
  /** Texts that were handled, in order. */
  const handled: string[] = [];
  const said: string[] = [];
  /** What handling a text comes to; at once when nothing is said. */
  const script = new Map<string, Handle>();
  const textOf = (act: Act) => (act.kind === 'command' ? act.text : '');

  const plan = (act: Act): Plan => ({
    mayChange: !textOf(act).startsWith('look'),
    isUrgent: textOf(act).startsWith('page'),
    run: async (_delivery, _reply, turn) => {
      const text = textOf(act);
      handled.push(text);
      await script.get(text)?.(turn);
    },
  });
  const dispatcher = {
    plan,
    // As the dispatcher does: words that answer an act show that it submits nothing.
    say: async (words: Words, _delivery: Delivery, _reply: Reply, turn: Turn) => {
      turn.release();
      said.push(JSON.stringify(words));
    },
  };

  async function openProcess(owner: string, expectErrors?: (record: LogRecord) => boolean) {
    const database = await openBotDatabase(clock(), url);
    const { log } = openWatchedLog({ level: 'error', close: () => stop(), expectErrors });
    const store = new DeliveryStore({ database, owner, monotonicNow: () => monotonicNow });
    let unstored = 0;
    const onUnstored = () => {
      unstored += 1;
    };
    const journal = { told: async (_ids: readonly string[], storing?: () => Promise<void>) => storing?.() };
    const visits = new Visits({ database, teamId: 'T1', log });
    const clocks = { clock, monotonicNow: () => monotonicNow };
    const heart = new Heart({ database, owner, isSoleProcess: false, ...clocks, keptFor: keepFor.processes, log });
    const isLive = async (channelId: string) => channelId !== 'lobby';
    const inbox = new Inbox({
      dispatcher,
      store,
      journal,
      visits,
      deadlines,
      heart,
      ...clocks,
      isLive,
      onUnstored,
      log,
    });
    const stop = async () => {
      inbox.close();
      await inbox.handBack();
      await heart[Symbol.asyncDispose]();
    };
    const start = inbox.start.bind(inbox);
    inbox.start = async isSoleProcess => {
      await heart.start();
      await start(isSoleProcess);
    };
    return {
      inbox,
      store,
      stop,
      trials: heart.trials,
      unstored: () => unstored,
      /** The number by which others see that it lives. */
      life: async () => {
        const row = database.as<BotTables>().selectFrom('bot_process').select('heartbeat').where('owner', '=', owner);
        return (await row.executeTakeFirst())?.heartbeat ?? 0;
      },
      /** Its watch ends it: its leases show no life any more. */
      hang: async () => {
        const db = database.as<BotTables>();
        const gone = `${owner}, gone`;
        await db.insertInto('bot_process').values({ owner: gone, heartbeat: 0, beaten_at: 0, hung: 1 }).execute();
        await db.updateTable('bot_delivery').set({ lease_owner: gone }).where('lease_owner', '=', owner).execute();
      },
      rows: () => database.as<BotTables>().selectFrom('bot_delivery').selectAll().orderBy('seq').execute(),
    };
  }

  /** Time goes by, for all clocks and timers. */
  async function pass(ms: number): Promise<void> {
    now += ms;
    monotonicNow += ms;
    await time.advance(ms);
  }

  const bodyOf = (text: string, channelId = 'C1'): Omit<Delivery, 'key'> => ({
    actor: { teamId: 'T1', userId: 'U1' },
    location: { channelId, threadTs: '' },
    act: { kind: 'command', root: 'note', text },
  });
  return {
    handled,
    said,
    script,
    clock,
    openProcess,
    bodyOf,
    receive: (text: string, channelId = 'C1'): Delivery => ({ key: `command/${text}`, ...bodyOf(text, channelId) }),
    /** A process that is gone stored a delivery. */
    leave: async (store: DeliveryStore, text: string, body?: string) => {
      await store.keep({ key: `command/${text}`, ...bodyOf(text) }, true, clock());
      if (body === undefined) return;
      const db = (await openBotDatabase(clock(), url)).as<BotTables>();
      await db.updateTable('bot_delivery').set({ body }).where('key', '=', `command/${text}`).execute();
    },
    pass,
    /** Time goes by until then. */
    until: async (end: Promise<unknown>) => {
      let isOver = false;
      void end.finally(() => {
        isOver = true;
      });
      await expect
        .poll(async () => {
          await pass(100);
          return isOver;
        })
        .toBe(true);
    },
  };
}

test('a delivery is stored, handled, and then only its key is kept', async () => {
  const { openProcess, receive, handled } = await openWorld();
  const { inbox, rows } = await openProcess('anne');
  await inbox.take(receive('first'), noReply);
  expect(await rows()).toHaveLength(1);
  await inbox.idle();
  expect(handled).toEqual(['first']);
  expect(await rows()).toMatchObject([{ key: 'command/first', state: 'done', body: '', blocks_order: 0 }]);
});

test('with whom two processes hung is set aside and told, and what they handled with it is carried out', async () => {
  const { openProcess, leave, handled, said, script, pass } = await openWorld();
  const anne = await openProcess('anne');
  for (const text of ['poison', 'look around', 'look again']) await leave(anne.store, text);
  await anne.hang();
  const bert = await openProcess('bert');
  script.set('poison', () => new Promise(() => {}));
  await bert.inbox.start(false);
  await expect
    .poll(async () => {
      await pass(1000);
      return handled;
    })
    .toEqual(['poison']);
  await pass(10_000);
  // One at a time, so that it alone is blamed.
  expect(handled).toEqual(['poison']);
  bert.inbox.close();
  await bert.hang();
  const carl = await openProcess('carl', ({ msg }) => msg.startsWith('delivery: set aside'));
  await carl.inbox.start(false);
  await expect
    .poll(async () => {
      await pass(1000);
      return handled.toSorted();
    })
    .toEqual(['look again', 'look around', 'poison']);
  await expect
    .poll(async () => {
      await pass(1000);
      return said.join();
    })
    .toContain('set aside');
  await carl.inbox.idle();
  expect(await carl.rows()).toMatchObject([
    { key: 'command/poison', state: 'given up', body: '', hangs: 2 },
    { state: 'done' },
    { state: 'done' },
  ]);
});

test('a delivery with which a process hung waits while its process tries an intent of another one', async () => {
  const { openProcess, leave, handled, pass } = await openWorld();
  const anne = await openProcess('anne');
  await leave(anne.store, 'suspect');
  await anne.hang();
  const bert = await openProcess('bert');
  bert.trials.begin('intent', 'command/another');
  await bert.inbox.start(false);
  await leave(anne.store, 'look around');
  await expect
    .poll(async () => {
      await pass(1000);
      return handled;
    })
    .toEqual(['look around']);
  bert.trials.end('intent');
  await expect
    .poll(async () => {
      await pass(1000);
      return handled;
    })
    .toEqual(['look around', 'suspect']);
  await bert.inbox.idle();
  expect(bert.trials.begin('intent', 'command/another')).toBe(true);
});

test('a delivery that comes again, to this process or to another one, is handled once', async () => {
  const { openProcess, receive, handled } = await openWorld();
  const [anne, bert] = [await openProcess('anne'), await openProcess('bert')];
  await Promise.all([anne, bert, anne].map(each => each.inbox.take(receive('first'), noReply)));
  await anne.inbox.idle();
  await bert.inbox.idle();
  await bert.inbox.takeStored(receive('first'));
  await bert.inbox.idle();
  expect(handled).toEqual(['first']);
});

test('the changes of a channel are handled in their order, in one process and in two', async () => {
  const { openProcess, receive, handled, script, pass } = await openWorld();
  const [anne, bert] = [await openProcess('anne'), await openProcess('bert')];
  const slow = Promise.withResolvers<void>();
  script.set('first', () => slow.promise);
  await anne.inbox.take(receive('first'), noReply);
  await bert.inbox.take(receive('second'), noReply);
  await anne.inbox.take(receive('third'), noReply);
  await anne.inbox.take(receive('elsewhere', 'C2'), noReply);
  await bert.inbox.take(receive('look'), noReply);
  await expect.poll(() => handled.toSorted()).toEqual(['elsewhere', 'first', 'look']);
  await pass(1000);
  expect(handled).toHaveLength(3);
  slow.resolve();
  await expect
    .poll(async () => {
      await pass(200);
      return handled.slice(3);
    })
    .toEqual(['second', 'third']);
});

test('a delivery that has submitted what it submits lets the next one start, and goes on itself', async () => {
  const { openProcess, receive, handled, script } = await openWorld();
  const { inbox } = await openProcess('anne');
  const slow = Promise.withResolvers<void>();
  script.set('first', async turn => {
    turn.release();
    turn.release();
    await slow.promise;
  });
  await inbox.take(receive('first'), noReply);
  await inbox.take(receive('second'), noReply);
  await expect.poll(() => handled).toEqual(['first', 'second']);
  slow.resolve();
  await inbox.idle();
});

test('a person hears, once, that an act waits for an earlier one', async () => {
  const { openProcess, receive, said, script, pass } = await openWorld();
  const { inbox } = await openProcess('anne');
  const slow = Promise.withResolvers<void>();
  script.set('first', () => slow.promise);
  await inbox.take(receive('first'), noReply);
  await inbox.take(receive('second'), noReply);
  await pass(1000);
  expect(said).toEqual([]);
  await expect
    .poll(async () => {
      await pass(500);
      return said;
    })
    .toHaveLength(1);
  expect(said[0]).toContain('behind an earlier one in this channel');
  await pass(10_000);
  expect(said).toHaveLength(1);
  slow.resolve();
  await pass(200);
  await inbox.idle();
  expect(said).toHaveLength(1);
});

test('a delivery whose person hears that it waits keeps its place', async () => {
  const { openProcess, receive, handled, said, script, pass } = await openWorld();
  const { inbox } = await openProcess('anne');
  const slow = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  script.set('first', () => slow.first.promise);
  script.set('second', () => slow.second.promise);
  const eventually = (look: () => readonly string[]) =>
    expect.poll(async () => {
      await pass(200);
      return look();
    });
  await inbox.take(receive('first'), noReply);
  await inbox.take(receive('second'), noReply);
  await eventually(() => said).toHaveLength(1);
  await inbox.take(receive('third'), noReply);
  slow.first.resolve();
  await eventually(() => handled).toEqual(['first', 'second']);
  for (let n = 0; n < 10; n += 1) await pass(200);
  expect(handled).toEqual(['first', 'second']);
  slow.second.resolve();
  await eventually(() => handled).toEqual(['first', 'second', 'third']);
});

test('a delivery that is begun before it could be stored submits nothing before its turn', async () => {
  const { openProcess, receive, handled, script, pass } = await openWorld();
  const { inbox, store } = await openProcess('anne');
  const keep = store.keep.bind(store);
  const late = Promise.withResolvers<void>();
  store.keep = async (delivery, ...rest) => {
    if (delivery.key.endsWith('second')) await late.promise;
    return keep(delivery, ...rest);
  };
  const slow = Promise.withResolvers<void>();
  const submitted: string[] = [];
  script.set('first', async () => {
    await slow.promise;
    submitted.push('first');
  });
  script.set('second', async turn => {
    await turn.awaitTurn();
    submitted.push('second');
  });
  await inbox.take(receive('first'), noReply);
  await expect.poll(() => handled).toEqual(['first']);
  const second = inbox.take(receive('second'), noReply);
  await pass(1000);
  await second;
  await expect.poll(() => handled).toEqual(['first', 'second']);
  late.resolve();
  for (let n = 0; n < 5; n += 1) await pass(200);
  expect(submitted).toEqual([]);
  slow.resolve();
  await expect
    .poll(async () => {
      await pass(200);
      return submitted;
    })
    .toEqual(['first', 'second']);
});

test('a delivery that is acknowledged before it is stored is counted, and its person told; who only looks is answered', async () => {
  const { openProcess, receive, handled, said, until } = await openWorld();
  const { inbox, store, unstored } = await openProcess('anne');
  const slow = Promise.withResolvers<void>();
  const keep = store.keep.bind(store);
  store.keep = async (...given) => {
    await slow.promise;
    return await keep(...given);
  };
  const acknowledged = [inbox.take(receive('look'), noReply), inbox.take(receive('change'), noReply)];
  expect(unstored()).toBe(0);
  await until(Promise.all(acknowledged));
  expect(unstored()).toBe(2);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('not stored yet');
  slow.resolve();
  await inbox.idle();
  expect(handled.toSorted()).toEqual(['change', 'look']);
});

/** Deliveries of a process whose database is away until it is told to come back; `went` names what was stored, in order. */
async function makeAway(owner: string) {
  const world = await openWorld();
  const { inbox, store, ...process } = await world.openProcess(owner);
  const keep = store.keep.bind(store);
  const away = { is: true, went: [] as string[] };
  store.keep = async (delivery, ...rest) => {
    if (away.is) throw Object.assign(new Error('timeout exceeded when trying to connect'), { code: 'ETIMEDOUT' });
    away.went.push(delivery.key.replace('command/', ''));
    return await keep(delivery, ...rest);
  };
  return { ...world, ...process, inbox, store, away };
}

test('what a database could not take is kept, stored when it answers, in the order in which it came, and handled once', async () => {
  const { inbox, rows, away, receive, handled, script, said, pass, until } = await makeAway('anne');
  const texts = ['1', '2', '3', '4'];
  // The first attempts fail as the database does, so that nobody is answered.
  for (const text of texts)
    script.set(text, () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })));
  for (const text of texts) await until(inbox.take(receive(text), noReply));
  expect(said).toHaveLength(texts.length);
  // Longer than any deadline.
  for (let n = 0; n < 10; n += 1) await pass(10_000);
  expect(await rows()).toEqual([]);
  expect(handled.toSorted()).toEqual(texts);
  script.clear();
  away.is = false;
  await expect
    .poll(async () => {
      await pass(250);
      return away.went;
    })
    .toEqual(texts);
  await until(inbox.idle());
  await inbox.start(false);
  await expect
    .poll(async () => {
      await pass(2500);
      return handled.slice(texts.length);
    })
    .toEqual(texts);
  await inbox.idle();
  expect((await rows()).map(each => [each.key, each.state])).toEqual(texts.map(text => [`command/${text}`, 'done']));
});

test('beyond ten thousand, or 64 MB, a delivery is not taken, and its person reads so at once, with what they typed', async () => {
  const { inbox, receive, handled, said, pass, stop, unstored } = await makeAway('anne');
  const large = (key: string, size: number) => {
    const act = { kind: 'command', root: 'note', text: 'look '.padEnd(size, 'x') } as const;
    return { ...receive(key), act };
  };
  for (let n = 0; n < 30; n += 1) void inbox.take(large(`large ${n}`, 1_000_000), noReply);
  await inbox.take(large('too much', 2_000_000), noReply);
  await expect.poll(() => said).toHaveLength(1);
  expect(said.join().includes('I did not take yours')).toBe(true);
  expect(unstored()).toBe(1);
  for (let n = 30; n < 10_000; n += 1) void inbox.take(receive(`look ${n}`), noReply);
  await inbox.take(receive('the last straw'), noReply);
  await expect.poll(() => said).toHaveLength(2);
  expect(said[1]).toContain('/note the last straw');
  await pass(1000);
  await expect.poll(() => handled.length).toBe(10_000);
  expect(handled).not.toContain('the last straw');
  await stop();
});

test('a delivery that fails is handled again after a pause, and blocks nothing meanwhile', async () => {
  const { openProcess, receive, handled, script, pass } = await openWorld();
  const { inbox, rows } = await openProcess(
    'anne',
    each => each.msg === 'delivery: failed, and the person could not be answered',
  );
  await inbox.start(false);
  script.set('first', () => Promise.reject(new Error('Slack is away')));
  await inbox.take(receive('first'), noReply);
  await inbox.take(receive('second'), noReply);
  await inbox.idle();
  expect(handled).toEqual(['first', 'second']);
  expect(await rows()).toMatchObject([{ state: 'open', attempts: 1, lease_owner: '' }, { state: 'done' }]);
  script.delete('first');
  await pass(27_500);
  await inbox.idle();
  expect(handled).toHaveLength(2);
  await pass(pollEvery);
  await expect.poll(() => handled).toEqual(['first', 'second', 'first']);
  await inbox.idle();
  expect(await rows()).toMatchObject([{ state: 'done', attempts: 2 }, { state: 'done' }]);
});

test('what a dead process left and what a stopped one handed back is handled in order, and never one lease after the other', async () => {
  const { openProcess, leave, handled, pass } = await openWorld();
  const dead = await openProcess('dead');
  const stopped = await openProcess('stopped');
  for (const text of ['1 dead', '2 dead']) await leave(dead.store, text);
  for (const text of ['3 back', '4 back', '5 back']) await leave(stopped.store, text);
  await leave(dead.store, '6 dead');
  await stopped.store.handBack();
  const { inbox, rows } = await openProcess('next');
  await inbox.start(false);
  // It has seen the leases of the dead one.
  await expect.poll(async () => (await rows()).filter(row => row.lease_owner === 'next')).toHaveLength(3);
  for (let ms = pollEvery; ms < leaseTime; ms += pollEvery) {
    await pass(pollEvery);
    expect(handled).toEqual([]);
  }
  let waited = leaseTime - pollEvery;
  await expect
    .poll(async () => {
      // Once it has begun it is the database that takes time, and that is no time in this world.
      const ms = handled.length === 0 ? 100 : 10;
      await pass(ms);
      waited += ms;
      return handled;
    })
    .toEqual(['1 dead', '2 dead', '3 back', '4 back', '5 back', '6 dead']);
  expect(waited).toBeLessThan(leaseTime + 4 * pollEvery);
});

test('what wakes people goes first after a restart, and waits for nothing in the room of an incident; elsewhere it keeps its turn', async () => {
  const { openProcess, receive, handled, script, pass } = await openWorld();
  const dead = await openProcess('dead');
  const [note, page, behind] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  // It died before it had begun any of them.
  for (const [text, channel] of [
    ['declare', 'lobby'],
    ['page lobby', 'lobby'],
    ['note', 'C1'],
    ['page', 'C1'],
    ['behind', 'C1'],
  ])
    await dead.store.keep(
      receive(text ?? '', channel),
      text?.startsWith('page') !== true,
      new Date('2026-03-02T14:00:00Z'),
      {
        isUrgent: text?.startsWith('page') === true,
      },
    );
  script.set('note', () => note.promise);
  script.set('declare', () => behind.promise);
  script.set('page', () => page.promise);
  const { inbox } = await openProcess('next');
  await inbox.start(true);
  await expect.poll(() => handled).toEqual(['page', 'declare', 'note']);
  note.resolve();
  // It waits for the note alone: nobody waits for a page.
  await expect
    .poll(async () => {
      await pass(200);
      return handled;
    })
    .toEqual(['page', 'declare', 'note', 'behind']);
  behind.resolve();
  await expect
    .poll(async () => {
      await pass(200);
      return handled.at(-1);
    })
    .toBe('page lobby');
  page.resolve();
  await inbox.idle();
  expect(handled).toHaveLength(5);
});

test('one delivery that hangs holds up only its own channel', async () => {
  const { openProcess, leave, bodyOf, handled, script, pass } = await openWorld();
  const stopped = await openProcess('stopped');
  await leave(stopped.store, 'hangs');
  await leave(stopped.store, 'behind');
  const elsewhere = { key: 'command/elsewhere', ...bodyOf('elsewhere', 'C2') };
  await stopped.store.keep(elsewhere, true, new Date('2026-03-02T14:00:00Z'));
  await stopped.store.handBack();
  const hangs = Promise.withResolvers<void>();
  script.set('hangs', () => hangs.promise);
  const { inbox } = await openProcess('next');
  await inbox.start(false);
  await expect.poll(() => handled.toSorted()).toEqual(['elsewhere', 'hangs']);
  await pass(4 * pollEvery);
  expect(handled).toHaveLength(2);
  hangs.resolve();
  await expect
    .poll(async () => {
      await pass(200);
      return handled.at(-1);
    })
    .toBe('behind');
});

test('a process that is alone handles at start what a dead one left, without waiting for a lease', async () => {
  const { openProcess, leave, handled } = await openWorld();
  const dead = await openProcess('dead');
  for (const text of ['1', '2', '3']) await leave(dead.store, text);
  const { inbox, rows } = await openProcess('next');
  await inbox.start(true);
  await expect.poll(() => handled).toEqual(['1', '2', '3']);
  await inbox.idle();
  expect((await rows()).map(row => [row.state, row.attempts])).toEqual([
    ['done', 2],
    ['done', 2],
    ['done', 2],
  ]);
});

test('more deliveries than are taken up together are all handled, in order', async () => {
  const { openProcess, leave, handled, pass } = await openWorld();
  const dead = await openProcess('dead');
  const texts = Array.from({ length: 45 }, (_, n) => `${n}`);
  for (const text of texts) await leave(dead.store, text);
  const { inbox } = await openProcess('next');
  await inbox.start(true);
  await expect
    .poll(async () => {
      await pass(200);
      return handled;
    })
    .toEqual(texts);
});

test('a delivery that was left for more than an hour is not carried out; the person is told, with what they typed', async () => {
  const { openProcess, leave, handled, said, pass } = await openWorld();
  const dead = await openProcess('dead');
  await leave(dead.store, 'old');
  await dead.store.handBack();
  await pass(3_600_000);
  const { inbox, rows } = await openProcess('next');
  await inbox.start(false);
  await expect.poll(() => said).toHaveLength(1);
  await inbox.idle();
  expect(said[0]).toContain('You asked for this 1 h ago, and Muster was stopped before it had answered.');
  expect(said[0]).toContain('/note old');
  expect(handled).toEqual([]);
  expect(await rows()).toMatchObject([{ state: 'done', body: '' }]);
});

test('that a message was deleted is followed however late: nobody waits for an answer', async () => {
  const { openProcess, leave, bodyOf, handled, said, pass } = await openWorld();
  const dead = await openProcess('dead');
  const act = { kind: 'change', how: 'deleted', ts: '1772442044.949000' } as const;
  await leave(
    dead.store,
    'deleted',
    JSON.stringify({ ...bodyOf('deleted'), actor: { teamId: 'T1', userId: '' }, act }),
  );
  await dead.store.handBack();
  await pass(3_600_000);
  const { inbox } = await openProcess('next');
  await inbox.start(false);
  await expect.poll(() => handled).toHaveLength(1);
  expect(said).toEqual([]);
});

test('a delivery that was left for less than an hour is carried out', async () => {
  const { openProcess, leave, handled, pass } = await openWorld();
  const dead = await openProcess('dead');
  await leave(dead.store, 'young');
  await dead.store.handBack();
  await pass(3_599_999);
  const { inbox } = await openProcess('next');
  await inbox.start(false);
  await expect.poll(() => handled).toEqual(['young']);
});

test.each(['{"of":"another version"}', 'not json'])(
  'a delivery that cannot be read, %s, holds nothing up',
  async body => {
    const { openProcess, leave, handled, pass } = await openWorld();
    const dead = await openProcess('dead');
    await leave(dead.store, 'strange', body);
    await leave(dead.store, 'behind');
    const { inbox, rows } = await openProcess('next');
    await inbox.start(true);
    await expect
      .poll(async () => {
        // What waits behind it may have looked already.
        await pass(200);
        return handled;
      })
      .toEqual(['behind']);
    await inbox.idle();
    expect(await rows()).toMatchObject([{ state: 'done', body: '' }, { state: 'done' }]);
  },
);

test('of what processes handled that died again and again, the one delivery is given up with which they died', async () => {
  const { openProcess, leave, handled, said, script, pass } = await openWorld();
  const first = await openProcess('first');
  for (const text of ['poison', 'behind']) await leave(first.store, text);
  const never = new Promise<void>(() => {});
  script.set('poison', () => never);
  // It goes on while some of them die, and is no more to blame than what waits behind the poison.
  await leave(first.store, 'look slowly');
  script.set('look slowly', () => never);
  const deaths = () => handled.filter(each => each === 'poison').length;
  const expectErrors = ({ msg }: LogRecord) => msg.startsWith('delivery: set aside');
  for (let n = 1; deaths() < maxAttempts - 1; n += 1) {
    const { inbox } = await openProcess(`process ${n}`, expectErrors);
    await inbox.start(true);
    await expect.poll(deaths).toBe(n);
    await expect.poll(() => handled.filter(each => each === 'look slowly').length).toBe(Math.min(n, 2));
    inbox.close();
  }
  expect(handled).not.toContain('behind');
  script.clear();
  const { inbox, rows } = await openProcess('last', expectErrors);
  await inbox.start(true);
  await expect
    .poll(async () => {
      await pass(1000);
      return [handled.slice(-2).toSorted(), said.join()];
    })
    .toEqual([['behind', 'look slowly'], expect.stringContaining('set aside')]);
  await inbox.idle();
  expect(deaths()).toBe(maxAttempts - 1);
  expect(await rows()).toMatchObject([
    { key: 'command/poison', state: 'given up', body: '' },
    { key: 'command/behind', state: 'done' },
    { key: 'command/look slowly', state: 'done' },
  ]);
});

test('a process that stops starts nothing that waits, and hands back what is not done', async () => {
  const { openProcess, receive, handled, script, clock, until } = await openWorld();
  const first = await openProcess('first');
  const stopped = Promise.withResolvers<void>();
  script.set('cut off', () => stopped.promise);
  await first.inbox.take(receive('cut off'), noReply);
  await first.inbox.take(receive('behind'), noReply);
  await expect.poll(() => handled).toEqual(['cut off']);
  first.inbox.close();
  stopped.reject(new Stopped());
  // It may have been about to look once more.
  await until(first.inbox.idle());
  await first.inbox.handBack();
  expect(await first.rows()).toMatchObject([
    { state: 'open', attempts: 0, lease_owner: '' },
    { state: 'open', attempts: 0, lease_owner: '' },
  ]);
  script.clear();
  const second = await openProcess('second');
  await second.inbox.start(false);
  await expect.poll(() => handled).toEqual(['cut off', 'cut off', 'behind']);
  await second.inbox.idle();
  expect(await second.store.takeUp(clock(), new Set(), 10)).toEqual([]);
});

test('a process keeps the leases of what it handles, however long that takes', async () => {
  const { openProcess, receive, handled, script, pass } = await openWorld();
  const [anne, bert] = [await openProcess('anne'), await openProcess('bert')];
  for (const each of [anne, bert]) await each.inbox.start(false);
  const slow = Promise.withResolvers<void>();
  script.set('slow', () => slow.promise);
  await anne.inbox.take(receive('slow'), noReply);
  for (let seconds = 0; seconds < 60; seconds += 5) {
    const before = await anne.life();
    await pass(5000);
    await expect.poll(anne.life).toBeGreaterThan(before);
  }
  expect(handled).toEqual(['slow']);
  slow.resolve();
  await anne.inbox.idle();
  expect(await anne.rows()).toMatchObject([{ state: 'done', attempts: 1 }]);
});
