import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Deps } from '../../src/bot/dispatch/deps.ts';
import { addNote, type Note, writeNote } from '../../src/bot/incident/notes.ts';
import { mostTrying } from '../../src/bot/journal/gate.ts';
import { createJournal, type Journal } from '../../src/bot/journal/journal.ts';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import { createClient } from '../../src/client/client.ts';
import { openHttpTransport, type Transport } from '../../src/client/transport.ts';
import type { Api } from '../../src/contract/contract.ts';
import { RpcError } from '../../src/contract/errors.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openFakeSlack } from '../../src/fake-slack/fake-slack.ts';
import { createToken } from '../../src/service/call/tokens.ts';
import { withServiceDatabase } from '../../src/service/maintenance.ts';
import { createService } from '../../src/service/service.ts';
import { load, openPool } from './ack.ts';
import { signedHelp, startMuster } from './contender.ts';
import { startService } from './listening.ts';
import { interleave, type Pair, type Row, summarise } from './measure.ts';

const incidents = 100;
const backlog = 10_000;
const notes = 200;
const submitRounds = 21;
/**
 * As long as a write-ahead log grows, a commit takes the disk half as long again: what is measured begins when both have the size at
 * which they are copied back and written from their beginning again, as in any process that has run for a while (3,500 notes).
 */
const submitWarmUp = 18;
const drains = 9;
const drainWarmUp = 1;
const ackRequests = 1000;
const ackRounds = 15;
const ackWarmUp = 4;

/**
 * What the journal costs: a note submitted over the bare call that writes it, one after the other; a backlog of 10,000 notes of
 * 100 incidents worked off over the same calls made directly, as many at a time and in order for each incident; and the
 * acknowledgement of a command by a process with such a backlog, whose API is away, over one with none. The API is a `muster
 * service` of its own, on SQLite: one within the process cannot be away, and so nothing queues for it. A note submitted to that
 * one costs two commits to the same disk in place of one.
 */
