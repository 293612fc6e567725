import { expect, test } from 'vitest';
import { ChannelOrder } from '../../../../src/bot/inbox/inbox.ts';
import { deadlines } from '../../../../src/deadlines.ts';
import { openVirtualTime } from '../../../support/virtual-time.ts';

/** How often a delivery that waits looks for itself, in milliseconds. */
const pollEvery = 200;
/** After this time, in milliseconds, a delivery that waits says so. */
const waitNotice = deadlines.turn;

/** What the database says of one channel: the deliveries that block it. */
function openOrder() {
  const time = openVirtualTime(['setTimeout', 'clearTimeout']);
  const blocking = new Set<string>();
  const looks: string[] = [];
  const state: { error?: Error | undefined } = {};
  /** Answers of the database that are on their way until then, in order; the others come at once. */
  const looking: Promise<void>[] = [];
  const store: ConstructorParameters<typeof ChannelOrder>[0]['store'] = {
    release: async () => undefined,
    releaseWithin: async () => undefined,
    isFirst: async () => true,
    tellReleased: () => undefined,
    onReleased: () => undefined,
    isToldOfReleases: () => false,
    hasEarlier: async (channel, seq) => {
      looks.push(`${channel}/${seq}`);
      if (state.error) throw state.error;
      const found = [...blocking].some(each => each.startsWith(`${channel}/`) && Number(each.split('/')[1]) < seq);
      await looking.shift();
      return found;
    },
  };
  const order = new ChannelOrder({ store, deadlines });
  const started: string[] = [];
  const waited: string[] = [];
  /** A delivery that asks for its turn, and blocks from then on. */
  const ask = async (channel: string, seq: number) => {
    blocking.add(`${channel}/${seq}`);
    const may = await order.turnOf(channel, seq, () => void waited.push(`${channel}/${seq}`));
    started.push(`${channel}/${seq} ${may}`);
    return may;
  };
  const release = (channel: string, seq: number) => {
    blocking.delete(`${channel}/${seq}`);
    order.released(channel);
  };
  /** Everything that can happen without time has happened. */
  const settle = async () => {
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  };
  return { time, order, blocking, looks, started, waited, ask, release, settle, state, looking };
}

test('a delivery starts at once when no earlier one of its channel blocks it', async () => {
  const { ask, started, waited } = openOrder();
  expect(await ask('C1', 1)).toBe(true);
  expect(await ask('C2', 2)).toBe(true);
  expect(started).toEqual(['C1/1 true', 'C2/2 true']);
  expect(waited).toEqual([]);
});

test('a release that comes while a delivery looks whether it must wait is not missed', async () => {
  const { ask, release, started, settle, looking } = openOrder();
  await ask('C1', 1);
  const answer = Promise.withResolvers<void>();
  looking.push(answer.promise);
  void ask('C1', 2);
  release('C1', 1);
  answer.resolve();
  await settle();
  expect(started).toEqual(['C1/1 true', 'C1/2 true']);
});

test('deliveries of one channel start in their order, each when the one before releases the channel', async () => {
  const { time, ask, release, started, waited, settle } = openOrder();
  const all = [ask('C1', 1), ask('C1', 3), ask('C1', 2), ask('C1', 4)];
  await settle();
  expect(started).toEqual(['C1/1 true']);
  await time.advance(waitNotice - 1);
  expect(waited).toEqual([]);
  await time.advance(1);
  expect(waited.toSorted()).toEqual(['C1/2', 'C1/3', 'C1/4']);
  await time.advance(2 * waitNotice);
  for (const seq of [1, 2, 3]) {
    release('C1', seq);
    await settle();
    expect(started.at(-1)).toBe(`C1/${seq + 1} true`);
  }
  await Promise.all(all);
  // Each hears once that it waits.
  expect(waited).toHaveLength(3);
});

test('only the first that waits in a channel looks, at a release and later', async () => {
  const { time, ask, release, looks, settle, order } = openOrder();
  const all = [ask('C1', 1), ask('C1', 2), ask('C1', 3), ask('C1', 6), ask('C2', 4), ask('C2', 5)];
  await settle();
  looks.length = 0;
  release('C1', 1);
  await settle();
  // The third is the first that waits once the second has started.
  expect(looks).toEqual(['C1/2', 'C1/3']);
  looks.length = 0;
  await time.advance(5 * pollEvery);
  expect(new Set(looks)).toEqual(new Set(['C1/3', 'C2/5']));
  order.stop();
  await Promise.all(all);
});

test('a delivery looks for itself whether another process has released the channel', async () => {
  const { time, ask, blocking, looks, settle } = openOrder();
  blocking.add('C1/1');
  const mine = ask('C1', 2);
  await settle();
  await time.advance(pollEvery);
  expect(looks).toEqual(['C1/2', 'C1/2']);
  blocking.delete('C1/1');
  await time.advance(pollEvery);
  expect(await mine).toBe(true);
});

test('while the database is away, a delivery waits', async () => {
  const { time, ask, state, settle } = openOrder();
  state.error = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
  const mine = ask('C1', 1);
  await settle();
  await time.advance(3 * pollEvery);
  state.error = undefined;
  await time.advance(pollEvery);
  expect(await mine).toBe(true);
});

test('what the database refuses is not waited for', async () => {
  const { ask, state } = openOrder();
  state.error = new Error('no such table');
  await expect(ask('C1', 1)).rejects.toThrow('no such table');
});

test('a process that stops starts nothing that waits, and nothing that comes later', async () => {
  const { time, ask, order, started, settle } = openOrder();
  const all = [ask('C1', 1), ask('C1', 2), ask('C1', 3)];
  await settle();
  order.stop();
  expect(await Promise.all(all)).toEqual([true, false, false]);
  expect(await ask('C2', 4)).toBe(false);
  expect(started).toEqual(['C1/1 true', 'C1/2 false', 'C1/3 false', 'C2/4 false']);
  expect(time.timers()).toBe(0);
});
