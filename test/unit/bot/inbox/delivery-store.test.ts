import { addDays } from 'date-fns/addDays';
import { addSeconds } from 'date-fns/addSeconds';
import { expect, test } from 'vitest';
import { type Delivery, readDelivery } from '../../../../src/bot/dispatch/feature/delivery.ts';
import { DeliveryStore, findOpen, maxAttempts } from '../../../../src/bot/inbox/delivery-store.ts';
import { keepFor } from '../../../../src/bot/keep-for.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { Heart } from '../../../../src/db/heart.ts';
import { makeFresh, openBotDatabase } from '../../../support/fresh-database.ts';
import { openWatchedLog } from '../../../support/watched-log.ts';

const now = new Date('2026-03-02T14:00:00Z');
const later = (seconds: number) => addSeconds(now, seconds);

/** Two replicas on one database; each calls the time what it likes, and time goes by for both. */
async function openReplicas() {
  let monotonicNow = 0;
  const pass = (seconds: number) => {
    monotonicNow += seconds * 1000;
  };
  const url = await makeFresh();
  const open = async (owner: string) => {
    const database = await openBotDatabase(now, url);
    return { database, store: new DeliveryStore({ database, owner, monotonicNow: () => monotonicNow }) };
  };
  const { database, store: anne } = await open('anne');
  const { store: bert } = await open('bert');
  const rows = () => database.as<BotTables>().selectFrom('bot_delivery').selectAll().orderBy('key').execute();
  /** A replica shows that it lives. */
  const lives = async (owner: string) => {
    const { log } = openWatchedLog({ close: async () => {} });
    const times = { clock: () => now, monotonicNow: () => monotonicNow, keptFor: keepFor.processes };
    await new Heart({ database, owner, isSoleProcess: false, ...times, log }).beat();
  };
  return { database, anne, bert, rows, pass, lives };
}

const event = (key: string, channelId = 'C1'): Delivery => ({
  key,
  actor: { teamId: 'T1', userId: 'U1' },
  location: { channelId, threadTs: '' },
  act: { kind: 'command', root: 'note', text: `of ${key} \u0000 💥` },
});
/** Takes up what was left, and begins it. */
const taken = async (store: DeliveryStore, at: Date, except: readonly string[] = []) => {
  const keys = (await store.takeUp(at, new Set(except), 10)).map(each => each.key);
  for (const key of keys) await store.begin(key);
  return keys;
};

test('of many who store the same key at once, in two replicas, one is told that it is theirs', async () => {
  const { anne, bert, rows } = await openReplicas();
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? anne : bert).keep(event('a'), true, now)),
  );
  expect(told.filter(each => each.isNew)).toHaveLength(1);
  expect(new Set(told.map(each => each.seq)).size).toBe(1);
  expect(await anne.keep(event('b'), true, now)).toMatchObject({ isNew: true });
  expect(await rows()).toMatchObject([{ key: 'a' }, { key: 'b', state: 'open', attempts: 1, lease_owner: 'anne' }]);
});

test('what is done leaves its key and nothing of what was in it', async () => {
  const { anne, bert, rows } = await openReplicas();
  await anne.keep(event('a'), true, now);
  await anne.done('a');
  expect(await rows()).toMatchObject([{ key: 'a', state: 'done', body: '', lease_owner: '' }]);
  expect(await bert.keep(event('a'), true, later(300))).toMatchObject({ isNew: false });
  expect(await taken(bert, later(300))).toEqual([]);
});

test('what a replica that is gone left is taken up once its lease is over, by one of the others, in the order it came', async () => {
  const { anne, bert, pass } = await openReplicas();
  await anne.keep(event('b'), true, now);
  await anne.keep(event('a'), true, later(1));
  expect(await taken(bert, now)).toEqual([]);
  pass(19.9);
  expect(await taken(bert, now)).toEqual([]);
  pass(0.1);
  expect((await bert.takeUp(now, new Set(), 1)).map(each => each.key)).toEqual(['b']);
  expect(await taken(anne, now)).toEqual([]);
  pass(20);
  const [mine, yours] = await Promise.all([anne.takeUp(now, new Set(['b']), 10), bert.takeUp(now, new Set(['b']), 10)]);
  const at = later(1).getTime();
  expect([...mine, ...yours]).toMatchObject([{ key: 'a', attempts: 1, received_at: at, seq: at, channel_id: 'C1' }]);
  expect(readDelivery('a', mine[0]?.body ?? yours[0]?.body ?? '')).toEqual(event('a'));
});

