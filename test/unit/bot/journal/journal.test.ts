import { expect, test } from 'vitest';
import { openJournalAdmin, whyNotDone } from '../../../../src/bot/journal/admin.ts';
import { AlreadyAnswered } from '../../../../src/bot/journal/intent.ts';
import { RpcError } from '../../../../src/contract/errors.ts';
import {
  begin,
  down,
  expectPause,
  lost,
  openOne,
  pass,
  refused,
  textsOf,
  timeout,
  toyKinds,
} from '../../../support/journal-world.ts';

const week = 7 * 24 * 3_600_000;

test('the same key at once and later takes effect once, and says so', async () => {
  const { world, write, states } = await openOne();
  const both = await Promise.all([write('k', 'hello'), write('k', 'hello')]);
  expect(both.map(each => [each.state, each.repeated]).sort()).toEqual([
    ['done', false],
    ['done', true],
  ]);
  expect(await write('k', 'hello')).toMatchObject({ state: 'done', repeated: true, result: { text: 'hello' } });
  expect(world.effects).toEqual(['1: hello']);
  expect(await states()).toEqual({ done: 1 });
});

test('an intent is stored as its submitter wrote it, and only its owner finds it', async () => {
  const { world, write, journal } = await openOne();
  const asked = world.clock.now;
  const { id } = await write('k', 'hello', { origin: { from: 'C2', list: [1] } });
  await journal.attach(id, 'a draft');
  const intent = await journal.find(id, 'alice');
  expect(intent).toMatchObject({
    ...{
      id,
      payload: { text: 'hello', subject: '1' },
      subject: '1',
      owner: 'alice',
      origin: { from: 'C2', list: [1] },
    },
    ...{ attachment: 'a draft', state: 'done', attempts: 1, askedAt: asked, changedAt: asked, isQueued: false },
    outcome: { state: 'done', result: { text: 'hello' } },
  });
  expect(intent?.kind.kind).toBe('toy.write');
  expect(await journal.find(id, 'bob')).toBeUndefined();
  expect(await journal.find('nothing', 'alice')).toBeUndefined();
});

test('a payload that its kind refuses is not stored', async () => {
  const { journal, states } = await openOne();
  const submission = { key: 'k', renews: false, subject: '1', owner: 'alice', origin: {}, caller: 'c' };
  await expect(journal.submit(toyKinds.set, { ...submission, payload: { text: 1 as never } })).rejects.toThrow();
  expect(await states()).toEqual({});
});

test('what a submission writes along is stored with the intent, or neither is', async () => {
  const { journal, write, states } = await openOne();
  const heard: string[] = [];
  const done = await write('a', 'first', {
    also: async () => void heard.push('also'),
    onStored: () => void heard.push('stored'),
  });
  expect(done.state).toBe('done');
  expect(heard).toEqual(['also', 'stored']);
  const failing = write('b', 'second', {
    also: () => Promise.reject(new Error('no')),
    onStored: () => void heard.push('never'),
  });
  await expect(failing).rejects.toThrow('no');
  expect(await states()).toEqual({ done: 1 });
  expect(heard).toHaveLength(2);
  await journal.idle();
});

test('an intent that cannot be done now is queued, done once later, and told', async () => {
  const { world, write, journal, told, wake } = await openOne();
  world.script.set('hello', [down]);
  const { id } = await write('k', 'hello', { caller: 'first' });
  expect(await write('k', 'hello')).toMatchObject({ state: 'queued', repeated: true, error: { code: 'unavailable' } });
  expect(await journal.unfinished('1')).toMatchObject([
    { id, state: 'pending', attempts: 1, isQueued: true, error: { code: 'unavailable', message: 'no answer' } },
  ]);
  expect(told).toEqual([]);
  await wake();
  expect(world.effects).toEqual(['1: hello']);
  expect(told).toMatchObject([[{ id, payload: { text: 'hello', subject: '1' }, outcome: { state: 'done' } }]]);
  await wake();
  expect(told).toHaveLength(1);
  expect(await journal.unfinished('1')).toEqual([]);
});

