import { expect, test } from 'vitest';
import { findAddressProblem } from '../../../../src/contract/webhook-address.ts';
import { verifyWebhook } from '../../../../src/contract/webhook-signature.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import {
  addEndpoint,
  createSecret,
  listEndpoints,
  removeEndpoint,
} from '../../../../src/service/webhooks/endpoints.ts';
import { call } from '../../../support/service.ts';
import { openReceiver } from '../../../support/webhook-receiver.ts';
import { openDesk, type WebhookDesk } from '../../../support/webhooks.ts';

const url = 'https://example.com/hook';
const list = (desk: WebhookDesk) => listEndpoints(desk.database.as<Tables>());

test('endpoints are added, listed and removed', async () => {
  await using desk = await openDesk();
  await desk.start();
  expect(await desk.add(url)).toBe(1);
  expect(await desk.add(url, 'label:"eu west"')).toBe(2);
  await desk.change(db => removeEndpoint(db, 1, desk.now));
  expect(await list(desk)).toEqual([
    {
      id: 2,
      url,
      query: 'label:"eu west"',
      includePrivate: false,
      source: 'command',
      createdTime: '2026-09-19T09:30:00.123Z',
      waiting: 0,
    },
  ]);
  await expect(desk.change(db => removeEndpoint(db, 1, desk.now))).rejects.toThrow('there is no endpoint 1');
});

test('the settings decide over their own endpoints at each start, and over no others', async () => {
  await using desk = await openDesk();
  const [one, two, three] = ['1', '2', '3'].map(each => ({ url: `${url}/${each}`, secret: 'x' }));
  if (!one || !two || !three) throw new Error('there are three');
  await (await desk.start([one, two]))[Symbol.asyncDispose]();
  await desk.add(url);
  await (await desk.start([two, { ...three, secret: 'y' }]))[Symbol.asyncDispose]();
  expect((await list(desk)).map(each => [each.id, each.url])).toEqual([
    [2, two.url],
    [3, url],
    [4, three.url],
  ]);
  await (await desk.start([one]))[Symbol.asyncDispose]();
  expect((await list(desk)).map(each => [each.id, each.source])).toEqual([
    [1, 'setting'],
    [3, 'command'],
  ]);
  await expect(desk.change(db => removeEndpoint(db, 1, desk.now))).rejects.toThrow(
    'endpoint 1 is from WEBHOOK_URLS: take it out there',
  );
});

test('a secret that was changed signs what is sent from then on', async () => {
  await using receiver = await openReceiver();
  await using desk = await openDesk();
  await (await desk.start([{ url: receiver.url, secret: 'old' }]))[Symbol.asyncDispose]();
  const replica = await desk.start([{ url: receiver.url, secret: 'new' }]);
  await call(replica, 'IncidentsService.CreateIncident', { title: 'x' });
  const [first] = await receiver.first(1);
  const header = String(first?.headers['gi-signature']);
  expect(verifyWebhook(header, first?.body ?? '', 'new')).toMatchObject({ genuine: true });
  expect(verifyWebhook(header, first?.body ?? '', 'old')).toMatchObject({ genuine: false });
});

test.each([
  ['', 'must begin with http:// or https:// and name a host'],
  ['example.com/hook', 'must begin with http:// or https:// and name a host'],
  ['ftp://example.com', 'must begin with http:// or https:// and name a host'],
  ['http://', 'must begin with http:// or https:// and name a host'],
  ['https://user:pass@example.com', 'must not hold a user name or password: check the signature instead'],
  [`https://example.com/${'x'.repeat(2000)}`, 'must be at most 2000 characters'],
])('the address %j %s', (address, problem) => {
  expect(findAddressProblem(address)).toBe(problem);
});

test('any host will do, over http and https', () => {
  for (const address of [
    'http://10.0.0.7:8080/x',
    'https://localhost',
    'http://[::1]/',
    'https://bücher.example/?a=b',
  ]) {
    expect(findAddressProblem(address)).toBeUndefined();
  }
});

test.each([
  [{ url: 'nowhere', secret: 'x' }, 'the address must begin with http'],
  [{ url, secret: '' }, 'the secret must have between 1 and 200 characters'],
  [{ url, secret: 'x'.repeat(201) }, 'the secret must have between 1 and 200 characters'],
  [{ url, secret: 'x', query: 'severity:' }, 'invalid query'],
  [{ url, secret: 'x', query: 'colour:red' }, 'invalid query: unknown property "colour"'],
])('%j is refused: %s', async (endpoint, words) => {
  await using desk = await openDesk();
  await desk.start();
  await expect(desk.change(db => addEndpoint(db, endpoint, desk.now))).rejects.toThrow(words);
  expect(await list(desk)).toEqual([]);
});

test('secrets that are made are long and never the same', () => {
  expect(createSecret()).toMatch(/^[0-9a-f]{64}$/);
  expect(createSecret()).not.toBe(createSecret());
});
