import { expect, test } from 'vitest';
import { down, openJournals, openOne, refused, textsOf, toyKinds } from '../../../support/journal-world.ts';

test('what follows from an intent is stored with its outcome, and done before what waits behind it', async () => {
  const { world, write, wake, told } = await openOne();
  world.script.set('first', [down]);
  await write('1', 'first', { causes: [{ text: 'cause 1' }, { text: 'cause 2' }] });
  await write('2', 'second');
  await wake();
  expect(world.effects).toEqual(['1: first', '1: cause 1', '1: cause 2', '1: second']);
  // Nobody hears that a consequence is done.
  expect(textsOf(told)).toEqual(['first', 'second']);
});

test('a consequence in a lane of its own holds up nothing', async () => {
  const { world, write, journal, told, catchUp } = await openOne();
  const slow = Promise.withResolvers<void>();
  world.script.set('aside', [slow.promise]);
  const { id } = await write('1', 'first', { causes: [{ text: 'aside', lane: 'elsewhere' }] });
  await journal.told([id]);
  expect(await write('2', 'second')).toMatchObject({ state: 'done' });
  await expect.poll(() => world.attempts).toContain('aside');
  expect(world.effects).toEqual(['1: first', '1: second']);
  slow.resolve();
  await catchUp();
  expect(await journal.unfinished('1')).toEqual([]);
  expect(textsOf(told)).toEqual([]);
});

test('a consequence that fails is told to the owner of its cause', async () => {
  const { world, write, journal, told, catchUp } = await openOne();
  world.script.set('follows', [refused]);
  const { id } = await write('1', 'first', { causes: [{ text: 'follows' }], owner: 'bob', origin: { from: 'C9' } });
  await journal.told([id]);
  await catchUp();
  expect(told).toMatchObject([
    [
      {
        ...{ payload: { text: 'follows' }, owner: 'bob', origin: { from: 'C9' }, subject: '1', isQueued: false },
        outcome: { state: 'failed', error: { code: 'invalid_argument' } },
      },
    ],
  ]);
});

test('a consequence that is put off is tried again, and its lane waits for it', async () => {
  const { world, write, wake, told, journal } = await openOne();
  world.script.set('follows', [down]);
  const first = await write('1', 'first', { causes: [{ text: 'follows' }] });
  expect(first).toMatchObject({ state: 'done' });
  await journal.told([first.id]);
  await journal.idle();
  expect(await write('2', 'second')).toMatchObject({ state: 'queued' });
  await wake();
  expect(world.effects).toEqual(['1: first', '1: follows', '1: second']);
  expect(textsOf(told)).toEqual(['second']);
});

test('a failed consequence can be retried by the owner of its cause, who is then told of its success', async () => {
  const { world, write, journal, told, catchUp } = await openOne();
  world.script.set('follows', [refused]);
  const { id } = await write('1', 'first', { causes: [{ text: 'follows' }] });
  await journal.told([id]);
  await catchUp();
  const failed = told[0]?.[0]?.id ?? '';
  expect(await journal.retry(failed, 'alice', 'press')).toMatchObject({ state: 'done', repeated: false });
  expect(world.effects).toEqual(['1: first', '1: follows']);
});

test('what follows from a registration is about the subject that it brought into being', async () => {
  const { world, open, journal } = await openOne();
  world.script.set('db is down!', [down]);
  const { id } = await open('d', 'db is down!');
  await journal.wake();
  await journal.idle();
  expect(world.effects).toEqual(['opened: db is down!', '7: announced']);
  expect(await journal.isRegistered(toyKinds.open, '7')).toBe(true);
  expect(await journal.find(id, 'alice')).toMatchObject({ subject: '7', state: 'done' });
});

test('an outcome and what follows from it are stored together or not at all', async () => {
  const { world, start } = await openJournals();
  let isBroken = true;
  const { write, states, catchUp, journal } = await start({
    onAlongside: what => {
      if (isBroken && what === 'done 1') throw new Error('the room is locked');
    },
    expectErrors: each => each.msg === 'journal: could not store an outcome',
  });
  const first = write('1', 'first', { causes: [{ text: 'follows' }] });
  await expect.poll(states).toEqual({ running: 1 });
  await journal.idle();
  isBroken = false;
  await catchUp();
  await catchUp();
  expect(await first).toMatchObject({ state: 'done' });
  await journal.idle();
  expect(world.effects).toEqual(['1: first', '1: follows']);
  expect(await states()).toEqual({ done: 2 });
});
