import { expect, test } from 'vitest';
import { isProvisional, provisionalID } from '../../../../src/bot/journal/provisional-id.ts';
import { down, Found, lost, openJournals, pass, refused, textsOf, toyKinds } from '../../../support/journal-world.ts';
import { openVirtualTime } from '../../../support/virtual-time.ts';

const week = 7 * 24 * 3_600_000;

/** One process, and a registration that was put off, with a write behind it. */
async function openWaiting(more: readonly Error[] = []) {
  const { world, start } = await openJournals();
  const process = await start();
  world.script.set('db is down', [down, ...more]);
  const { id, state } = await process.open('d', 'db is down');
  expect(state).toBe('queued');
  const subject = provisionalID(id);
  expect(isProvisional(subject)).toBe(true);
  const note = await process.write('n', 'note', { subject });
  expect(note).toMatchObject({ state: 'queued', error: { message: 'An earlier change is not done yet.' } });
  return { world, start, id, subject, note, ...process };
}

test('what is about a subject that has yet to come into being waits for it, and is then about it', async () => {
  const { world, subject, note, journal, wake, write, told, alongside } = await openWaiting();
  expect(await journal.unfinished(subject)).toMatchObject([
    { kind: { kind: 'toy.open' }, state: 'pending', attempts: 1 },
    { kind: { kind: 'toy.write' }, state: 'pending', attempts: 0 },
  ]);
  await wake();
  expect(world.effects).toEqual(['opened: db is down', '7: note']);
  expect(await journal.find(note.id, 'alice')).toMatchObject({ subject: '7', payload: { subject: '7' } });
  expect(alongside).toEqual(['registered 7', 'done 7', 'onDone 7', 'done 7', 'onDone 7']);
  expect(textsOf(told)).toEqual(['db is down', 'note']);
  expect(told.flat().map(each => each.subject)).toEqual(['7', '7']);
  // A message that still bears the provisional id.
  expect(await write('m', 'more', { subject })).toMatchObject({ state: 'done', result: { subject: '7' } });
});

test('a subject comes into being at once when the API is there', async () => {
  const { world, journal, open } = await openWaiting();
  world.nextSubject = '8';
  expect(await open('e', 'cache is cold')).toMatchObject({ state: 'done', result: { subject: '8' }, repeated: false });
  expect(await journal.isRegistered(toyKinds.open, '8')).toBe(true);
  expect(await journal.isRegistered(toyKinds.write, '8')).toBe(false);
  expect(await journal.isRegistered(toyKinds.open, '9')).toBe(false);
});

test('an intent in a lane of its own does not wait for the subject it is about', async () => {
  const { subject, write } = await openWaiting();
  expect(await write('aside', 'aside', { subject, lane: 'aside' })).toMatchObject({ state: 'done' });
});

test('a lane that is named for a subject stays one queue when the subject comes into being', async () => {
  const { world, subject, write, wake, catchUp, states } = await openWaiting();
  const going = Promise.withResolvers<void>();
  world.script.set('first', [going.promise]);
  const lane = (id: string) => `aside/${id}`;
  const first = write('first', 'first', { subject, lane: lane(subject) });
  await expect.poll(() => world.attempts).toContain('first');
  const second = write('second', 'second', { subject, lane: lane(subject) });
  await expect.poll(states).toEqual({ running: 1, pending: 3 });
  const woken = wake();
  await expect.poll(states).toEqual({ done: 2, running: 1, pending: 1 });
  // Asked for under the id of today, and by a process that knows the one of before still.
  const third = write('third', 'third', { subject: '7', lane: lane('7') });
  await expect.poll(states).toEqual({ done: 2, running: 1, pending: 2 });
  const fourth = write('fourth', 'fourth', { subject, lane: lane(subject) });
  await expect.poll(states).toEqual({ done: 2, running: 1, pending: 3 });
  expect(world.attempts.slice(-2)).toEqual(['db is down', 'note']);
  going.resolve();
  await Promise.all([first, second, third, fourth, woken]);
  await catchUp();
  expect(world.attempts.slice(-3)).toEqual(['second', 'third', 'fourth']);
  expect(await states()).toEqual({ done: 6 });
});

