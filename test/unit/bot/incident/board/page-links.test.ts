import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openOverviews } from '../../../../../src/bot/incident/board/page-links.ts';
import type { Settings } from '../../../../../src/bot/incident/state/settings.ts';
import { patient } from '../../../../support/deadlines.ts';

test.each([
  ['a server without pages', 404, 'application/json', false],
  ['a proxy that hides itself', 404, 'text/html', true],
  ['a page that asks for a login', 302, 'text/html', true],
  ['a page', 200, 'text/html', true],
])('%s: whether its pages are linked', async (_, status, type, isLinked) => {
  const server = createServer((_request, response) => response.writeHead(status, { 'content-type': type }).end());
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const overviewOf = openOverviews({
    settings: { webUrl } as Settings,
    isElsewhere: true,
    knowsReaders: false,
    deadlines: patient(),
    monotonicNow: () => 0,
    log: pino({ level: 'silent' }),
  });
  const shown = await overviewOf({ overviewURL: '/a/incident/1', incidentType: 'public' });
  expect(shown).toBe(isLinked ? `${webUrl}/a/incident/1` : '');
});
