import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { RpcError } from '../../../../src/contract/errors.ts';
import { down, lost, openJournals, pass } from '../../../support/journal-world.ts';

const landing = 60_000;

/** A journal in which an answer to the write `x` was lost, and a write that waits behind it. */
async function openLost(first: Error = lost) {
  const { world, start } = await openJournals();
  const process = await start({ landing });
  world.script.set('x', [first]);
  const one = await process.write('1', 'x');
  expect(one.state).toBe('queued');
  const two = process.write('2', 'y').catch((error: Error) => error.message);
  /** Seconds go by, and what is due is tried. */
  const wait = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      pass(world, 1000);
      // A steady clock tells parts of milliseconds, which are not stored.
      world.clock.elapsed += 0.001;
      await process.catchUp();
    }
  };
  return { ...process, world, wait, two, sent: () => world.attempts.filter(each => each === 'x').length };
}

test.each([2, 8, 12, 20, 45, 59])(
  'a write that takes effect after %i seconds is done once, as soon as it is found',
  async after => {
    const { world, wait, sent, states } = await openLost();
    await wait(after);
    expect(await states()).toEqual({ pending: 2 });
    world.effects.push('1: x');
    // The longest pause between two looks.
    await wait(20);
    expect(await states()).toEqual({ done: 2 });
    expect(sent()).toBe(1);
    expect(world.effects).toEqual(['1: x', '1: y']);
  },
);

test('a write that never takes effect is sent again after a minute, and not before', async () => {
  const { world, wait, sent, states } = await openLost();
  await wait(59);
  expect(sent()).toBe(1);
  expect(world.attempts.filter(each => each === '?x').length).toBeGreaterThan(3);
  await wait(20);
  expect(sent()).toBe(2);
  expect(await states()).toEqual({ done: 2 });
  expect(world.effects).toEqual(['1: x', '1: y']);
});

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('a clock that is set %s by an hour hastens and delays nothing', async (_, ms) => {
  const { world, wait, sent, states } = await openLost();
  await wait(5);
  world.clock.now = new Date(world.clock.now.getTime() + ms);
  await wait(54);
  expect(sent()).toBe(1);
  await wait(20);
  expect(sent()).toBe(2);
  expect(await states()).toEqual({ done: 2 });
});

test('a wake does not hurry it, and it is looked for at once', async () => {
  const { world, wait, wake, sent, states } = await openLost();
  await wait(30);
  world.effects.push('1: x');
  await wake();
  expect(await states()).toEqual({ done: 2 });
  expect(sent()).toBe(1);
});

test('a look shortly before the minute is over is followed by one as soon as it is', async () => {
  const { wait, wake, sent } = await openLost();
  await wait(55);
  await wake();
  expect(sent()).toBe(1);
  // The usual pause would be eleven seconds.
  await wait(6);
  expect(sent()).toBe(2);
});

test('a whole answer, of a proxy say, ends the request: it is sent again after the usual pause', async () => {
  const { wait, sent, states } = await openLost(new RpcError('unavailable', 'bad gateway', { status: 502 }));
  await wait(3);
  expect(sent()).toBe(2);
  expect(await states()).toEqual({ done: 2 });
});

test('a gateway that gave up waiting says nothing about the server behind it', async () => {
  const { wait, sent } = await openLost(new RpcError('deadline_exceeded', 'gateway timeout', { status: 504 }));
  await wait(40);
  expect(sent()).toBe(1);
});

test('what stands twice because the first request took effect after a minute all the same is told', async () => {
  const { world, wait, alongside } = await openLost();
  world.twins.add('x').add('y');
  await wait(80);
  expect(alongside).toContain('done 1, x is there twice');
  expect(alongside.filter(each => each.includes('twice'))).toHaveLength(1);
});

test('after a process died, its successor waits as long', async () => {
  const { world, start } = await openJournals();
  const first = await start({ landing, isSoleProcess: true });
  world.script.set('x', ['hang']);
  const asked = first.write('1', 'x').catch((error: Error) => error.message);
  await expect.poll(() => world.attempts).toEqual(['x']);
  await first.journal.stop(0);
  await asked;
  const second = await start({ landing, isSoleProcess: true });
  for (let second_ = 0; second_ < 50; second_ += 1) {
    pass(world, 1000);
    await second.catchUp();
  }
  expect(world.attempts.filter(each => each === 'x')).toHaveLength(1);
  for (let second_ = 0; second_ < 30; second_ += 1) {
    pass(world, 1000);
    await second.catchUp();
  }
  expect(world.attempts.filter(each => each === 'x')).toHaveLength(2);
});

