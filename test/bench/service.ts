import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type ApiClient, createClient } from '../../src/client/client.ts';
import { rpcBase } from '../../src/contract/contract.ts';
import { openDatabase } from '../../src/db/database.ts';
import { runErrand } from '../../src/service/errand.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { createToken } from '../../src/service/tokens.ts';
import { openBareTimeline } from './bare-sqlite.ts';
import { interleave, type Row, summarise } from './measure.ts';
import { openRawLoad, type RawRequest } from './raw-load.ts';

/** Connections that are kept open, each with one request under way. */
const connections = 8;
const perRound = 1000;
const rounds = 15;
/** Unmeasured rounds, in which both get as fast as they will be. */
const warmUp = 5;
const items = 200;
/** Notes added in one turn, one after another, and how many turns each side has. */
const notes = 100;
const noteRounds = 21;

/**
 * `GetIncident` and `QueryActivity` (50 items) over HTTP, each with a stored token and kept connections, of `muster service` on
 * SQLite over a Hono app that has the same bytes ready; and `AddActivity`, called within the process as the bot calls it, one
 * after another, over what SQLite takes to commit the same rows.
 */
export async function benchService(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  try {
    return [...(await benchReads(join(folder, 'reads.db'))), await benchAdd(folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchReads(file: string): Promise<Row[]> {
  const url = `sqlite:${file}`;
  const incidentID = await fill(url);
  const { token } = await runErrand(url, new Date(), db =>
    createToken(db, { name: 'bench', role: 'Viewer' }, new Date()),
  );
  const get = toRequest('IncidentsService.GetIncident', token, { incidentID });
  const query = toRequest('ActivityService.QueryActivity', token, { query: { incidentID, limit: 50 } });
  await using muster = await startService(url);
  const answers = { [get.path]: await ask(muster.port, get), [query.path]: await ask(muster.port, query) };
  await using bare = await startBareHono(answers);
  const rows: Row[] = [];
  for (const [name, request] of [
    ['service-get', get],
    ['service-query', query],
  ] as const) {
    if ((await ask(bare.port, request)) !== answers[request.path]) throw new Error('The two do not answer the same.');
    using baseLoad = await openRawLoad(bare.port, connections);
    using load = await openRawLoad(muster.port, connections);
    const measure = { baseline: () => baseLoad.run(request, perRound), subject: () => load.run(request, perRound) };
    await interleave(warmUp, measure);
    const pairs = await interleave(rounds, measure);
    rows.push({ name, ...summarise(pairs), limit: 0.5, bound: 'at least', unit: 'per s' });
  }
  return rows;
}

async function benchAdd(folder: string): Promise<Row> {
  const files = { bare: join(folder, 'bare.db'), muster: join(folder, 'muster.db') };
  const incidentID = await fill(`sqlite:${files.bare}`);
  await fill(`sqlite:${files.muster}`);
  using bare = openBareTimeline(files.bare);
  await using database = await openDatabase(`sqlite:${files.muster}`);
  await using service = await createService({ database, log: pino({ level: 'silent' }), clock: () => new Date() });
  const path = `${rpcBase('grafana-irm-app')}/ActivityService.AddActivity`;
  const headers = { 'content-type': 'application/json' };
  const text = (index: number) => `Rolled back to release ${index}, and errors are falling again in all regions`;
  const body = (index: number) =>
    JSON.stringify({ incidentID, activityKind: 'userNote', body: text(index), eventTime: '' });
  const measure = {
    baseline: () =>
      perSecond(async index =>
        bare.add(Number(incidentID), 'grafana-incident:user-0123456789abcdef01234567', text(index)),
      ),
    subject: () =>
      perSecond(async index => {
        const answer = await service.handle({ method: 'POST', path, headers, body: body(index) });
        if (answer.status !== 200) throw new Error(`AddActivity answered ${answer.status}: ${answer.body}`);
      }),
  };
  await interleave(warmUp, measure);
  const pairs = await interleave(noteRounds, measure);
  return { name: 'service-add', ...summarise(pairs), limit: 0.6, bound: 'at least', unit: 'per s' };
}

async function perSecond(add: (index: number) => Promise<void>): Promise<number> {
  const began = performance.now();
  for (let index = 0; index < notes; index += 1) await add(index);
  return notes / ((performance.now() - began) / 1000);
}

/** An incident that is over, so that every reading of it is the same, with two people, two tasks, a label and a timeline. */
async function fill(url: string): Promise<string> {
  await using database = await openDatabase(url);
  const log = pino({ level: 'silent' });
  await using service: Service = await createService({ database, log, clock: () => new Date() });
  const api = createClient({ transport: service.handle });
  const people = {
    actor: { userID: 'slack:T1/U1', name: 'Grace Hopper', photoURL: 'https://www.gravatar.com/avatar/0bc83cb5' },
    others: [{ userID: 'slack:T1/U2', name: 'Ada Lovelace', photoURL: 'https://www.gravatar.com/avatar/71cd1c50' }],
  };
  const { incident } = await api.IncidentsService.CreateIncident(
    {
      title: 'Checkout answers with errors for one request in ten',
      severity: 'major',
      labels: [{ label: 'checkout', description: 'The shop', colorHex: '#ff7f50' }],
      roomPrefix: 'inc',
      status: 'active',
    },
    { people },
  );
  const { incidentID } = incident;
  await assign(api, incidentID);
  for (const text of ['Roll back the release', 'Tell support']) {
    await api.TasksService.AddTask({ incidentID, text, assignToUserID: 'slack:T1/U2' }, { people });
  }
  for (let index = 0; index < items; index += 1) {
    const body = `Errors are at ${index} per minute; the release before does not have them`;
    await api.ActivityService.AddActivity({ incidentID, activityKind: 'userNote', body, eventTime: '' }, { people });
  }
  await api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' }, { people });
  return incidentID;
}

async function assign(api: ApiClient, incidentID: string): Promise<void> {
  await api.IncidentsService.AssignRole({ incidentID, userID: 'slack:T1/U1', role: 'commander' });
  await api.IncidentsService.AssignRole({ incidentID, userID: 'slack:T1/U2', role: 'investigator' });
}

function toRequest(operation: string, token: string, input: object): RawRequest {
  return {
    path: `${rpcBase('grafana-irm-app')}/${operation}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(input),
  };
}

async function ask(port: number, { path, headers, body }: RawRequest): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return await response.text();
}

interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** `muster service`, as people start it. */
async function startService(url: string): Promise<Listening> {
  const args = ['service', '--port', '0', '--database', url];
  const child = fork(new URL('../../src/main.ts', import.meta.url), args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: process.env.BENCH_NODE_ARGS?.split(' ') ?? [],
  });
  let printed = '';
  for await (const chunk of child.stdout ?? []) {
    printed += chunk;
    const port = /:(\d+)\n/.exec(printed)?.[1];
    if (port !== undefined) return toListening(child, Number(port));
  }
  throw new Error(`muster service did not start: ${printed}`);
}

async function startBareHono(answers: Readonly<Record<string, string>>): Promise<Listening> {
  const child = fork(new URL('./bare-hono.ts', import.meta.url));
  child.send(answers);
  const [port] = (await once(child, 'message')) as [number];
  return toListening(child, port);
}

function toListening(child: ChildProcess, port: number): Listening {
  return {
    port,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
