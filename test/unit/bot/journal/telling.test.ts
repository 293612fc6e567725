import { expect, test } from 'vitest';
import { AlreadyAnswered } from '../../../../src/bot/journal/intent.ts';
import {
  begin,
  down,
  openOne,
  type Process,
  pass,
  refused,
  textsOf,
  type World,
} from '../../../support/journal-world.ts';

const leaseTime = 20_000;

/** Puts off writes in as many lanes, or in one; returns their texts and ids. */
async function putOff(
  { world, write }: { world: World; write: Process['write'] },
  count: number,
  laneOf = (n: number) => `${n}`,
) {
  const texts = Array.from({ length: count }, (_, n) => `text ${n}`);
  const ids: string[] = [];
  const lanes = new Set<string>();
  for (const [n, text] of texts.entries()) {
    const lane = laneOf(n);
    if (!lanes.has(lane)) world.script.set(text, [down]);
    lanes.add(lane);
    const { id, state } = await write(text, text, { subject: lane });
    expect(state).toBe('queued');
    ids.push(id);
    pass(world, 1);
  }
  return { texts, ids };
}

test('a caller that was answered is not told again', async () => {
  const { world, write, journal, catchUp, told } = await openOne();
  const { id } = await write('1', 'hello');
  await journal.told([id]);
  pass(world, 60_000);
  await catchUp();
  expect(told).toEqual([]);
});

test('an outcome that a caller has yet to answer is told by nobody else', async () => {
  const { world, start, write, catchUp, told } = await openOne();
  await write('1', 'hello');
  const other = await start();
  for (let n = 0; n < 3; n += 1) {
    pass(world, 6000);
    await catchUp();
    await other.catchUp();
  }
  expect([...told, ...other.told]).toEqual([]);
});

test('an outcome that its caller could not answer is told by a message', async () => {
  const { write, journal, catchUp, told } = await openOne();
  const { id } = await write('1', 'hello');
  await journal.tellLater([id]);
  await catchUp();
  expect(told).toMatchObject([[{ id, isQueued: true, outcome: { state: 'done' } }]]);
  await catchUp();
  expect(told).toHaveLength(1);
});

test('an outcome that was told is not told by a message because of a caller that failed afterwards', async () => {
  const { world, write, journal, wake, told } = await openOne();
  world.script.set('hello', [down]);
  await write('1', 'hello');
  await wake();
  expect(textsOf(told)).toEqual(['hello']);
  const again = await write('1', 'hello');
  expect(again).toMatchObject({ state: 'done', repeated: true });
  await journal.tellLater([again.id]);
  await wake();
  expect(told).toHaveLength(1);
});

test('a caller that asks for the same as another one silences nobody', async () => {
  const { world, write, journal, told, catchUp } = await openOne();
  const { asked: first, end } = await begin(world, write, 'k', 'slow');
  const second = write('k', 'slow');
  end.resolve();
  expect(await second).toMatchObject({ state: 'done', repeated: true });
  const { id } = await first;
  await journal.tellLater([id]);
  await catchUp();
  expect(textsOf(told)).toEqual(['slow']);
});

test('telling that fails is repeated two seconds later', async () => {
  let failures = 1;
  const tried: number[] = [];
  const { world, told, wake, catchUp, ...process } = await openOne({
    tell: async ended => {
      tried.push(ended.length);
      if (failures-- > 0) throw new Error('Slack is away');
    },
  });
  await putOff({ world, ...process }, 2, () => '1');
  await wake();
  await catchUp();
  expect(tried).toEqual([2]);
  pass(world, 1999);
  await catchUp();
  expect(tried).toEqual([2]);
  pass(world, 1);
  await catchUp();
  expect(tried).toEqual([2, 2]);
  expect(textsOf(told)).toEqual(['text 0', 'text 1']);
});

test('what one process cannot tell is told by another one', async () => {
  const { world, start, wake, ...process } = await openOne({ tell: () => Promise.reject(new Error('Slack is away')) });
  await putOff({ world, ...process }, 1);
  await wake();
  const other = await start();
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['text 0']);
});