test('of two successors each knows that the other one only looked', async () => {
  const { world, start } = await openJournals();
  const first = await start({ landing });
  world.script.set('x', ['hang']);
  const asked = first.write('1', 'x').catch((error: Error) => error.message);
  await expect.poll(() => world.attempts).toEqual(['x']);
  await first.journal.stop(0);
  await asked;
  const [second, third] = [await start({ landing }), await start({ landing })];
  const sent = () => world.attempts.filter(each => each === 'x').length;
  // The API is away for the second, answers it, and from then on the third is faster.
  world.script.set('?x', [down]);
  for (let now = 1; now <= 59; now += 1) {
    pass(world, 1000);
    await (now < 30 ? second : third).catchUp();
  }
  expect(sent()).toBe(1);
  for (let now = 60; now <= 80; now += 1) {
    pass(world, 1000);
    await third.catchUp();
  }
  expect(sent()).toBe(2);
});

test('when another process sends it once more, and its answer is lost too, the minute begins again for all', async () => {
  const { world, start } = await openJournals();
  const [first, second] = [await start({ landing }), await start({ landing })];
  world.script.set('x', [lost, lost]);
  expect((await first.write('1', 'x')).state).toBe('queued');
  const sent = () => world.attempts.filter(each => each === 'x').length;
  const wait = async (seconds: number, process: typeof first) => {
    for (let second_ = 0; second_ < seconds; second_ += 1) {
      pass(world, 1000);
      await process.catchUp();
    }
  };
  await wait(30, first);
  await wait(50, second);
  expect(sent()).toBe(2);
  await wait(40, first);
  expect(sent()).toBe(2);
  await wait(40, first);
  expect(sent()).toBe(3);
});

test('a lane that a restored backup left waits once, and not once for each of its intents', async () => {
  const { world, start } = await openJournals();
  const first = await start({ landing, isSoleProcess: true });
  world.script.set('x', ['hang']);
  const asked = ['x', 'y', 'z'].map((text, index) =>
    first.write(`${index}`, text).catch((error: Error) => error.message),
  );
  await expect.poll(() => world.attempts).toEqual(['x']);
  await first.journal.stop(0);
  await Promise.all(asked);
  // Each may have been sent after the backup was made.
  await sql`update bot_intent set ambiguous = 1`.execute(first.database.as());
  const second = await start({ landing, isSoleProcess: true });
  const wait = async (seconds: number) => {
    for (let second_ = 0; second_ < seconds; second_ += 1) {
      pass(world, 1000);
      await second.catchUp();
    }
  };
  const sent = () => world.attempts.filter(each => !each.startsWith('?'));
  await wait(50);
  expect(sent()).toEqual(['x']);
  await wait(30);
  // They were asked for at once, so either of the two may be the first.
  expect(sent().toSorted()).toEqual(['x', 'x', 'y', 'z']);
});

const doubtful = () => new RpcError('invalid_argument', 'no such user', { isDoubtful: true, maybeApplied: true });

test.each([
  ['the API is away', down],
  ['the look is refused as doubtfully', doubtful()],
])('while it cannot be looked for after a doubtful refusal, it is not sent again: %s', async (_, why) => {
  const { world, start } = await openJournals();
  const { write, states, journal } = await start({ landing });
  world.script.set('x', [doubtful()]).set('?x', [why]);
  world.lostAnswers.add('x');
  expect((await write('1', 'x')).state).toBe('queued');
  await journal.wake();
  await journal.idle();
  expect(await states()).toEqual({ done: 1 });
  expect(world.effects).toEqual(['1: x']);
});

test('a doubtful refusal of what is made anew is asked once more after a look, and then it is one', async () => {
  const { world, start } = await openJournals();
  const { write, states } = await start({ landing });
  world.script.set('x', [doubtful(), doubtful()]);
  expect(await write('1', 'x')).toMatchObject({ state: 'failed', error: { message: 'no such user' } });
  expect(world.attempts).toEqual(['x', '?x', 'x']);
  expect((await write('2', 'y')).state).toBe('done');
  world.script.set('z', [doubtful()]);
  expect((await write('3', 'z')).state).toBe('done');
  // The server had done it, and failed then.
  world.script.set('w', [doubtful()]);
  world.lostAnswers.add('w');
  expect((await write('4', 'w')).state).toBe('done');
  expect(world.effects).toEqual(['1: y', '1: z', '1: w']);
  expect(await states()).toEqual({ failed: 1, done: 3 });
});
