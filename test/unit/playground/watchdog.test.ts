import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openWatchdog } from '../../../playground/watchdog.ts';
import { readAlertmanager } from '../../../src/bot/alerts/read/alertmanager.ts';

/** A watchdog, and what it sent to a Muster that answers with these statuses in turn, the last for all that follow. */
async function openHook(...statuses: readonly number[]) {
  const heard: { path: string; token: string | undefined; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const status = statuses[Math.min(heard.length, statuses.length - 1)] ?? 200;
    heard.push({ path: request.url ?? '', token: request.headers.authorization, body: await json(request) });
    response.writeHead(status).end(status === 401 ? 'unknown token' : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = () => new Date('2026-03-14T02:07:00Z');
  const watchdog = openWatchdog({ url: () => url, token: 'of-the-test', now, again: 1 });
  onTestFinished(() => watchdog[Symbol.asyncDispose]());
  return { watchdog, heard, groups: () => heard.map(each => readAlertmanager(each.body)) };
}

test('a group fires, is repeated, grows and ends: one key, as Alertmanager tells it', async () => {
  const { watchdog, heard, groups } = await openHook();
  for (const event of ['Fire', 'Repeat', 'Grow', 'End all'] as const) watchdog.act(event);
  expect(watchdog.facts()).toEqual({ firing: 0, waiting: 4 });
  await watchdog.sent();
  expect(watchdog.facts()).toEqual({ firing: 0, waiting: 0 });
  expect(heard.map(({ path, token }) => [path, token])).toEqual(
    heard.map(() => ['/hooks/alerts/watchdog', 'Bearer of-the-test']),
  );
  expect(new Set(groups().map(each => each.key)).size).toBe(1);
  expect(groups().map(({ state, firing, resolved }) => [state, firing, resolved])).toEqual([
    ['firing', 1, 0],
    ['firing', 1, 0],
    ['firing', 2, 0],
    ['resolved', 0, 2],
  ]);
  expect(groups()[0]).toMatchObject({ title: 'CheckoutErrors', severity: 'minor', labels: { service: 'checkout' } });
  expect(groups()[0]?.links.map(each => each.what)).toEqual(['runbook', 'rule', 'silence', 'tool']);
});

test('a group that ended is repeated: it fires again under its key; the next one is another', async () => {
  const { watchdog, groups } = await openHook();
  for (const event of ['Fire', 'End all', 'Repeat', 'End all', 'Fire'] as const) watchdog.act(event);
  await watchdog.sent();
  const [first, , again, , other] = groups();
  expect(again).toMatchObject({ key: first?.key, state: 'firing', firing: 1 });
  expect(other?.key).not.toBe(first?.key);
});

test('an alert that is asked for by its name is a new group each time, and ends before when it fires still', async () => {
  const { watchdog, groups } = await openHook();
  watchdog.act('Fire', 'CheckoutErrors');
  watchdog.act('Repeat');
  watchdog.act('Fire', 'CheckoutErrors');
  expect(watchdog.facts().firing).toBe(1);
  watchdog.act('End all');
  watchdog.act('Fire');
  await watchdog.sent();
  const [first, repeated, ended, second, over, unnamed] = groups();
  expect(
    groups()
      .slice(0, 5)
      .map(each => each.title),
  ).toEqual(Array(5).fill('CheckoutErrors'));
  expect([repeated, ended].map(each => each?.key)).toEqual([first?.key, first?.key]);
  expect([first, ended, second, over].map(each => each?.state)).toEqual(['firing', 'resolved', 'firing', 'resolved']);
  expect(second?.key).not.toBe(first?.key);
  expect(over?.key).toBe(second?.key);
  expect(unnamed?.state).toBe('firing');
  expect(() => watchdog.act('Fire', 'Nonsense')).toThrow('There is no alert “Nonsense”');
});

test('a storm is 12 groups of 3 services, and each of them ends', async () => {
  const { watchdog, groups } = await openHook();
  watchdog.act('Storm');
  expect(watchdog.facts().firing).toBe(12);
  watchdog.act('End all');
  await watchdog.sent();
  const keys = (state: string) => new Set(groups().flatMap(each => (each.state === state ? [each.key] : [])));
  expect(keys('firing').size).toBe(12);
  expect(keys('resolved')).toEqual(keys('firing'));
  expect(new Set(groups().map(each => each.labels.service)).size).toBe(3);
});

test('what Muster does not take is sent again, in order; what it refuses is said', async () => {
  const { watchdog, groups } = await openHook(503, 503, 200, 401);
  watchdog.act('Fire');
  watchdog.act('End all');
  await watchdog.sent();
  expect(groups().map(each => each.state)).toEqual(['firing', 'firing', 'firing', 'resolved']);
  expect(watchdog.facts().problem).toContain('401 unknown token');
});

test('nothing is repeated, grows or ends where nothing fires, and 12 groups are all there are', async () => {
  const { watchdog, heard } = await openHook();
  for (const event of ['Repeat', 'Grow', 'End all'] as const) expect(() => watchdog.act(event)).toThrow('Press Fire');
  await watchdog.sent();
  expect(heard).toEqual([]);
  watchdog.act('Storm');
  expect(() => watchdog.act('Fire')).toThrow('Press End all');
});