test('what wakes people is taken up first, blocks nothing, and is a suspect in its place', async () => {
  const { database, anne, bert, pass } = await openReplicas();
  for (const key of ['note 1', 'note 2', 'note 3']) await anne.keep(event(key), true, now);
  const { seq } = await anne.keep(event('page'), false, now, { isUrgent: true });
  await anne.keep(event('later note'), true, now);
  for (const key of ['note 2', 'page']) for (const _ of [1, 2]) await anne.begin(key);
  expect(await anne.hasEarlier('C1', seq)).toBe(true);
  for (const key of ['note 1', 'note 2', 'note 3']) await anne.release(key);
  expect(await anne.hasEarlier('C1', seq + 1)).toBe(false);
  await bert.takeUp(now, new Set(), 10);
  pass(20);
  // Two may have ended a process: the first of them alone is tried, since the other one may wait for it.
  const keys = async () => (await bert.takeUp(now, new Set(), 10)).map(each => each.key);
  expect(await keys()).toEqual(['note 1', 'note 2', 'note 3', 'later note']);
  await database.as<BotTables>().updateTable('bot_delivery').set({ lease_owner: '', attempts: 1 }).execute();
  expect((await bert.takeUp(now, new Set(), 2)).map(each => each.key)).toEqual(['page', 'note 1']);
});

test('what is stored again since the answer was lost is this process’s own, unless another one has taken it up', async () => {
  const { anne, bert, pass } = await openReplicas();
  const first = await anne.keep(event('a'), true, now);
  expect(await anne.keep(event('a'), true, now)).toEqual({ isNew: false, seq: first.seq });
  expect(await anne.keep(event('a'), true, now, { isAgain: true })).toEqual({ isNew: true, seq: first.seq });
  await taken(bert, now);
  pass(20);
  expect(await taken(bert, now)).toEqual(['a']);
  expect(await anne.keep(event('a'), true, now, { isAgain: true })).toEqual({ isNew: false, seq: first.seq });
});

test('a replica that lives keeps what it handles, and takes up what it could not finish', async () => {
  const { anne, bert, pass, lives } = await openReplicas();
  await anne.keep(event('a'), true, now);
  await anne.keep(event('b'), true, now);
  for (let seconds = 0; seconds < 20; seconds += 5) {
    expect(await taken(bert, now)).toEqual([]);
    expect(await taken(anne, now, ['a'])).toEqual([]);
    pass(5);
    await lives('anne');
  }
  expect(await taken(bert, now)).toEqual([]);
  expect(await taken(anne, now, ['a'])).toEqual(['b']);
});

test('what a replica does whose clock is an hour wrong is not taken up while it lives', async () => {
  const { anne, bert, pass, rows, lives } = await openReplicas();
  await anne.keep(event('a'), true, later(3600));
  await bert.keep(event('b'), true, now);
  for (let seconds = 0; seconds < 120; seconds += 5) {
    await lives('anne');
    await lives('bert');
    expect(await taken(bert, now, ['b'])).toEqual([]);
    expect(await taken(anne, later(3600), ['a'])).toEqual([]);
    pass(5);
  }
  expect(await rows()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
});

test('two replicas of which one clock is an hour wrong do not use up all attempts at once', async () => {
  const { anne, bert, pass, rows } = await openReplicas();
  await anne.keep(event('a'), true, later(3600));
  await anne.failed('a', later(3600));
  for (let looks = 0; looks < 20; looks += 1) {
    pass(1);
    if ((await taken(bert, now)).length > 0) await bert.failed('a', now);
    if ((await taken(anne, later(3600))).length > 0) await anne.failed('a', later(3600));
  }
  expect((await rows())[0]).toMatchObject({ state: 'open', attempts: 2 });
});

test('positions grow with every delivery, whatever the clocks of replicas say; that of a key stays', async () => {
  const { anne, bert } = await openReplicas();
  const first = await anne.keep(event('a'), true, now);
  const second = await bert.keep(event('b'), true, later(-3600));
  const third = await anne.keep(event('c'), true, now);
  expect(first.seq).toBe(now.getTime());
  expect(second.seq).toBeGreaterThan(first.seq);
  expect(third.seq).toBeGreaterThan(second.seq);
  expect(await bert.keep(event('b'), true, later(60))).toEqual({ isNew: false, seq: second.seq });
});

test('what is handed back is taken up at once', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), true, now);
  await bert.keep(event('b'), true, now);
  await anne.keep(event('c'), true, now);
  await anne.done('c');
  await anne.handBack();
  expect(await taken(bert, now)).toEqual(['a']);
});

test('a pause that began before the clock stepped back an hour holds nothing up', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), true, now);
  await anne.failed('a', now);
  expect(await taken(bert, later(-3600))).toEqual(['a']);
});

test('what was taken over from a replica is no longer its to give up', async () => {
  const { anne, bert, pass, rows } = await openReplicas();
  await anne.keep(event('a'), true, now);
  await taken(bert, now);
  pass(20);
  expect(await taken(bert, now)).toEqual(['a']);
  expect(await anne.failed('a', now)).toBe('later');
  expect(await rows()).toMatchObject([{ lease_owner: 'bert', blocks_order: 1 }]);
});

