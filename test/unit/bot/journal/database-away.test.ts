import { expect, test } from 'vitest';
import {
  breakable,
  openJournals,
  type ProcessOptions,
  pass,
  textsOf,
  type Weather,
} from '../../../support/journal-world.ts';
import { openVirtualTime } from '../../../support/virtual-time.ts';

const unreachable = () => Object.assign(new Error('no route to the database'), { code: 'ECONNREFUSED' });
/** How long an outcome is kept in memory while the database is away, in milliseconds. */
const retriedFor = 60_000;
/** It is in the log that an outcome was not stored. */
const notStored: ProcessOptions = { expectErrors: each => each.msg === 'journal: could not store an outcome' };

/** A process whose write has taken effect at the very moment at which its database goes away. */
async function openAway(error: Error = unreachable(), options: ProcessOptions = {}) {
  const { world, start } = await openJournals();
  const state: Weather = { failed: 0 };
  const process = await start({ ...options, wrap: breakable(state) });
  const api = Promise.withResolvers<void>();
  world.script.set('hello', [api.promise]);
  world.lostAnswers.add('hello');
  const asked = process.write('1', 'hello', { caller: 'command' });
  await expect.poll(() => world.effects).toEqual(['1: hello']);
  state.error = error;
  api.resolve();
  await expect.poll(() => state.failed).toBeGreaterThan(0);
  return { world, start, state, asked, ...process };
}

test('an outcome is stored once the database is back', async () => {
  const { world, state, asked, journal } = await openAway();
  await journal.tick();
  state.error = undefined;
  const outcome = await asked;
  expect(outcome).toMatchObject({ state: 'done', repeated: false });
  await journal.told([outcome.id]);
  expect(world.attempts).toEqual(['hello']);
});

test('an outcome that cannot be stored for a minute is found again', async () => {
  const time = openVirtualTime(['performance']);
  const { world, state, asked, journal, catchUp, states } = await openAway(unreachable(), notStored);
  await time.advance(retriedFor + 1);
  await journal.idle();
  expect(await states()).toEqual({ running: 1 });
  // The first tick cannot hand it back either.
  await journal.tick();
  state.error = undefined;
  await catchUp();
  expect(await asked).toMatchObject({ state: 'done', repeated: false });
  expect(world.attempts).toEqual(['hello', '?hello']);
  expect(world.effects).toEqual(['1: hello']);
});

test('an outcome that the database refuses is found again', async () => {
  const { world, state, asked, journal, catchUp } = await openAway(new Error('constraint violated'), notStored);
  await journal.idle();
  state.error = undefined;
  await catchUp();
  expect(await asked).toMatchObject({ state: 'done', repeated: false });
  expect(world.attempts).toEqual(['hello', '?hello']);
});

test('a submission that cannot be stored says so, and can be made again', async () => {
  const { world, state, asked, write } = await openAway();
  await expect(write('2', 'second', { subject: '2' })).rejects.toThrow('no route to the database');
  state.error = undefined;
  await asked;
  expect(await write('2', 'second', { subject: '2' })).toMatchObject({ state: 'done', repeated: false });
  expect(world.effects).toEqual(['1: hello', '2: second']);
});

/** A process that has given its caller an outcome, as its database goes away. */
async function openAnswered(error: Error) {
  const { world, start } = await openJournals();
  const state: Weather = { failed: 0 };
  const process = await start({ wrap: breakable(state) });
  const { id } = await process.write('1', 'note');
  state.error = error;
  return { world, state, id, ...process };
}

test('that an outcome was answered is noted once the database is back', async () => {
  const { state, id, journal, told, catchUp } = await openAnswered(unreachable());
  const noted = journal.told([id]);
  await expect.poll(() => state.failed).toBeGreaterThan(0);
  state.error = undefined;
  await noted;
  await catchUp();
  expect(told).toEqual([]);
});

test('an outcome that was answered, which could not be noted, is told rather twice than never', async () => {
  const { world, state, id, journal, told, catchUp } = await openAnswered(new Error('constraint violated'));
  await expect(journal.told([id])).rejects.toThrow('constraint violated');
  state.error = undefined;
  await catchUp();
  expect(textsOf(told)).toEqual(['note']);
  expect(world.effects).toEqual(['1: note']);
});

test('chores that fail while the database is away are done later', async () => {
  const { world, state, asked, journal, catchUp, states } = await openAway();
  await journal.tick();
  await journal.wake();
  await expect(journal.purge(world.clock.now)).rejects.toThrow();
  state.error = undefined;
  await asked;
  pass(world, 1000);
  await catchUp();
  expect(await states()).toEqual({ done: 1 });
});
