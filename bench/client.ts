import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool, request } from 'undici';
import { createClient } from '../src/client/client.ts';
import { openHttpTransport } from '../src/client/transport.ts';
import { rpcBase } from '../src/contract/contract.ts';
import { deadlines } from '../src/deadlines.ts';
import { interleave, type Row, summarise } from './measure.ts';

const concurrency = 8;
const connections = 8;
const batch = 800;
const rounds = 41;
const warmUp = 8;

/**
 * CPU of GetIncident through the client (input and 2.7 kB answer checked against the contract, timeout, retry, breaker) over
 * that of a bare `undici.request` with `JSON.parse`: same server, same headers and body, alternating batches in one process,
 * the median of the ratios of neighbouring batches.
 */
export async function benchClient(): Promise<Row[]> {
  const server = fork(new URL('./fixed-server.ts', import.meta.url));
  try {
    const [port] = (await once(server, 'message')) as [number];
    const baseUrl = `http://127.0.0.1:${port}`;
    await using transport = openHttpTransport({ baseUrl, connections });
    const client = createClient({ ...deadlines.api, transport, token: 'glsa_bench' });
    const dispatcher = new Pool(baseUrl, { connections });
    const url = `${baseUrl}${rpcBase('grafana-irm-app')}/IncidentsService.GetIncident`;
    const headers = {
      accept: 'application/json',
      'user-agent': 'muster',
      authorization: 'Bearer glsa_bench',
      'content-type': 'application/json; charset=utf-8',
    };
    const bare = async () => {
      const input = JSON.stringify({ incidentID: '42' });
      const response = await request(url, { dispatcher, method: 'POST', headers, body: input });
      return JSON.parse(await response.body.text()) as unknown;
    };
    const ours = () => client.IncidentsService.GetIncident({ incidentID: '42' });

    const measure = { baseline: () => cpuPerCall(bare), subject: () => cpuPerCall(ours) };
    await interleave(warmUp, measure);
    const pairs = await interleave(rounds, measure);
    await dispatcher.close();
    return [{ name: 'client', ...summarise(pairs), limit: 1.3, bound: 'at most', unit: 'µs CPU' }];
  } finally {
    server.kill();
  }
}

async function cpuPerCall(call: () => Promise<unknown>): Promise<number> {
  let left = batch;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await call();
    }),
  );
  const used = process.cpuUsage(before);
  return (used.user + used.system) / batch;
}
