import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { LateReceipts } from '../../src/bot/dispatch/answers/late-receipts.ts';
import type { Deps } from '../../src/bot/dispatch/feature/deps.ts';
import { openIntentJournal } from '../../src/bot/dispatch/open-journal.ts';
import { findOpen } from '../../src/bot/inbox/delivery-store.ts';
import type { IntentJournal } from '../../src/bot/incident/acts/intent-kind.ts';
import { watchRecovery } from '../../src/bot/incident/api/calls.ts';
import type { Cards } from '../../src/bot/incident/board/loop.ts';
import { addNote } from '../../src/bot/incident/notes/intents.ts';
import { type Note, writeNote } from '../../src/bot/incident/notes/notes.ts';
import { maxConcurrentLanes } from '../../src/bot/journal/worker.ts';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import { createClient } from '../../src/client/client.ts';
import { openHttpTransport, type Transport } from '../../src/client/transport.ts';
import type { Api } from '../../src/contract/contract.ts';
import { RpcError } from '../../src/contract/errors.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { deadlines } from '../../src/deadlines.ts';
import { openFakeSlack } from '../../src/fake-slack/fake-slack.ts';
import { startMuster } from './contender.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { interleave, median, type Pair, type Row, summarise } from './measure.ts';
import { apiToken } from './slow-api.ts';
import { openSlowSlack } from './slow-slack.ts';

const incidents = 100;
const backlog = 1000;
/** How long the API takes over a call, in milliseconds. */
const apiTime = 20;
const drains = 9;
const drainWarmUp = 2;
const ackRequests = 100;
const ackRounds = 15;
const ackWarmUp = 4;

/**
 * What a backlog costs: 1,000 queued notes of 100 incidents worked off by the journal, over the same calls made directly, as many
 * at a time and in order for each incident, to an API that takes 20 ms; and the acknowledgement of a command by a process with such a
 * backlog, whose API is away, over one with none.
 */
