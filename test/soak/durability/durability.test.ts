import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { engine, makeDatabase } from '../../support/databases/fresh.ts';
import { isLong } from '../../support/length.ts';
import { type Plan, undergo } from './ordeal.ts';

/** In `.ci/run` the whole of it runs on Postgres. */
const isWhole = isLong || engine === 'postgres';
const plan: Plan = {
  seed: Number(process.env.MUSTER_SEED ?? 20_260_919),
  ...{ ...(isWhole ? { writes: 2000, kills: 10 } : { writes: 800, kills: 4 }), connections: 8 },
};

/** An endpoint for webhooks that takes what it is sent and never answers. */
async function openSilentEndpoint(): Promise<string> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test(`of ${plan.writes} writes to a service that is killed ${plan.kills} times, all that were answered are there, once and whole (MUSTER_SEED=${plan.seed})`, async () => {
  await using fresh = await makeDatabase('no tables');
  const { sent, kills, violations, printed, snapshot } = await undergo(fresh.url, await openSilentEndpoint(), plan);
  expect(kills).toBe(plan.kills);
  expect(violations).toEqual([]);
  expect(printed.filter(line => /"level":"(?:error|fatal)"/.test(line) || !line.startsWith('{'))).toEqual([]);

  const effects = sent.map(each => ({ name: each.name, acknowledged: each.acknowledged, count: each.count(snapshot) }));
  expect(effects.filter(each => each.acknowledged && each.count !== 1)).toEqual([]);
  expect(effects.filter(each => !each.acknowledged && each.count > 1)).toEqual([]);
  const unanswered = effects.filter(each => !each.acknowledged);
  expect(sent.length).toBe(plan.writes);
  expect(unanswered.length).toBeGreaterThan(0);
  expect(unanswered.length).toBeLessThanOrEqual(plan.kills * plan.connections);
  expect(new Set(sent.map(each => each.name.split(' ')[0])).size).toBeGreaterThanOrEqual(10);
});