test('the intents of one lane run in the order in which they were submitted; other lanes do not wait', async () => {
  const { world, write, journal, wake, told } = await openOne();
  world.script.set('one', [down, down, down]);
  await write('1', 'one');
  const later = [await write('2', 'two'), await write('3', 'three')];
  expect(later.map(each => each.state)).toEqual(['queued', 'queued']);
  expect(await write('4', 'other', { subject: '2' })).toMatchObject({ state: 'done' });
  expect(await write('5', 'aside', { lane: 'aside' })).toMatchObject({ state: 'done' });
  await journal.idle();
  for (let n = 0; n < 3; n += 1) await wake();
  expect(world.effects).toEqual(['2: other', '1: aside', '1: one', '1: two', '1: three']);
  expect(textsOf(told)).toEqual(['one', 'two', 'three']);
});

test('while an intent runs, the next one of its lane waits its turn, and its caller is answered', async () => {
  const { world, write, journal } = await openOne();
  const { asked: slow, end } = await begin(world, write, '1', 'slow');
  const next = write('2', 'next');
  await expect.poll(() => journal.unfinished('1')).toHaveLength(2);
  expect(world.attempts).toEqual(['slow']);
  end.resolve();
  expect(await slow).toMatchObject({ state: 'done' });
  expect(await next).toMatchObject({ state: 'done', repeated: false });
  expect(world.effects).toEqual(['1: next']);
});

test('a caller waits for its timeout and then hears that the intent is queued; the outcome is told', async () => {
  const { world, write, journal, told, catchUp } = await openOne();
  const { asked: slow, end } = await begin(world, write, '1', 'slow');
  pass(world, timeout - 1);
  const patient = write('2', 'behind');
  await expect.poll(() => journal.unfinished('1')).toHaveLength(2);
  pass(world, 1);
  expect(await slow).toMatchObject({ state: 'queued', repeated: false, error: { code: 'unavailable' } });
  end.resolve();
  expect(await patient).toMatchObject({ state: 'done' });
  await journal.told([(await patient).id]);
  await catchUp();
  expect(textsOf(told)).toEqual(['slow']);
});

test('behind an intent that was put off, a caller is answered at once, and nothing is tried', async () => {
  const { world, write } = await openOne();
  world.script.set('one', [down]);
  await write('1', 'one');
  expect(await write('2', 'two')).toMatchObject({
    state: 'queued',
    repeated: false,
    error: { code: 'unavailable', message: 'An earlier change is not done yet.', maybeApplied: false },
  });
  expect(world.attempts).toEqual(['one']);
});

test('callers that wait behind an intent are answered as soon as it is put off', async () => {
  const { world, write, journal } = await openOne();
  const { asked: slow, end } = await begin(world, write, '1', 'slow');
  const next = write('2', 'next');
  await expect.poll(() => journal.unfinished('1')).toHaveLength(2);
  end.reject(down);
  expect(await slow).toMatchObject({ state: 'queued' });
  expect(await next).toMatchObject({ state: 'queued' });
});

test('a failed intent holds up nothing, and its owner alone can retry it', async () => {
  const { world, write, journal, wake, told } = await openOne();
  world.script.set('bad', [down, refused]);
  const { id } = await write('1', 'bad');
  await write('2', 'good');
  await wake();
  expect(world.effects).toEqual(['1: good']);
  expect(told.flat().map(each => each.outcome)).toMatchObject([
    { state: 'failed', error: { code: 'invalid_argument', message: 'not that' } },
    { state: 'done' },
  ]);
  expect(await write('1', 'bad')).toMatchObject({ state: 'failed', repeated: true });
  expect(await journal.retry(id, 'bob', 'b')).toBeUndefined();
  expect(await journal.retry(id, 'alice', 'a')).toMatchObject({ state: 'done', repeated: false });
  await journal.told([id]);
  expect(await journal.retry(id, 'alice', 'again')).toMatchObject({ state: 'done', repeated: true });
  expect(world.effects).toEqual(['1: good', '1: bad']);
});

test('a retried intent goes to the end of its lane, and is tried at once when nothing waits there', async () => {
  const { world, write, journal, wake } = await openOne();
  world.script.set('bad', [refused]);
  const { id } = await write('1', 'bad');
  world.script.set('put off', [down]);
  await write('2', 'put off');
  expect(await journal.retry(id, 'alice', 'a')).toMatchObject({ state: 'queued', repeated: false });
  await wake();
  expect(world.effects).toEqual(['1: put off', '1: bad']);
});