export async function benchJournal(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  try {
    return [
      { name: 'journal-submit', limit: 2, ...(await withDesk(openApart(join(folder, 'submit')), benchSubmit)) },
      { name: 'journal-drain', limit: 0.7, ...(await withDesk(openApart(join(folder, 'drain')), benchDrain)) },
      {
        name: 'journal-submit-embedded',
        limit: 2.5,
        ...(await withDesk(openEmbedded(join(folder, 'embedded.db')), benchSubmit)),
      },
      await benchAckUnderBacklog(folder),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withDesk<T>(opening: Promise<BenchDesk>, measure: (desk: BenchDesk) => Promise<T>): Promise<T> {
  await using desk = await opening;
  return await measure(desk);
}

/** A journal on a database of its own, whose API answers as `transport` does; `state.isAway` takes the API away. */
async function openDesk(database: Database, transport: Transport, token?: string): Promise<BenchDesk> {
  const log = pino({ level: 'silent' });
  const clock = () => new Date();
  await migrate(database, 'bot', botMigrations, clock());
  const state = { isAway: false };
  // Not worth another attempt, so that a backlog is soon there.
  const gone = () => Promise.reject(new RpcError('unavailable', 'away', { maybeApplied: false, retryable: false }));
  const api: Api = createClient({
    transport: request => (state.isAway ? gone() : transport(request)),
    token,
    breaker: { coolDown: 1 },
  });
  const journal = createJournal({
    database,
    api,
    intents: [addNote],
    deps: () => ({}) as Deps,
    budget: 10_000,
    clock,
    log,
  });
  journal.onEnd(async () => {});
  return { api, journal, state, [Symbol.asyncDispose]: () => journal.stop(0) };
}

/** In one process with the service that it embeds, on one database. */
async function openEmbedded(file: string): Promise<BenchDesk> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(`sqlite:${file}`));
  const service = stack.use(await createService({ database, log: pino({ level: 'silent' }), clock: () => new Date() }));
  const desk = stack.use(await openDesk(database, request => service.handle(request)));
  const all = stack.move();
  return { ...desk, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** With an API that can go away, since it is a process of its own. */
async function openApart(folder: string): Promise<BenchDesk> {
  await using stack = new AsyncDisposableStack();
  await mkdir(folder);
  const url = `sqlite:${join(folder, 'api.db')}`;
  const { token } = await withServiceDatabase(url, new Date(), db =>
    createToken(db, { name: 'bench', role: 'Editor' }, new Date()),
  );
  const { port } = stack.use(await startService(url));
  const transport = stack.use(openHttpTransport({ baseUrl: `http://127.0.0.1:${port}`, connections: mostTrying }));
  const database = stack.use(await openDatabase(`sqlite:${join(folder, 'bot.db')}`));
  const desk = stack.use(await openDesk(database, transport, token));
  const all = stack.move();
  return { ...desk, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

interface BenchDesk extends AsyncDisposable {
  readonly api: Api;
  readonly journal: Journal;
  readonly state: { isAway: boolean };
}

function toNote(incidentID: string, index: number): Note {
  const text = `Rolled back to release ${index}, and errors are falling again in all regions`;
  return {
    incidentID,
    text,
    eventTime: '',
    saidBy: '',
    addedBy: 'ada',
    addedByUser: 'U1',
    permalink: '',
    source: 'note',
  };
}

/** The call that the note's intent makes. */
async function callFor(api: Api, note: Note): Promise<void> {
  await writeNote({ api, call: { people: {} } }, note);
}

async function submitFor(journal: Journal, note: Note, key: string): Promise<string> {
  const outcome = await journal.submit(addNote, {
    key,
    renew: false,
    payload: note,
    people: {},
    teamId: 'T1',
    userId: 'U1',
    channelId: 'C1',
    threadTs: '',
    incidentID: note.incidentID,
  });
  // Whoever submits closes what ended, once it was answered for.
  void journal.close([outcome.id]);
  return outcome.state;
}

async function declare(api: Api, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { incident } = await api.IncidentsService.CreateIncident({
      title: `Incident ${index}`,
      severity: 'minor',
      roomPrefix: 'inc',
      status: 'active',
    });
    ids.push(incident.incidentID);
  }
  return ids;
}

async function benchSubmit({ api, journal }: BenchDesk): Promise<Omit<Row, 'name' | 'limit'>> {
  const [incidentID = ''] = await declare(api, 1);
  let serial = 0;
  const perNote = async (work: (note: Note, key: string) => Promise<unknown>) => {
    const began = performance.now();
    for (let index = 0; index < notes; index += 1) {
      serial += 1;
      await work(toNote(incidentID, serial), `bench/${serial}`);
    }
    return ((performance.now() - began) / notes) * 1000;
  };
  const measure = {
    baseline: () => perNote(note => callFor(api, note)),
    subject: () =>
      perNote(async (note, key) => {
        const state = await submitFor(journal, note, key);
        if (state !== 'done') throw new Error(`A note is ${state}.`);
      }),
  };
  await interleave(submitWarmUp, measure);
  const pairs = await interleave(submitRounds, measure);
  return { ...summarise(pairs), bound: 'at most', unit: 'µs' };
}

/** Stores a backlog: the first of each incident is tried in vain, and the others queue behind it. */
async function fillBacklog(desk: BenchDesk, ids: readonly string[], round: number): Promise<void> {
  desk.state.isAway = true;
  for (let index = 0; index < backlog; index += 1) {
    const incidentID = ids[index % ids.length] ?? '';
    await submitFor(desk.journal, toNote(incidentID, index), `drain/${round}/${index}`);
  }
  desk.state.isAway = false;
}

async function benchDrain(desk: BenchDesk): Promise<Omit<Row, 'name' | 'limit'>> {
  const ids = await declare(desk.api, incidents);
  const pairs: Pair[] = [];
  for (let round = 0; round < drainWarmUp + drains; round += 1) {
    await fillBacklog(desk, ids, round);
    const began = performance.now();
    await desk.journal.wake();
    await desk.journal.idle();
    const subject = backlog / ((performance.now() - began) / 1000);
    const left = (await desk.journal.countByState()).filter(each => each.state !== 'done');
    if (left.length > 0) throw new Error(`Something is left of the backlog: ${JSON.stringify(left)}`);
    pairs.push({ baseline: await directly(desk.api, ids), subject });
  }
  return { ...summarise(pairs.slice(drainWarmUp)), bound: 'at least', unit: 'per s' };
}

/** The same notes by the same calls, each incident's in order. */
async function directly(api: Api, ids: readonly string[]): Promise<number> {
  const queue = ids.values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: mostTrying }, async () => {
      for (const incidentID of queue) {
        for (let index = 0; index < backlog / incidents; index += 1) await callFor(api, toNote(incidentID, index));
      }
    }),
  );
  return backlog / ((performance.now() - began) / 1000);
}

async function benchAckUnderBacklog(folder: string): Promise<Row> {
  const full = join(folder, 'full.db');
  {
    await using desk = await openEmbedded(full);
    await fillBacklog(desk, await declare(desk.api, incidents), 0);
    desk.state.isAway = true;
  }
  await using slack = await openFakeSlack();
  // Nothing listens there.
  const away = { GRAFANA_URL: 'http://127.0.0.1:9', GRAFANA_TOKEN: 'glsa_nobody' };
  const start = (file: string) => startMuster(slack, folder, { ...away, DATABASE_URL: `sqlite:${file}` });
  await using idle = await start(join(folder, 'idle.db'));
  await using busy = await start(full);
  await using idlePool = openPool(idle.origin);
  await using busyPool = openPool(busy.origin);
  const sign = () => Array.from({ length: ackRequests }, () => signedHelp(slack));
  const perRequest = async (pool: typeof idlePool) => 1000 / (await load(pool.pool, sign())).throughput;
  const measure = { baseline: () => perRequest(idlePool), subject: () => perRequest(busyPool) };
  await interleave(ackWarmUp, measure);
  const pairs = await interleave(ackRounds, measure);
  return { name: 'journal-ack', ...summarise(pairs), limit: 1.2, bound: 'at most', unit: 'ms' };
}