test.each(['the same process', 'another process'])(
  'while a message tells an outcome, a caller of %s that submits again does not tell it beside',
  async where => {
    const slack = Promise.withResolvers<void>();
    const telling: unknown[] = [];
    const { world, start, journal, told, ...process } = await openOne({
      tell: ended => {
        telling.push(ended);
        return slack.promise;
      },
    });
    world.script.set('hello', [down]);
    await process.write('k', 'hello', { caller: 'command' });
    await journal.wake();
    await expect.poll(() => telling).toHaveLength(1);
    const other = await start();
    const asked = where === 'another process' ? other : { ...process, journal };
    await expect(asked.write('k', 'hello', { caller: 'command' })).rejects.toThrow(AlreadyAnswered);
    await other.catchUp();
    pass(world, leaseTime - 1);
    await other.catchUp();
    expect(other.told).toEqual([]);
    slack.resolve();
    await journal.idle();
    expect(told).toHaveLength(1);
    await other.catchUp();
    expect(other.told).toEqual([]);
    expect(telling).toHaveLength(1);
  },
);

test.each(['the same process', 'another process'])(
  'while a queued intent runs, a caller of %s that submits again leaves its outcome to the message',
  async where => {
    const { world, start, journal, told, ...process } = await openOne();
    world.script.set('hello', [down]);
    await process.write('k', 'hello', { caller: 'command' });
    const end = Promise.withResolvers<void>();
    world.script.set('hello', [end.promise]);
    const other = await start();
    const waking = journal.wake();
    await expect.poll(() => world.attempts).toHaveLength(2);
    const asked = (where === 'another process' ? other : { ...process, journal }).write('k', 'hello', {
      caller: 'command',
    });
    const heard = expect(asked).rejects.toThrow(AlreadyAnswered);
    end.resolve();
    await heard;
    await waking;
    pass(world, leaseTime);
    await process.catchUp();
    await other.catchUp();
    expect([textsOf(told), textsOf(other.told)]).toEqual([['hello'], []]);
  },
);

test('a process that dies while it tells is followed by another one, once its lease is over', async () => {
  const { world, start, journal, kill, ...process } = await openOne({ tell: () => new Promise(() => {}) });
  await putOff({ world, ...process }, 1);
  await journal.wake();
  await expect.poll(process.states).toEqual({ done: 1 });
  kill();
  const other = await start();
  await other.catchUp();
  pass(world, leaseTime - 1);
  await other.catchUp();
  expect(other.told).toEqual([]);
  pass(world, 1);
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['text 0']);
  expect(world.effects).toEqual(['0: text 0']);
});

test('a process that starts counts the leases of the dead from its start', async () => {
  const { world, start, journal, kill, ...process } = await openOne({ tell: () => new Promise(() => {}) });
  await putOff({ world, ...process }, 1);
  await journal.wake();
  await expect.poll(process.states).toEqual({ done: 1 });
  kill();
  const other = await start();
  pass(world, leaseTime);
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['text 0']);
});

test('when a caller dies before it answers, another process tells, unless the caller will submit again', async () => {
  const { world, start, write, kill } = await openOne();
  world.openCallers.add('returns');
  expect(await write('1', 'gone', { caller: 'gone' })).toMatchObject({ state: 'done' });
  expect(await write('2', 'returns', { caller: 'returns' })).toMatchObject({ state: 'done' });
  kill();
  const other = await start();
  await other.catchUp();
  pass(world, leaseTime);
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['gone']);
  // It was not taken up after all.
  world.openCallers.clear();
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['gone', 'returns']);
});

test('a caller that submits again after a crash answers for itself, and nothing is told beside it', async () => {
  const { world, start, write, kill } = await openOne();
  world.openCallers.add('command');
  await write('1', 'hello', { caller: 'command' });
  kill();
  const other = await start();
  await other.catchUp();
  pass(world, leaseTime);
  await other.catchUp();
  const again = await other.write('1', 'hello', { caller: 'command' });
  expect(again).toMatchObject({ state: 'done', repeated: false });
  await other.journal.told([again.id]);
  world.openCallers.clear();
  await other.catchUp();
  expect(other.told).toEqual([]);
  expect(world.effects).toEqual(['1: hello']);
});