test('a retry of an intent that waits behind another makes its lane due, and answers with its own outcome', async () => {
  const { world, write, journal, catchUp, told } = await openOne();
  world.script.set('one', [down]);
  await write('1', 'one');
  const { id } = await write('2', 'two');
  expect(await journal.retry(id, 'alice', 'press')).toMatchObject({ state: 'done', id, result: { text: 'two' } });
  await journal.told([id]);
  await catchUp();
  expect(textsOf(told)).toEqual(['one']);
});

test('a retry that fails again is failed again, and tells of the last failure', async () => {
  const { world, write, journal } = await openOne();
  world.script.set('bad', [refused, new RpcError('permission_denied', 'not you')]);
  const { id } = await write('1', 'bad');
  expect(await journal.retry(id, 'alice', 'press')).toMatchObject({
    state: 'failed',
    repeated: false,
    error: { code: 'permission_denied' },
  });
  expect(await journal.find(id, 'alice')).toMatchObject({
    state: 'failed',
    attempts: 2,
    error: { message: 'not you' },
  });
});

test('a submission that renews tries a failed key anew, with what is submitted now; another one does not', async () => {
  const { world, write, journal } = await openOne();
  world.script.set('old', [refused]);
  const { id } = await write('k', 'old');
  expect(await write('k', 'new')).toMatchObject({ state: 'failed', repeated: true });
  expect(await write('k', 'new', { renews: true, owner: 'bob' })).toMatchObject({ state: 'done', id, repeated: false });
  expect(await journal.find(id, 'bob')).toMatchObject({ payload: { text: 'new' } });
  expect(await write('k', 'newer', { renews: true })).toMatchObject({ state: 'done', repeated: true });
  expect(world.effects).toEqual(['1: new']);
});

test('a submission that renews revives a discarded key', async () => {
  const { world, write, journal } = await openOne();
  world.script.set('old', [refused]);
  const { id } = await write('k', 'old');
  await journal.discard(id, 'alice');
  expect(await write('k', 'new', { renews: true })).toMatchObject({ state: 'done', repeated: false });
  expect(world.effects).toEqual(['1: new']);
});

test('an effect whose answer was lost is found and not repeated', async () => {
  const { world, write, wake, told } = await openOne();
  world.script.set('hello', [lost]);
  world.lostAnswers.add('hello');
  expect(await write('k', 'hello')).toMatchObject({ state: 'queued' });
  await wake();
  expect(world.effects).toEqual(['1: hello']);
  expect(world.attempts).toEqual(['hello', '?hello']);
  expect(told).toMatchObject([[{ outcome: { state: 'done', result: { text: 'hello' } } }]]);
});

test('an effect that did not happen although its answer was lost is made', async () => {
  const { world, write, wake } = await openOne();
  world.script.set('hello', [lost, down]);
  await write('k', 'hello');
  await wake();
  await wake();
  // It stays ambiguous: the second attempt does not say anything about the first.
  expect(world.attempts).toEqual(['hello', '?hello', 'hello', '?hello', 'hello']);
  expect(world.effects).toEqual(['1: hello']);
});

test('an attempt that certainly did nothing is repeated without a look', async () => {
  const { world, write, wake } = await openOne();
  world.script.set('hello', [down]);
  await write('k', 'hello');
  await wake();
  expect(world.attempts).toEqual(['hello', 'hello']);
});

test('a kind hears what it must know about earlier attempts, and when its owner asked', async () => {
  const { world, submit, journal, wake } = await openOne();
  const askedAt = world.clock.now.toISOString();
  expect(await submit('set', 'a', 'first')).toMatchObject({ result: { isRetry: false, isAmbiguous: false, askedAt } });
  world.script.set('second', [down]);
  const second = await submit('set', 'b', 'second');
  world.script.set('third', [lost]);
  const third = await submit('set', 'c', 'third', { subject: '2' });
  pass(world, 60_000);
  await wake();
  const result = async ({ id }: { id: string }) => (await journal.find(id, 'alice'))?.outcome;
  expect(await result(second)).toMatchObject({ result: { isRetry: true, isAmbiguous: false, askedAt } });
  expect(await result(third)).toMatchObject({ result: { isRetry: true, isAmbiguous: true, askedAt } });
});

