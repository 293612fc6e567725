import { pino } from 'pino';
import { expect, test } from 'vitest';
import { StartWatch } from '../../../src/operations/start-watch.ts';

const clock = () => new Date('2026-11-23T12:00:00Z');
const away = new Error('away');
const mayPass = (error: unknown) => error === away;

function openWatch() {
  const messages: string[] = [];
  const log = pino({ level: 'info' }, { write: line => void messages.push(JSON.parse(line).msg) });
  const stopping = new AbortController();
  return { watch: new StartWatch({ clock, log, stopping: stopping.signal }), messages, stopping };
}

test('an attempt is repeated until it works; each change is one line', async () => {
  const { watch, messages } = openWatch();
  let attempts = 0;
  const seen: unknown[] = [];
  const found = await watch.until(
    'Slack',
    async () => {
      attempts += 1;
      seen.push(watch.missing);
      if (attempts < 3) throw away;
      return { attempts };
    },
    mayPass,
  );
  expect(found).toEqual({ attempts: 3 });
  expect(seen).toEqual([[], [{ name: 'Slack', since: clock() }], [{ name: 'Slack', since: clock() }]]);
  expect([watch.missing, watch.isFound('Slack'), watch.isFound('database')]).toEqual([[], true, false]);
  expect(messages).toEqual(['start: Slack cannot be reached, so Muster waits for it', 'start: Slack answers']);
});

test('an error that does not pass is thrown at once', async () => {
  const { watch, messages } = openWatch();
  const attempt = () => Promise.reject(new Error('a wrong password'));
  await expect(watch.until('database', attempt, mayPass)).rejects.toThrow('a wrong password');
  expect(messages).toEqual([]);
});

test('stopping ends a pause', async () => {
  const { watch, stopping } = openWatch();
  const waiting = watch.until('database', () => Promise.reject(away), mayPass);
  const ended = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => watch.missing).toHaveLength(1);
  stopping.abort();
  await ended;
});

test('stopping leaves an attempt behind, and what that opens later is closed', async () => {
  const { watch, stopping } = openWatch();
  const opened = Promise.withResolvers<AsyncDisposable>();
  const closed = Promise.withResolvers<string>();
  const waiting = watch.until('database', () => opened.promise, mayPass);
  const ended = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  stopping.abort();
  await ended;
  opened.resolve({ [Symbol.asyncDispose]: async () => closed.resolve('closed') });
  expect(await closed.promise).toBe('closed');
});
