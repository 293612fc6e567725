import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { tokens } from '../../support/service.ts';
import { startProcess, token } from '../durability/process.ts';
import { check } from './check.ts';
import { overHttp } from './over-http.ts';
import { requests } from './requests.ts';

const few = 1500;
/** The heap that the process gets, in MiB: objects that pile up would end it, while without a limit Node keeps what it took. */
const heap = 160;
/** How much more memory it may hold in all after four times as many requests, in MiB: what its largest answers once took. */
const most = 160;

/** Memory of a process, in MiB. */
function memoryOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}

test.skipIf(!existsSync('/proc/self/status'))(
  'a process holds no more memory after four times as many hostile requests',
  async () => {
    await using stack = new AsyncDisposableStack();
    const fresh = stack.use(await makeDatabase('no tables'));
    const starting = startProcess(fresh.url, 'http://127.0.0.1:9/', [`--max-old-space-size=${heap}`]);
    stack.defer(starting.kill);
    const service = await starting.ready;
    const agent = stack.adopt(new Agent({ keepAlive: true }), each => each.destroy());
    const port = Number(new URL(service.url).port);
    const all = fc.sample(requests, { numRuns: 4 * few, seed: 20_260_919 });
    const measured: number[] = [];
    for (const [index, request] of all.entries()) {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, value.replace(tokens.Admin, token)]),
      );
      check(request, await overHttp(agent, port, { ...request, headers }));
      if ((index + 1) % few === 0) measured.push(memoryOf(service.pid));
    }
    const [first = 0] = measured;
    expect(Math.max(...measured) - first, `MiB after each ${few} requests: ${measured.map(Math.round)}`).toBeLessThan(
      most,
    );
  },
);
