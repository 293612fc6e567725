import { pino } from 'pino';
import { expect, test } from 'vitest';
import { toOpenApi } from '../../../../src/contract/openapi.ts';
import { serveService } from '../../../../src/service/http/server.ts';
import { openPages, saveDashboard, tellShort } from '../../../support/pages.ts';
import { tokens } from '../../../support/service.ts';

/** Every operation of the APIs with each member of its path as `nosuch`, and addresses where nothing is. */
const routes = [
  ...Object.entries(toOpenApi().paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'nosuch')]),
  ),
  ...['/api/nope', '/nope', '/goto/nosuch', '/proxied/api/search', '/d/nosuch', '/explore'].map(path => ['GET', path]),
  ['POST', '/api/plugins/grafana-irm-app/resources/api/v1/NoService.NoMethod'],
  ['GET', '/api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.GetIncident'],
  ['POST', '/incidents'],
] as const;

test('whatever is refused in JSON is not guessed at and not kept', async () => {
  await using opened = await openPages();
  await using server = await serveService({ service: opened.service, port: 0, log: pino({ level: 'silent' }) });
  const seen = new Set<number>();
  for (const [method = '', path = ''] of routes) {
    // Without a token, with one and nothing else, and with a body that is none.
    const tries = [{}, { authorization: `Bearer ${tokens.Viewer}` }, { authorization: `Bearer ${tokens.Admin}` }];
    for (const headers of tries) {
      const body = method === 'GET' ? {} : { body: '[' };
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method,
        headers,
        redirect: 'manual',
        ...body,
      });
      await answer.arrayBuffer();
      if (answer.status < 300 || answer.headers.get('content-type')?.startsWith('text/html')) continue;
      seen.add(answer.status);
      expect([method, path, answer.status, ...protection(answer)]).toEqual([
        method,
        path,
        answer.status,
        'nosniff',
        'no-store',
      ]);
    }
  }
  expect([...seen]).toEqual(expect.arrayContaining([400, 401, 403, 404]));
});

test('no redirect is kept', async () => {
  await using opened = await openPages();
  const incidentID = await tellShort(opened);
  await saveDashboard(opened);
  const made = await opened.service.handle({
    ...{ method: 'POST', path: '/api/short-urls', headers: {} },
    body: JSON.stringify({ path: 'd/requests/x?from=1' }),
  });
  const paths = ['/', '/a', '/a/x', '/a/x/incidents', `/incidents/${incidentID}`, `/incidents/${incidentID}/a/b`];
  const named = [`/a/grafana-irm-app/incidents/${incidentID}/any-slug`, '/d/requests/any-slug'];
  for (const path of [...paths, ...named, new URL(JSON.parse(made.body).url).pathname]) {
    const answer = await opened.service.fetch(new Request(`http://test${path}`));
    expect([path, answer.status, ...protection(answer)]).toEqual([path, 302, 'nosniff', 'no-store']);
  }
});

function protection({ headers }: Response) {
  return [headers.get('x-content-type-options'), headers.get('cache-control')];
}
