import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openPager } from '../../../playground/pager.ts';
import { readConfig } from '../../../src/config/config.ts';
import { signatureHeader, signWebhook } from '../../../src/contract/webhook-signature.ts';
import { verifyIndependently } from '../../support/pagers/verify.ts';

const secret = 'a-secret-of-the-test-alone';
const now = () => new Date('2026-03-14T02:07:00Z');

/** A pager, with a Muster that answers with these statuses in turn, the last for all that follow. */
async function openPaged(...statuses: readonly number[]) {
  const heard: { path: string; signature: string; body: string }[] = [];
  const muster = createServer(async (request, response) => {
    const status = statuses[Math.min(heard.length, statuses.length - 1)] ?? 200;
    const signature = String(request.headers[signatureHeader.toLowerCase()]);
    heard.push({ path: request.url ?? '', signature, body: await text(request) });
    response.writeHead(status).end(status === 401 ? 'not its signature' : '');
  });
  muster.listen(0, '127.0.0.1');
  await once(muster, 'listening');
  onTestFinished(() => void muster.close());
  const url = `http://127.0.0.1:${(muster.address() as AddressInfo).port}`;
  const asked: string[] = [];
  const pager = await openPager({
    ...{ url: () => url, secret, now, again: 1 },
    heard: ({ event }) => void asked.push(event),
  });
  onTestFinished(() => pager[Symbol.asyncDispose]());
  const [own] = readConfig({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 's', PAGERS: pager.setting }).pagers;
  if (own?.kind !== 'webhook') throw new Error('The setting leads to no webhook.');
  const { url: address, secret: known } = own;
  const page = async (told: object, key = known) => {
    const body = JSON.stringify({ pager: own.name, ...told });
    const headers = { [signatureHeader]: signWebhook(body, key, now()) };
    return (await fetch(address, { method: 'POST', headers, body })).status;
  };
  return { pager, page, heard, asked };
}

const first = {
  event: 'page',
  key: 'k1',
  incident: { id: '1', title: 'Checkout' },
  why: 'the disk is full',
  by: 'ann',
};

test('a signed page is shown, once for its key; one that somebody else signed is not taken', async () => {
  const { pager, page, asked } = await openPaged();
  expect(await page(first, 'a-secret-of-somebody-else')).toBe(401);
  expect(pager.facts().pages).toEqual([]);
  for (const _ of [1, 2]) expect(await page(first)).toBe(202);
  expect(pager.facts().pages).toEqual([
    { key: 'k1', title: 'Checkout', why: 'the disk is full', by: 'ann', state: 'open' },
  ]);
  expect(asked).toEqual(['page', 'page']);
});

test('who acknowledges it is told to Muster under its signature, until Muster takes it, and once', async () => {
  const { pager, page, heard } = await openPaged(503, 200);
  await page(first);
  pager.acknowledge('k1', 'Root');
  expect(() => pager.acknowledge('k1', 'Root')).toThrow('waits for nobody');
  expect(pager.facts()).toMatchObject({ waiting: 1, pages: [{ state: 'acknowledged' }] });
  await pager.sent();
  expect(pager.facts()).toMatchObject({ waiting: 0 });
  expect(heard.map(({ path, body }) => [path, JSON.parse(body)])).toEqual(
    [1, 2].map(() => ['/hooks/pages/database', { key: 'k1', state: 'acknowledged', by: 'Root' }]),
  );
  for (const { body, signature } of heard) expect(verifyIndependently(body, signature, secret)).toBe(true);
});

test('a page is over when Muster says so, the last ten are shown, and a refused answer is said', async () => {
  const { pager, page } = await openPaged(401);
  for (let each = 1; each <= 12; each += 1) await page({ ...first, key: `k${each}` });
  expect(await page({ event: 'over', key: 'k12' })).toBe(202);
  const { pages } = pager.facts();
  expect(pages.map(each => each.key)).toEqual(Array.from({ length: 10 }, (_, at) => `k${at + 3}`));
  expect(pages.at(-1)?.state).toBe('over');
  expect(() => pager.acknowledge('k12', 'Root')).toThrow('waits for nobody');
  pager.acknowledge('k3', 'Root');
  await pager.sent();
  expect(pager.facts().problem).toContain('401 not its signature');
});
