import { expect, test } from 'vitest';
import { type EventStream, SharedStream, type StreamEvent } from '../../../../playground/page/events/shared-stream.ts';
import type { Told } from '../../../../playground/workspace/protocol.ts';

const settled = () => new Promise(resolve => setImmediate(resolve));

/** A shared stream, and the streams that it opened of the server, the newest last. */
function openShared() {
  const opened: { address: string; isOpen: boolean; emit: (name: string, event?: object) => void }[] = [];
  const shared = new SharedStream(address => {
    const listeners = new Map<string, (event: StreamEvent) => void>();
    const own = {
      address,
      isOpen: true,
      emit: (name: string, event: object = {}) => listeners.get(name)?.(event as StreamEvent),
    };
    opened.push(own);
    return {
      addEventListener: (name: string, listener: (event: StreamEvent) => void) => void listeners.set(name, listener),
      close: () => {
        own.isOpen = false;
      },
    } satisfies EventStream;
  });
  /** A window that looks as somebody, and what it heard. */
  const enter = (as: string) => {
    const told: Told[] = [];
    const line: boolean[] = [];
    const leave = shared.enter(as, { onTold: each => told.push(each), onLine: isOnline => line.push(isOnline) });
    return { told, line, leave };
  };
  return { opened, enter, newest: () => opened.at(-1)! };
}

const gone = (id: string) => JSON.stringify({ kind: 'channelGone', id });

test('windows that are opened in one moment share one stream, and each hears what is for it', async () => {
  const { opened, enter, newest } = openShared();
  const [alice, bob] = [enter('alice'), enter('bob')];
  await settled();
  expect(opened.map(each => each.address)).toEqual(['/events?as=alice&as=bob&from=%2C']);
  newest().emit('open');
  newest().emit('1', { data: gone('C1'), lastEventId: ',b-1' });
  expect([alice.told, bob.told]).toEqual([[], [{ kind: 'channelGone', id: 'C1' }]]);
  newest().emit('error');
  expect([alice.line, bob.line]).toEqual([
    [true, false],
    [true, false],
  ]);
});

test('who comes or goes costs the others nothing: they go on after the last that they heard', async () => {
  const { opened, enter, newest } = openShared();
  const alice = enter('alice');
  await settled();
  newest().emit('0', { data: gone('C1'), lastEventId: 'a-7' });
  const bob = enter('bob');
  await settled();
  expect(newest().address).toBe('/events?as=alice&as=bob&from=a-7%2C');
  newest().emit('1', { data: gone('C2'), lastEventId: 'a-7,b-3' });
  alice.leave();
  alice.leave();
  await settled();
  expect(newest().address).toBe('/events?as=bob&from=b-3');
  expect(opened.map(each => each.isOpen)).toEqual([false, false, true]);
  newest().emit('0', { data: gone('C3'), lastEventId: 'b-4' });
  expect(bob.told).toHaveLength(2);
  bob.leave();
  await settled();
  expect(opened.some(each => each.isOpen)).toBe(false);
  expect(opened).toHaveLength(3);
});

test('two windows of one person are two', async () => {
  const { enter, newest } = openShared();
  const [first, second] = [enter('alice'), enter('alice')];
  await settled();
  expect(newest().address).toBe('/events?as=alice&as=alice&from=%2C');
  first.leave();
  await settled();
  newest().emit('0', { data: gone('C1'), lastEventId: 'a-1' });
  expect([first.told, second.told]).toEqual([[], [{ kind: 'channelGone', id: 'C1' }]]);
});