test('whom Slack kept from an answer is answered again every ten seconds, and not more than for an hour and a half', async () => {
  const { anne, rows, pass } = await openReplicas();
  await anne.keep(event('a'), true, now);
  let at = now;
  for (let attempt = 0; attempt < 2 * maxAttempts; attempt += 1) {
    expect(await anne.failed('a', at, 'unanswered')).toBe('later');
    at = addSeconds(at, 10);
    pass(9);
    expect(await taken(anne, at)).toEqual([]);
    pass(1);
    expect(await taken(anne, at)).toEqual(['a']);
  }
  expect(await rows()).toMatchObject([{ state: 'open', attempts: 1 }]);
  pass(90 * 60);
  expect(await anne.failed('a', at, 'unanswered')).toBe('given up');
  expect(await rows()).toMatchObject([{ state: 'given up', body: '' }]);
});

test('what was tried in vain is tried later, after longer pauses, and then never again', async () => {
  const { anne, rows, pass } = await openReplicas();
  await anne.keep(event('a'), true, now);
  let at = now;
  const pauses: number[] = [];
  for (let attempt = 1; attempt < maxAttempts; attempt += 1) {
    expect(await anne.failed('a', at)).toBe('later');
    const before = at;
    do {
      at = addSeconds(at, 15);
      pass(15);
    } while ((await taken(anne, at)).length === 0);
    pauses.push((at.getTime() - before.getTime()) / 1000);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900, 900, 900, 900]);
  expect(await anne.failed('a', at)).toBe('given up');
  expect(await taken(anne, addDays(at, 1))).toEqual([]);
  expect(await rows()).toMatchObject([{ state: 'given up', body: '' }]);
});

test('keys are forgotten after two days, a batch at a time; what is still to be done is not', async () => {
  const { anne, rows } = await openReplicas();
  const many = Array.from({ length: 510 }, (_, index) => event(`done ${index}`));
  await Promise.all(many.map(each => anne.keep(each, true, now)));
  await Promise.all(many.map(each => anne.done(each.key)));
  await anne.keep(event('open'), true, now);
  await anne.keep(event('young'), true, addDays(now, 1));
  await anne.done('young');
  expect(await anne.purge(addDays(now, 2))).toBe(0);
  expect(await anne.purge(addSeconds(addDays(now, 2), 1))).toBe(500);
  expect(await anne.purge(addSeconds(addDays(now, 2), 1))).toBe(10);
  expect(await anne.purge(addSeconds(addDays(now, 2), 1))).toBe(0);
  expect((await rows()).map(each => each.key)).toEqual(['open', 'young']);
});

test('later deliveries of a channel wait for every earlier one that may still submit a change', async () => {
  const { anne, bert } = await openReplicas();
  const first = await anne.keep(event('a'), true, now);
  const second = await bert.keep(event('b'), true, now);
  const elsewhere = await bert.keep(event('c', 'C2'), true, now);
  expect(await anne.hasEarlier('C1', first.seq)).toBe(false);
  expect(await bert.hasEarlier('C1', second.seq)).toBe(true);
  expect(await bert.hasEarlier('C2', elsewhere.seq)).toBe(false);
  await bert.release('b');
  expect(await bert.hasEarlier('C1', second.seq)).toBe(true);
  await anne.release('a');
  expect(await bert.hasEarlier('C1', second.seq)).toBe(false);
});

test('what only shows something, and what happened in no channel, is waited for by nothing', async () => {
  const { anne, bert, rows } = await openReplicas();
  await anne.keep(event('a'), false, now);
  await anne.keep(event('b', ''), true, now);
  const { seq } = await bert.keep(event('c'), true, now);
  expect(await bert.hasEarlier('C1', seq)).toBe(false);
  expect(await bert.hasEarlier('', seq)).toBe(false);
  expect((await rows()).map(row => row.blocks_order)).toEqual([0, 0, 1]);
});

test('a delivery that failed is waited for again while it is tried again, unless it has submitted everything', async () => {
  const { anne, bert, pass } = await openReplicas();
  await anne.keep(event('a'), true, now);
  await anne.keep(event('released'), true, now);
  await anne.release('released');
  for (const key of ['a', 'released']) await anne.failed(key, now, 'unanswered');
  const { seq } = await bert.keep(event('b'), true, now);
  expect(await bert.hasEarlier('C1', seq)).toBe(false);
  pass(10);
  expect(await taken(bert, later(10), ['a', 'b'])).toEqual(['released']);
  expect(await bert.hasEarlier('C1', seq)).toBe(false);
  expect(await taken(anne, later(10), ['released'])).toEqual(['a']);
  expect(await bert.hasEarlier('C1', seq)).toBe(true);
  await anne.handBack('a');
  expect(await bert.hasEarlier('C1', seq)).toBe(true);
  expect(await taken(bert, later(10), ['released', 'b'])).toEqual(['a']);
  await bert.failed('a', later(10), 'unanswered');
  expect(await bert.hasEarlier('C1', seq)).toBe(false);
});

