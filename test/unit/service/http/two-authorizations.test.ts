import { pino } from 'pino';
import { expect, test } from 'vitest';
import { rpcBase } from '../../../../src/contract/contract.ts';
import { serveService } from '../../../../src/service/http/server.ts';
import { openService, tokens } from '../../../support/service.ts';
import { openWire } from '../../../support/wire.ts';

const base = rpcBase('grafana-irm-app');
const doors: readonly (readonly [method: string, path: string])[] = [
  ['POST', `${base}/RolesService.GetRoles`],
  ['POST', `/${base}//RolesService.GetRoles`],
  ['POST', `${base}/incoming-webhooks/grafana.incident.create?title=x`],
  ['POST', `${base}/incoming-webhooks/grafana.incident.create?title=x&token=${tokens.Admin}`],
  ['GET', '/api/dashboards/tags'],
  ['POST', '/api/dashboards/db'],
  ['POST', '/api/short-urls'],
  ['POST', '/api/folders'],
];

const good = `Bearer ${tokens.Admin}`;

test.each(doors)('two Authorization headers are refused: %s %s', async (method, path) => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, log: pino({ level: 'silent' }) });
  const send = async (...authorizations: readonly string[]) => {
    const wire = await openWire(server.port);
    const headers = authorizations.map((each, index) => `${index % 2 ? 'authorization' : 'Authorization'}: ${each}`);
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', 'Content-Length: 2', ...headers];
    wire.write(`${head.join('\r\n')}\r\n\r\n{}`);
    return Number((await wire.closed).split(' ', 2)[1]);
  };
  expect(await send(good)).not.toBe(401);
  for (const [first, second] of [
    [good, 'Bearer nope'],
    ['Bearer nope', good],
    [good, good],
    [good, ''],
    ['', good],
  ]) {
    expect([first, second, await send(first ?? '', second ?? '')]).toEqual([first, second, 401]);
  }
});