test('a kind that looks for its effect knows the results of those of its kind before it', async () => {
  const { world, submit, journal, wake } = await openOne();
  world.script.set('count', [lost, lost, lost]);
  const ids: string[] = [];
  for (const key of ['1', '2', '3']) ids.push((await submit('count', key, key)).id);
  expect(await submit('count', 'elsewhere', 'elsewhere', { subject: '2' })).toMatchObject({ state: 'queued' });
  for (let n = 0; n < 3; n += 1) await wake();
  const results = await Promise.all(ids.map(async id => (await journal.find(id, 'alice'))?.outcome));
  expect(results).toMatchObject([
    { result: { siblings: 0 } },
    { result: { siblings: 1 } },
    { result: { siblings: -1 } },
  ]);
});

test('a queued intent can be discarded by its owner, and what waits behind it is tried', async () => {
  const { world, write, journal, catchUp, told } = await openOne();
  world.script.set('hello', [down]);
  const { id } = await write('k', 'hello');
  await write('after', 'after');
  expect(await journal.discard(id, 'bob')).toBeUndefined();
  expect(await journal.discard('nothing', 'alice')).toBeUndefined();
  expect(await journal.discard(id, 'alice')).toBe(true);
  await catchUp();
  expect(world.effects).toEqual(['1: after']);
  expect(textsOf(told)).toEqual(['after']);
  expect(await write('k', 'hello')).toMatchObject({
    state: 'failed',
    repeated: true,
    error: { code: 'failed_precondition', message: 'it was discarded' },
  });
  expect(await journal.discard((await write('done', 'done')).id, 'alice')).toBe(false);
});

test('a discarded intent stays discarded: a retry says so and does nothing', async () => {
  const { world, write, journal, wake, states, told } = await openOne();
  world.script.set('hello', [down]);
  const { id } = await write('k', 'hello', { caller: 'command' });
  expect(await journal.discard(id, 'alice')).toBe(true);
  expect(await journal.discard(id, 'alice')).toBe(false);
  for (const caller of ['press', 'press', 'command']) {
    expect(await journal.retry(id, 'alice', caller)).toMatchObject({
      state: 'failed',
      error: { message: 'it was discarded' },
    });
  }
  await wake();
  expect(world.effects).toEqual([]);
  expect(await states()).toEqual({ discarded: 1 });
  expect(told).toEqual([]);
});

test('an intent that runs cannot be discarded', async () => {
  const { world, write, journal } = await openOne();
  const { asked: slow, end } = await begin(world, write, '1', 'slow');
  const [intent] = await journal.unfinished('1');
  expect(await journal.discard(intent?.id ?? '', 'alice')).toBe(false);
  end.resolve();
  expect(await slow).toMatchObject({ state: 'done' });
});

test('a fault of ours is a failure that may have taken effect, and holds up nothing', async () => {
  const { world, write } = await openOne({
    expectErrors: each => each.msg === 'journal: intent failed because of a bug in Muster',
  });
  world.script.set('k', [new TypeError('x is not a function')]);
  expect(await write('k', 'k')).toMatchObject({
    state: 'failed',
    error: { code: 'internal', message: 'Muster itself failed', maybeApplied: true, retryable: true },
  });
  expect(await write('l', 'l')).toMatchObject({ state: 'done' });
});

test('an intent is retried for a week, then fails, and its owner is told', async () => {
  const { world, write, wake, told, states } = await openOne();
  world.script.set('old', [down, down, down]);
  await write('k', 'old');
  pass(world, week - 1);
  await wake();
  expect(await states()).toEqual({ pending: 1 });
  pass(world, 1);
  await wake();
  expect(told).toMatchObject([[{ outcome: { state: 'failed', error: { code: 'unavailable' } } }]]);
});

test('an intent of a kind that this version does not know fails, and holds up nothing', async () => {
  const { world, start, write, submit, database } = await openOne();
  world.script.set('one', [down]);
  const { id } = await submit('set', '1', 'one');
  await write('2', 'two');
  const other = await start({ kinds: ['write'] });
  expect(await other.journal.find(id, 'alice')).toBeUndefined();
  await other.wake();
  expect(world.effects).toEqual(['1: two']);
  expect(await other.states()).toEqual({ failed: 1, done: 1 });
  const row = await openJournalAdmin(database, () => world.clock.now).find(id);
  expect(row && whyNotDone(row)).toBe('failed_precondition: this version of Muster does not know “toy.set”');
  // Nobody can say what it was.
  expect(textsOf(other.told)).toEqual(['two']);
});

