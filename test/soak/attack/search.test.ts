import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { rpcBase } from '../../../src/contract/contract.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { serveService } from '../../../src/service/http/server.ts';
import { createService } from '../../../src/service/service.ts';
import { execute } from '../../support/databases/execute.ts';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { call } from '../../support/service.ts';
import { heldUp } from '../hostile/held-up.ts';

const token = 'glsa_of_the_attacked_service';
const names = (prefix: string) => Array.from({ length: 14 }, (_, index) => `${prefix}${index}`);
const roles = names('role-');
const people = names('slack:U').map((userID, index) => ({ userID, name: `p${index}`, email: `p${index}@example.com` }));

/** A service on Postgres over HTTP, with open pages and an incident in which everybody has every role. */
async function openTarget() {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const postgres = stack.use(await startPostgres());
  const url = postgres.url('postgres');
  const database = stack.use(await openDatabase(url));
  const log = pino({ level: 'silent' });
  const clock = () => new Date();
  const tokens = [{ token, role: 'Editor' }] as const;
  const service = stack.use(await createService({ database, log, clock, tokens, options: { pages: 'open' } }));
  const target = { service };
  await call(target, 'IncidentsService.CreateIncident', { title: 'bystander' });
  await call(target, 'IncidentsService.CreateIncident', { title: 'all at once' });
  for (const name of roles) await call(target, 'RolesService.CreateRole', { role: { name } });
  for (const role of roles) {
    for (const actor of people) {
      const input = { incidentID: '2', userID: actor.userID, role };
      await call(target, 'IncidentsService.AssignRole', input, { people: { actor } });
    }
  }
  const server = stack.use(await serveService({ service, port: 0, log }));
  const running = async () =>
    (
      await execute(
        url,
        `select pid from pg_stat_activity where application_name = 'muster' and state = 'active' and query like '%assignment%'`,
      )
    ).length;
  return { root: `http://127.0.0.1:${server.port}`, running };
}

const queries = [
  `${'role:a '.repeat(14)}${'user.email:b '.repeat(14)}`,
  [...roles.map(each => `role:${each}`), ...people.map(each => `user.email:${each.email}`)].join(' '),
  [...names('role:x'), ...names('user.email:y')].join(' '),
];

/** Asks for all queries at once, each four times: as a page without a token, and as a call. */
async function attack(root: string, signal: AbortSignal): Promise<(readonly [number, string])[]> {
  // A page finds people by their names. It takes no addresses from those whom it does not know.
  const page = (query: string) => {
    const q = query.replaceAll('user.email:', 'person:').replaceAll('@example.com', '');
    return fetch(`${root}/incidents?${new URLSearchParams({ q })}`, { signal });
  };
  const rpc = (queryString: string) =>
    fetch(`${root}${rpcBase('grafana-irm-app')}/IncidentsService.QueryIncidentPreviews`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: { queryString, limit: 1 } }),
      signal,
    });
  const answers = await Promise.all(queries.flatMap(query => [page(query), page(query), rpc(query), rpc(query)]));
  return await Promise.all(answers.map(async each => [each.status, await each.text()] as const));
}

/** Reads and changes an incident until `isOver`; gives how long each answer took in milliseconds, and what was not answered with 200. */
async function standBy(root: string, isOver: () => boolean) {
  const waits: number[] = [];
  const refused: string[] = [];
  const ask = async (operation: string, input: object) => {
    const begun = performance.now();
    const answer = await fetch(`${root}${rpcBase('grafana-irm-app')}/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ incidentID: '1', ...input }),
    });
    const text = await answer.text();
    waits.push(performance.now() - begun);
    if (answer.status !== 200) refused.push(text);
  };
  for (let turn = 0; !isOver(); turn += 1) {
    await ask('IncidentsService.GetIncident', {});
    await ask('IncidentsService.UpdateStatus', { status: turn % 2 ? 'active' : 'resolved' });
  }
  return { waits, refused };
}

test('searches for fourteen roles with fourteen people, twelve at once, hold nobody up and end with their callers', async () => {
  const { root, running } = await openTarget();
  let isOver = false;
  const bystander = standBy(root, () => isOver);
  const never = new AbortController().signal;
  for (let round = 0; round < 10; round += 1) {
    const answers = await attack(root, never);
    expect(answers.map(([status]) => status)).toEqual(answers.map(() => 200));
    expect(answers.slice(4, 8).every(([, text]) => text.includes('all at once'))).toBe(true);
    expect(answers.slice(0, 4).some(([, text]) => text.includes('all at once'))).toBe(false);
  }
  const leaving = new AbortController();
  const left = attack(root, leaving.signal);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(running).toBe(0);
  isOver = true;
  const { waits, refused } = await bystander;
  expect(refused).toEqual([]);
  expect(heldUp(waits)).toEqual([]);
});