export async function benchJournal(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  try {
    return [await benchAck(folder), ...(await benchDrain(folder))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A journal on a database of its own. While `state.isAway`, its API is away. */
interface Desk extends AsyncDisposable {
  readonly journal: IntentJournal;
  readonly state: { isAway: boolean };
}

async function openDesk(file: string, transport: Transport): Promise<Desk> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(`sqlite:${file}`));
  const clock = () => new Date();
  await migrate(database, 'bot', botMigrations, clock());
  const state = { isAway: false };
  const away = () => Promise.reject(new RpcError('unavailable', 'away', { maybeApplied: false, retryable: false }));
  const client = createClient({
    ...deadlines.api,
    transport: request => (state.isAway ? away() : transport(request)),
    token: apiToken,
    // The first call after an outage is made at once.
    breaker: { coolDown: 1 },
  });
  const api = watchRecovery(client, () => void journal.wake());
  const journal: IntentJournal = await openIntentJournal({
    ...{ database, api, clock, isAlone: true, kinds: [addNote], openCallers: findOpen, budget: 10_000 },
    log: pino({ level: 'silent' }),
    // People are told and cards are rendered beside the journal's work, at the rate that Slack allows.
    cards: { refresh: () => {}, catchUp: async () => {} } as Partial<Cards> as Cards,
    receipts: () => ({ tell: async () => {} }) as Partial<LateReceipts> as LateReceipts,
    deps: () => ({}) as Deps,
  });
  stack.defer(() => journal.stop(0));
  const all = stack.move();
  return { journal, state, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function toNote(incident: number, index: number): Note {
  const text = `Rolled back to release ${index}, and errors are falling again in all regions`;
  return {
    incidentID: String(incident),
    text,
    eventTime: new Date().toISOString(),
    saidBy: '',
    addedBy: 'ada',
    addedByUser: 'U1',
    permalink: '',
    source: 'note',
  };
}

/** Queues the backlog while the API is away: the first note of each incident is tried in vain, the others wait behind it. */
async function fillBacklog({ journal, state }: Desk, round: number): Promise<void> {
  state.isAway = true;
  const each = Array.from({ length: incidents }, (_, index) => index + 1);
  const where = { teamId: 'T1', userId: 'U1', channelId: 'C1', threadTs: '' };
  await Promise.all(
    each.map(async incident => {
      for (let index = 0; index < backlog / incidents; index += 1) {
        const key = `${round}/${incident}/${index}`;
        const payload = toNote(incident, index);
        const told = { owner: 'T1/U1', origin: { people: {}, ...where }, caller: `delivery/${key}` };
        const outcome = await journal.submit(addNote, {
          ...{ key, renews: false, payload, subject: payload.incidentID },
          ...told,
        });
        if (outcome.state !== 'queued') throw new Error(`A note is ${outcome.state} while the API is away.`);
      }
    }),
  );
  await journal.idle();
}

async function benchDrain(folder: string): Promise<Row[]> {
  const server = fork(new URL('./slow-api.ts', import.meta.url), [String(apiTime)]);
  try {
    const [baseUrl] = (await once(server, 'message')) as [string];
    await using transport = openHttpTransport({ baseUrl, connections: maxConcurrentLanes });
    await using desk = await openDesk(join(folder, 'drain.db'), transport);
    const api = createClient({ ...deadlines.api, transport, token: apiToken });
    let round = 0;
    const measure = {
      baseline: () => time(() => directly(api)),
      subject: async () => {
        round += 1;
        await fillBacklog(desk, round);
        desk.state.isAway = false;
        return await time(() => drain(desk));
      },
    };
    await interleave(drainWarmUp, measure);
    const pairs = await interleave(drains, measure);
    const speed = pairs.map(({ baseline, subject }) => ({ baseline: baseline.perSecond, subject: subject.perSecond }));
    const cpu = pairs.map(({ baseline, subject }) => ({ baseline: baseline.cpu, subject: subject.cpu }));
    return [
      { name: 'journal-drain', ...summarise(speed), limit: 0.8, bound: 'at least', unit: 'per s' },
      { name: 'journal-drain-cpu', ...summarise(cpu), limit: undefined, bound: 'at most', unit: 'ms CPU' },
    ];
  } finally {
    server.kill();
  }
}

/** How quickly a backlog was worked off: notes per second, and CPU time of this process for each note, in milliseconds. */
interface Drained {
  readonly perSecond: number;
  readonly cpu: number;
}

async function time(work: () => Promise<void>): Promise<Drained> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { perSecond: backlog / ((performance.now() - began) / 1000), cpu: (user + system) / 1000 / backlog };
}

/** The API is back. Resolves when every note is written and every outcome told. */
async function drain({ journal }: Desk): Promise<void> {
  await journal.wake();
  await journal.idle();
  const left = (await journal.countByState()).filter(each => each.state !== 'done');
  if (left.length > 0) throw new Error(`Something is left of the backlog: ${JSON.stringify(left)}`);
}

/** The same notes by the same calls, those of each incident in order. */
async function directly(api: Api): Promise<void> {
  const queue = Array.from({ length: incidents }, (_, index) => index + 1).values();
  await Promise.all(
    Array.from({ length: maxConcurrentLanes }, async () => {
      for (const incident of queue) {
        for (let index = 0; index < backlog / incidents; index += 1)
          await writeNote({ api, call: { people: {} } }, toNote(incident, index));
      }
    }),
  );
}

/** A command that is stored before it is acknowledged, and answered without the API: a note without words. */
async function benchAck(folder: string): Promise<Row> {
  const full = join(folder, 'full.db');
  {
    await using desk = await openDesk(full, () => Promise.reject(new Error('the API stays away')));
    await fillBacklog(desk, 0);
  }
  await using slack = await openFakeSlack();
  await using slowSlack = await openSlowSlack(slack, 0);
  const userId = slack.addPerson({ name: 'ada' }).id;
  const channelId = slack.addChannel({ name: 'ops', botIsMember: true }).id;
  // Nothing listens there.
  const away = { GRAFANA_URL: 'http://127.0.0.1:9', GRAFANA_TOKEN: apiToken };
  const start = (file: string) => startMuster(slack, folder, { ...away, DATABASE_URL: `sqlite:${file}` });
  await using idle = await start(join(folder, 'idle.db'));
  await using busy = await start(full);
  await using toIdle = openConversation(idle, { slack, slowSlack, connections: 1 });
  await using toBusy = openConversation(busy, { slack, slowSlack, connections: 1 });
  const wordless = { command: '/note', text: 'add --incident 1', userId, channelId };
  const acknowledged = async (conversation: Conversation) => {
    const waits: number[] = [];
    for (let index = 0; index < ackRequests; index += 1) waits.push((await conversation.type(wordless)).acknowledged);
    return median(waits);
  };
  const measure = { baseline: () => acknowledged(toIdle), subject: () => acknowledged(toBusy) };
  await interleave(ackWarmUp, measure);
  const pairs: Pair[] = await interleave(ackRounds, measure);
  return { name: 'journal-ack', ...summarise(pairs), limit: 1.2, bound: 'at most', unit: 'ms' };
}