test.each(['done', 'failed', 'release'] as const)('a delivery that is %s is waited for no longer', async how => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), true, now);
  const { seq } = await bert.keep(event('b'), true, now);
  expect(await bert.hasEarlier('C1', seq)).toBe(true);
  await (how === 'failed' ? anne.failed('a', now) : anne[how]('a'));
  expect(await bert.hasEarlier('C1', seq)).toBe(false);
});

test('a delivery is released in the transaction of its last intent, or not at all', async () => {
  const { database, anne, bert } = await openReplicas();
  await anne.keep(event('a'), true, now);
  const { seq } = await bert.keep(event('b'), true, now);
  const undone = database.withLock('test', async trx => {
    await anne.releaseWithin(trx, 'a');
    throw new Error('the intent could not be stored');
  });
  await expect(undone).rejects.toThrow('could not be stored');
  expect(await bert.hasEarlier('C1', seq)).toBe(true);
  await database.withLock('test', trx => anne.releaseWithin(trx, 'a'));
  expect(await bert.hasEarlier('C1', seq)).toBe(false);
});

test('what is handed back or left is waited for until it is handled', async () => {
  const { anne, bert, pass } = await openReplicas();
  await anne.keep(event('a'), true, now);
  const { seq } = await bert.keep(event('b'), true, now);
  await anne.handBack();
  expect(await bert.hasEarlier('C1', seq)).toBe(true);
  await taken(bert, now);
  pass(20);
  expect(await bert.hasEarlier('C1', seq)).toBe(true);
  await bert.done('a');
  expect(await bert.hasEarlier('C1', seq)).toBe(false);
});

test('with the end of a delivery its visit is stored, and what its person was told, or nothing of it', async () => {
  const { database, anne, rows } = await openReplicas();
  await anne.keep(event('a'), true, now);
  const db = database.as<BotTables>();
  const visit = { incident_id: '7', user_id: 'U1', seen_at: 5 };
  await anne.done('a', { answered: ['none of these'], visit });
  expect(await rows()).toMatchObject([{ state: 'done' }]);
  expect(await db.selectFrom('bot_visit').selectAll().execute()).toEqual([{ ...visit, offered_at: 0 }]);
  await anne.keep(event('b'), true, now);
  await anne.done('b', { answered: [], visit: { ...visit, seen_at: 4 } });
  expect(await db.selectFrom('bot_visit').select('seen_at').execute()).toEqual([{ seen_at: 5 }]);
  await anne.keep(event('c'), true, now);
  const impossible = { ...visit, seen_at: null } as unknown as typeof visit;
  await expect(anne.done('c', { answered: [], visit: impossible })).rejects.toThrow();
  expect((await rows()).map(row => row.state)).toEqual(['done', 'done', 'open']);
});

test('of several deliveries those are open that will be handled again', async () => {
  const { database, anne } = await openReplicas();
  for (const key of ['a', 'b', 'c']) await anne.keep(event(key), true, now);
  await anne.done('b');
  await anne.failed('c', now);
  const open = await findOpen(database.as(), ['a', 'b', 'c', 'never seen']);
  expect([...open].toSorted()).toEqual(['a', 'c']);
});

test('a replica that is alone frees what others held, and nothing of its own', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), true, now);
  await bert.keep(event('b'), true, now);
  await bert.freeOthers();
  expect(await taken(bert, now)).toEqual(['a']);
  expect(await taken(anne, now)).toEqual([]);
});

test('a change that is no intent is the first one once, however often its delivery is handled', async () => {
  const { database, anne, bert } = await openReplicas();
  await anne.keep(event('a'), true, now);
  const isFirst = () => database.withLock('test', trx => anne.isFirst(trx, 'a'));
  const failed = database.withLock('test', async trx => {
    await anne.isFirst(trx, 'a');
    throw new Error('the change could not be stored');
  });
  await expect(failed).rejects.toThrow('could not be stored');
  expect(await isFirst()).toBe(true);
  expect(await isFirst()).toBe(false);
  await anne.failed('a', now);
  await bert.takeUp(addSeconds(now, 60), new Set(), 1);
  expect(await isFirst()).toBe(false);
  await bert.done('a');
  expect(await isFirst()).toBe(false);
  expect(await database.withLock('test', trx => anne.isFirst(trx, 'one that could not be stored'))).toBe(true);
});
