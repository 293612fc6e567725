import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { rpcBase } from '../src/contract/contract.ts';
import { openDatabase } from '../src/db/database.ts';
import { createToken } from '../src/service/call/tokens.ts';
import { withServiceDatabase } from '../src/service/maintenance.ts';
import { createService } from '../src/service/service.ts';
import { openBareTimeline } from './bare-timeline.ts';
import { filesIn, type MakeDatabase } from './databases.ts';
import { startBareHono, startService } from './listening.ts';
import { interleave, type Row, summarise } from './measure.ts';
import { fill } from './one-incident.ts';
import { type RawRequest, runRawLoad } from './raw-load.ts';

/** Connections, each with one request under way. */
const connections = 8;
const perRound = 4000;
const rounds = 11;
/** Unmeasured rounds, in which both get as fast as they will be. */
const warmUp = 4;
/** Notes added in one turn, by how many callers at once, and how many turns each side has. */
const callers = 8;
const fileTurns = { notes: 200, warmUp: 12, rounds: 21 };
/** Behind a line a note takes so long that few turns tell as much. */
const serverTurns = { notes: 100, warmUp: 2, rounds: 5 };

/**
 * `GetIncident` and `QueryActivity` (50 items) over HTTP, each with a stored token and kept connections, of `muster service` on
 * a database over a Hono app that has the same bytes ready: the same incident again and again, which nobody changes meanwhile. And
 * `AddActivity`, called within the process as the bot calls it, by eight callers at once, over the same rows committed by hand note by
 * note; either way a note counts when it is on the disk.
 */
export async function benchService(given?: MakeDatabase): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  const make = given ?? filesIn(folder);
  try {
    return [...(await benchReads(await make('reads'))), await benchAdd(make)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchReads(url: string): Promise<Row[]> {
  const incidentID = await fill(url);
  const { token } = await withServiceDatabase(openDatabase(url), new Date(), db =>
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
    const load = ({ port }: { readonly port: number }) => runRawLoad({ port, connections }, request, perRound);
    const measure = { baseline: () => load(bare), subject: () => load(muster) };
    await interleave(warmUp, measure);
    const pairs = await interleave(rounds, measure);
    rows.push({ name, ...summarise(pairs), limit: 0.65, bound: 'at least', unit: 'per s' });
  }
  return rows;
}

async function benchAdd(make: MakeDatabase): Promise<Row> {
  const urls = { bare: await make('bare'), muster: await make('muster') };
  const incidentID = await fill(urls.bare);
  await fill(urls.muster);
  await using bare = await openBareTimeline(urls.bare);
  await using database = await openDatabase(urls.muster, { namesStatements: true });
  await using service = await createService({ database, log: pino({ level: 'silent' }), clock: () => new Date() });
  const path = `${rpcBase('grafana-irm-app')}/ActivityService.AddActivity`;
  const headers = { 'content-type': 'application/json' };
  const text = (index: number) => `Rolled back to release ${index}, and errors are falling again in all regions`;
  const body = (index: number) =>
    JSON.stringify({ incidentID, activityKind: 'userNote', body: text(index), eventTime: '' });
  const turns = urls.muster.startsWith('sqlite:') ? fileTurns : serverTurns;
  const measure = {
    baseline: () =>
      perSecond(1, turns.notes, index =>
        bare.add(Number(incidentID), 'grafana-incident:user-0123456789abcdef01234567', text(index)),
      ),
    subject: () =>
      perSecond(callers, turns.notes, async index => {
        const answer = await service.handle({ method: 'POST', path, headers, body: body(index) });
        if (answer.status !== 200) throw new Error(`AddActivity answered ${answer.status}: ${answer.body}`);
      }),
  };
  await interleave(turns.warmUp, measure);
  const pairs = await interleave(turns.rounds, measure);
  return { name: 'service-add', ...summarise(pairs), limit: 1.5, bound: 'at least', unit: 'per s' };
}

/** Notes added per second by so many callers, each of whom waits for one to be stored before the next. */
async function perSecond(callers: number, notes: number, add: (index: number) => Promise<void>): Promise<number> {
  const indexes = Array.from({ length: notes }, (_, index) => index).values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (const index of indexes) await add(index);
    }),
  );
  return notes / ((performance.now() - began) / 1000);
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