test('a key that was made from the provisional id is the same key under the id of today', async () => {
  const { world, subject, write, wake } = await openWaiting();
  const key = (id: string) => `note/${id}/C1/1.2`;
  await write(key(subject), 'message', { subject });
  await wake();
  expect(await write(key('7'), 'message', { subject: '7' })).toMatchObject({ state: 'done', repeated: true });
  expect(await write(key(subject), 'message', { subject })).toMatchObject({ state: 'done', repeated: true });
  // It began before the registration and submits after it.
  expect(await write(key(subject), 'message', { subject: '7' })).toMatchObject({ state: 'done', repeated: true });
  expect(world.effects).toEqual(['opened: db is down', '7: note', '7: message']);
});

test('a key that is taken under the id of today stays as it is', async () => {
  const { world, subject, write, wake, states } = await openWaiting();
  await write(`note/${subject}`, 'provisional', { subject });
  expect(await write('note/7', 'first', { subject: '7' })).toMatchObject({ state: 'done' });
  await wake();
  expect(world.effects).toEqual(['7: first', 'opened: db is down', '7: note', '7: provisional']);
  expect(await states()).toEqual({ done: 4 });
});

test('when a registration fails, what waits for it goes on waiting; retried, it brings everything along', async () => {
  const { world, id, subject, wake, states, journal, write } = await openWaiting([refused]);
  await wake();
  expect(await states()).toEqual({ failed: 1, pending: 1 });
  expect(await write('late', 'late', { subject })).toMatchObject({ state: 'queued' });
  await wake();
  expect(world.effects).toEqual([]);
  expect(await journal.retry(id, 'alice', 'press')).toMatchObject({ state: 'done', result: { subject: '7' } });
  await journal.idle();
  expect(world.effects).toEqual(['opened: db is down', '7: note', '7: late']);
});

test('a retry of what waits for a failed registration says that it waits', async () => {
  const { note, wake, journal } = await openWaiting([refused]);
  await wake();
  expect(await journal.retry(note.id, 'alice', 'press')).toMatchObject({ state: 'queued' });
});

test('a discarded registration takes everything with it that waits for it', async () => {
  const { world, id, note, wake, states, journal } = await openWaiting([refused]);
  await wake();
  expect(await journal.discard(id, 'alice')).toBe(true);
  await wake();
  expect(await states()).toEqual({ discarded: 2 });
  expect(world.effects).toEqual([]);
  expect(await journal.find(note.id, 'alice')).toMatchObject({ outcome: { error: { message: 'it was discarded' } } });
});

test('what waits for a registration that nobody retries is given up after a week, and told', async () => {
  const { world, wake, catchUp, states, journal, told } = await openWaiting([refused]);
  await wake();
  pass(world, week);
  await journal.purge(world.clock.now);
  expect(await states()).toEqual({ failed: 1, pending: 1 });
  pass(world, 1);
  await journal.purge(world.clock.now);
  await catchUp();
  expect(await states()).toEqual({ failed: 2 });
  expect(told.flat().map(each => each.outcome)).toMatchObject([
    { state: 'failed', error: { code: 'invalid_argument' } },
    { state: 'failed', error: { message: 'the incident was never registered, and this waited for a week' } },
  ]);
});

test('a subject that two registrations find is the first one’s, and the second is tried again', async () => {
  const { world, open, wake } = await openWaiting();
  await wake();
  world.nextSubject = '8';
  world.script.set('again', [new Found('7')]);
  openVirtualTime(['setInterval', 'clearInterval']);
  expect(await open('e', 'again')).toMatchObject({ state: 'done', result: { subject: '8' } });
  expect(world.effects).toEqual(['opened: db is down', '7: note', 'opened: again']);
});

test('a registration whose answer was lost keeps its place before everything behind it', async () => {
  const { world, write, open, wake } = await openWaiting([lost, down]);
  await wake();
  await wake();
  world.nextSubject = '8';
  expect(await open('e', 'other')).toMatchObject({ state: 'done' });
  world.nextSubject = '7';
  await write('x', 'elsewhere', { subject: '8' });
  await wake();
  expect(world.effects.filter(each => !each.includes('other') && !each.includes('elsewhere'))).toEqual([
    'opened: db is down',
    '7: note',
  ]);
});