test('what a database error breaks off is ambiguous and tried again', async () => {
  const { world, write, wake } = await openOne();
  world.script.set('hello', [Object.assign(new Error('gone'), { code: 'ECONNRESET' })]);
  world.lostAnswers.add('hello');
  expect(await write('k', 'hello')).toMatchObject({ state: 'queued', error: { code: 'unavailable' } });
  await wake();
  expect(world.attempts).toEqual(['hello', '?hello']);
  expect(world.effects).toEqual(['1: hello']);
});

test('a caller that submits again after its process died learns the outcome once, and is never called a repetition', async () => {
  const { world, write, journal } = await openOne();
  const ask = () => write('k', 'hello', { caller: 'command/1' });
  const { id } = await ask();
  // It died before it answered.
  expect(await ask()).toMatchObject({ state: 'done', repeated: false, id });
  await journal.told([id]);
  // It died after it answered.
  await expect(ask()).rejects.toBeInstanceOf(AlreadyAnswered);
  expect(await write('k', 'hello', { caller: 'command/2' })).toMatchObject({ state: 'done', repeated: true });
  expect(world.effects).toEqual(['1: hello']);
});

test('submissions without a caller are never taken for the same caller’s', async () => {
  const { world, write, journal } = await openOne();
  const first = await write('k', 'hello', { caller: '' });
  expect(first).toMatchObject({ state: 'done', repeated: false });
  await journal.told([first.id]);
  expect(await write('k', 'hello', { caller: '' })).toMatchObject({ state: 'done', repeated: true });
  expect(world.effects).toEqual(['1: hello']);
});

test('a caller that submits again while its intent runs waits for the one attempt', async () => {
  const { world, write } = await openOne();
  const { asked: first, end } = await begin(world, write, 'k', 'slow', { caller: 'command/1' });
  const second = write('k', 'slow', { caller: 'command/1' });
  end.resolve();
  expect(await Promise.all([first, second])).toMatchObject([
    { state: 'done', repeated: false },
    { state: 'done', repeated: false },
  ]);
  expect(world.attempts).toEqual(['slow']);
});

test('a press that retries and is carried out again after a crash retries once', async () => {
  const { world, write, journal } = await openOne();
  world.script.set('bad', [refused, refused]);
  const { id } = await write('1', 'bad');
  expect(await journal.retry(id, 'alice', 'press')).toMatchObject({ state: 'failed', repeated: false });
  expect(await journal.retry(id, 'alice', 'press')).toMatchObject({ state: 'failed', repeated: false });
  expect(world.attempts).toEqual(['bad', 'bad']);
  await journal.told([id]);
  await expect(journal.retry(id, 'alice', 'press')).rejects.toBeInstanceOf(AlreadyAnswered);
});

test('a postponed intent is tried when its pause is over, and not before', async () => {
  const { world, write, catchUp } = await openOne();
  world.script.set('hello', [down, down]);
  await write('k', 'hello');
  await expectPause({ world, catchUp }, 750);
  await expectPause({ world, catchUp }, 1500);
  expect(world.effects).toEqual(['1: hello']);
});

test('a pause is as long as the API asks for', async () => {
  const { world, write, catchUp } = await openOne();
  world.script.set('hello', [new RpcError('resource_exhausted', 'slow down', { retryAfter: 30, maybeApplied: false })]);
  expect(await write('k', 'hello')).toMatchObject({ state: 'queued', error: { retryAfter: 30 } });
  await expectPause({ world, catchUp }, 30_000);
  expect(world.effects).toEqual(['1: hello']);
});

