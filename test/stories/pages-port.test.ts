import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { comeIn } from '../support/browser-of.ts';
import { read } from '../support/docs/files.ts';
import { openIncident } from '../support/incident-room.ts';

const own = '/a/grafana-irm-app/incidents/1/checkout-answers-500';
const bare = JSON.stringify({ message: 'Not found', error: 'Not found' });

/** Every address of a page, as the code names them. */
const pagePaths = ['pages.ts', 'door.ts']
  .flatMap(file => [
    ...read(`src/service/pages/${file}`).matchAll(/(?:\b(?:get|post|fixed|free)\(|\bof \[|, |^ {2})'(\/[^'*]*)'/gm),
  ])
  .map(([, path = '']) => path.replaceAll(/:\w+(\{.*?\})?\??/g, '1'));

async function open(settings: Readonly<Record<string, string>> = {}) {
  const incident = await openIncident({ settings: { PAGES: 'slack', PAGES_PORT: '0', ...settings } });
  const { muster } = incident.place;
  // A path goes out as it is written: other clients put it in order first.
  const at =
    (port: number) =>
    async (path: string, method = 'GET') => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) =>
        request({ port, path, method, headers: { accept: 'text/html' } }, resolve)
          .on('error', reject)
          .end(),
      );
      return { status: answer.statusCode, text: await text(answer) };
    };
  return { ...incident, pages: at(muster.pagesPort), slacks: at(muster.port), muster };
}

test('with a port of their own the pages are there alone, and Slack’s port has nothing to read', async () => {
  const { pages, slacks, muster } = await open();
  expect(muster.pagesPort).not.toBe(muster.port);
  expect(pagePaths.length).toBeGreaterThan(15);
  for (const path of [...pagePaths, '/goto/x', '//incidents', `${own}?follow`, '/nowhere', '/incidents/']) {
    expect(await slacks(path), path).toEqual({ status: 404, text: bare });
    expect((await pages(path)).text, path).not.toBe(bare);
  }
  for (const path of ['/slack/events', '/hooks/incident', '/hooks/alerts/x', '/api/x', '/healthz', '/metrics']) {
    for (const method of ['GET', 'POST']) expect(await pages(path, method), path).toEqual({ status: 404, text: bare });
  }
  // Whatever way an address is written.
  for (const [here, path] of [
    [pages, '/a/../api/dashboards/uid/x'],
    [pages, '/%61pi/dashboards/uid/x/%zz'],
    [pages, '/\\api/dashboards/uid/x'],
    [slacks, '/%69ncidents'],
    [slacks, '/api/../incidents'],
  ] as const)
    expect(await here(path), path).toEqual({ status: 404, text: bare });
  expect((await slacks('/slack/events', 'POST')).status).toBe(401);
  expect((await slacks('/api/dashboards/uid/x')).status).toBe(401);
  expect((await slacks('/healthz')).status).toBe(200);
});

test('health and metrics keep to their own port beside that of the pages', async () => {
  const { pages, slacks, muster } = await open({ METRICS_PORT: '0' });
  expect((await fetch(`http://127.0.0.1:${muster.metricsPort}/healthz`)).status).toBe(200);
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect([(await slacks(path)).status, (await pages(path)).status], path).toEqual([404, 404]);
});

test('a person comes in from Slack and reads at the port of the pages', async () => {
  const { place, alice, home, muster } = await open();
  const beside = { ...place, muster: { ...muster, url: `http://127.0.0.1:${muster.pagesPort}` } };
  const { browser, entered } = await comeIn(beside, alice, home.name);
  expect(entered.status).toBe(303);
  expect((await browser.ask(own)).text).toContain('Checkout answers 500');
});