test('a caller that heard that its intent is queued is told the outcome also when it will submit again', async () => {
  const { world, write, wake, told } = await openOne();
  world.openCallers.add('command');
  world.script.set('hello', [down]);
  await write('1', 'hello', { caller: 'command' });
  await wake();
  expect(textsOf(told)).toEqual(['hello']);
});

test('outcomes of one lane are told together when the lane ends', async () => {
  const { world, told, wake, ...process } = await openOne();
  const { texts } = await putOff({ world, ...process }, 4, () => '1');
  await wake();
  expect(told.map(each => each.length)).toEqual([4]);
  expect(textsOf(told)).toEqual(texts);
});

test('outcomes wait for others of their lane while it is busy, for up to five seconds', async () => {
  const { world, told, journal, catchUp, ...process } = await openOne();
  const end = Promise.withResolvers<void>();
  await putOff({ world, ...process }, 3, () => '1');
  world.script.set('text 2', [end.promise]);
  await journal.wake();
  await expect.poll(() => world.attempts.at(-1)).toBe('text 2');
  pass(world, 5000);
  // What is told at once in another lane shows that telling has looked at this one.
  const { id } = await process.write('aside', 'aside', { subject: '2' });
  await journal.tellLater([id]);
  await journal.tick();
  await expect.poll(() => textsOf(told)).toEqual(['aside']);
  pass(world, 1);
  await journal.tick();
  await expect.poll(() => textsOf(told)).toEqual(['aside', 'text 0', 'text 1']);
  end.resolve();
  await catchUp();
  expect(textsOf(told)).toEqual(['aside', 'text 0', 'text 1', 'text 2']);
});

test('at most fifty outcomes are told together, and all of them in the end', async () => {
  const { world, told, wake, ...process } = await openOne();
  const { texts } = await putOff({ world, ...process }, 70, () => '1');
  await wake();
  expect(told.map(each => each.length)).toEqual([50, 20]);
  expect(textsOf(told)).toEqual(texts);
});

test('while Slack takes its time to tell, other lanes go on', async () => {
  const slack = Promise.withResolvers<void>();
  let isTelling = false;
  const { world, journal, ...process } = await openOne({
    tell: () => {
      isTelling = true;
      return slack.promise;
    },
  });
  await putOff({ world, ...process }, 1);
  await journal.wake();
  await expect.poll(() => isTelling).toBe(true);
  expect(await process.write('new', 'new', { subject: 'other' })).toMatchObject({ state: 'done' });
  world.script.set('later', [down]);
  await process.write('later', 'later', { subject: 'third' });
  await journal.wake();
  await expect.poll(() => world.effects).toContain('third: later');
  slack.resolve();
  await journal.idle();
});

test('a retry of a failed intent while its failure is told does not repeat the others told with it', async () => {
  const slack = Promise.withResolvers<void>();
  const { world, journal, told, catchUp, ...process } = await openOne({ tell: () => slack.promise });
  const { ids } = await putOff({ world, ...process }, 3, () => '1');
  world.script.set('text 0', [refused]);
  await journal.wake();
  await expect.poll(process.states).toEqual({ failed: 1, done: 2 });
  expect(await journal.retry(ids[0] ?? '', 'alice', 'press')).toMatchObject({ state: 'done', repeated: false });
  slack.resolve();
  await catchUp();
  await catchUp();
  expect(textsOf(told).filter(each => each !== 'text 0')).toEqual(['text 1', 'text 2']);
});

test('an outcome that another version has stored and this one cannot read is told to nobody, and holds up no other', async () => {
  const { world, start, kill, ...process } = await openOne({ tell: () => Promise.reject(new Error('Slack is away')) });
  await putOff({ world, ...process }, 2, () => '1');
  await process.wake();
  kill();
  const other = await start({
    expectErrors: each => each.msg === 'journal: an intent cannot be read, nobody is told',
    unreadable: 'text 0',
  });
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['text 1']);
  await other.catchUp();
  expect(other.told).toHaveLength(1);
});