test('a pause that the API asks for is kept while others succeed', async () => {
  const { world, write, journal } = await openOne();
  const busy = new RpcError('resource_exhausted', 'slow down', { retryAfter: 30, maybeApplied: false });
  world.script.set('hello', [busy, busy]);
  await write('k', 'hello');
  expect(await write('l', 'other', { subject: '2' })).toMatchObject({ state: 'done' });
  await journal.idle();
  expect(world.attempts).toEqual(['hello', 'other']);
  // Nor does the end of one such pause end those of others.
  world.script.set('third', [busy]);
  await write('m', 'third', { subject: '3' });
  await journal.retry((await journal.unfinished('1'))[0]?.id ?? '', 'alice', 'press');
  await journal.retry((await journal.unfinished('1'))[0]?.id ?? '', 'alice', 'press again');
  await journal.idle();
  expect(world.attempts).toEqual(['hello', 'other', 'third', 'hello', 'hello']);
});

test('a pause that began before the clock stepped back an hour holds nothing up', async () => {
  const { world, write, catchUp } = await openOne();
  world.script.set('hello', [down]);
  await write('k', 'hello');
  world.clock.now = new Date(world.clock.now.getTime() - 3_600_000);
  await catchUp();
  expect(world.effects).toEqual(['1: hello']);
});

test('waking tries what was put off at once, whatever its pause', async () => {
  const { world, write, wake } = await openOne();
  world.script.set('hello', [down]);
  await write('k', 'hello');
  await wake();
  expect(world.effects).toEqual(['1: hello']);
  await wake();
  expect(world.attempts).toHaveLength(2);
});

test('intents that ended a month ago are forgotten, unless somebody has yet to be told; open ones are kept', async () => {
  const { world, write, journal, states } = await openOne();
  for (let some = 0; some < 510; some += 30) {
    const many = Array.from({ length: 30 }, (_, n) => write(`done ${some + n}`, 'x', { subject: `${some + n}` }));
    await journal.told((await Promise.all(many)).map(each => each.id));
  }
  world.script.set('bad', [refused]);
  const failed = await write('failed', 'bad');
  await journal.told([failed.id]);
  world.openCallers.add('still there');
  await write('untold', 'untold', { caller: 'still there' });
  world.script.set('discarded', [down]);
  await journal.discard((await write('discarded', 'discarded')).id, 'alice');
  pass(world, 30 * 24 * 3_600_000);
  world.script.set('open', [down]);
  await write('open', 'open');
  while ((await journal.purge(world.clock.now)) > 0);
  expect(await states()).toEqual({ done: 511, failed: 1, discarded: 1, pending: 1 });
  pass(world, 1);
  while ((await journal.purge(world.clock.now)) > 0);
  expect(await states()).toEqual({ done: 1, pending: 1 });
  expect(await write('untold', 'untold')).toMatchObject({ state: 'done', repeated: true });
  expect(await write('open', 'open')).toMatchObject({ state: 'queued', repeated: true });
});

test('an operator lists intents, has failed ones tried again, and discards', async () => {
  const { world, write, journal, catchUp, told, database } = await openOne();
  const admin = openJournalAdmin(database, () => world.clock.now);
  world.script.set('bad', [refused]);
  world.script.set('away', [down]);
  const { id: bad } = await write('1', 'bad');
  await journal.told([bad]);
  const { id: away } = await write('2', 'away', { subject: '2' });
  const { id: done } = await write('3', 'done', { subject: '3', lane: 'aside' });
  await journal.told([done]);
  await journal.wake();
  await journal.idle();
  const list = async (subject: string) =>
    (await admin.list({ states: ['failed', 'done'], subject, most: 10 })).map(row => row.id).toSorted();
  expect(await list('')).toEqual([bad, away, done].toSorted());
  expect(await list('1')).toEqual([bad]);
  expect(await admin.requeue(done)).toBe(false);
  expect(await admin.requeue(bad)).toBe(true);
  told.length = 0;
  await catchUp();
  expect(world.effects).toContain('1: bad');
  expect(textsOf(told)).toEqual(['bad']);
  world.script.set('more', [down]);
  const { id: more } = await write('4', 'more', { subject: '4' });
  expect(await admin.requeue(more)).toBe(true);
  await catchUp();
  expect(world.effects).toContain('4: more');
  expect(await admin.discard(more)).toBeUndefined();
  world.script.set('last', [refused]);
  const { id: last } = await write('5', 'last');
  expect(await admin.discard(last)).toMatchObject({ id: last, state: 'discarded' });
  expect(await admin.requeue(last)).toBe(false);
  expect(await admin.find(last)).toMatchObject({ state: 'discarded' });
});
