import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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
import { openJournalAdmin } from '../../src/bot/journal/admin.ts';
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
import { filesIn, type MakeDatabase } from './databases.ts';
import { interleave, median, type Pair, type Row, summarise } from './measure.ts';
import { apiToken, openSlowApi } from './slow-api.ts';
import { openSlowSlack } from './slow-slack.ts';

const incidents = 100;
const backlog = 1000;
/** How long the API takes over a call, in milliseconds. */
const apiTime = 20;
const drains = 9;
const drainWarmUp = 2;
/** A command that is stored before it is acknowledged, and answered without the API. */
const noWords = { command: '/note', text: 'add --incident 1' };
const drainedRounds = 3;
/** Commands typed in a second, while a backlog is worked off. */
const typedEvery = 25;
const ackRequests = 100;
const ackRounds = 15;
const ackWarmUp = 4;

/**
 * What a backlog costs: 1,000 queued notes of 100 incidents worked off by the journal, over the same calls made directly, as many
 * at a time and in order for each incident, to an API that takes 20 ms; and the acknowledgement of a command by a process with such a
 * backlog, whose API is away, over one with none.
 */
export async function benchJournal(given?: MakeDatabase): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  const make = given ?? filesIn(folder);
  try {
    return [await benchAck(folder, make), ...(await benchDraining(folder, make)), ...(await benchDrain(make))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A journal on a database of its own. While `state.isAway`, its API is away. */
interface Desk extends AsyncDisposable {
  readonly journal: IntentJournal;
  readonly state: { isAway: boolean };
}

async function openDesk(url: string, transport: Transport): Promise<Desk> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(url, { namesStatements: true }));
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

async function benchDrain(make: MakeDatabase): Promise<Row[]> {
  const server = fork(new URL('./slow-api.ts', import.meta.url), [String(apiTime)]);
  try {
    const [baseUrl] = (await once(server, 'message')) as [string];
    await using transport = openHttpTransport({ baseUrl, connections: maxConcurrentLanes });
    await using desk = await openDesk(await make('drain'), transport);
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
  const isLeft = async () => (await journal.countByState()).some(each => each.state !== 'done');
  do {
    await journal.wake();
    await journal.idle();
    // An attempt that was under way when the API came back waits for its next turn.
  } while (await isLeft());
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
async function benchAck(folder: string, make: MakeDatabase): Promise<Row> {
  const full = await make('full');
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
  const start = (url: string) => startMuster(slack, folder, { ...away, DATABASE_URL: url });
  await using idle = await start(await make('idle'));
  await using busy = await start(full);
  await using toIdle = openConversation(idle, { slack, slowSlack, connections: 1 });
  await using toBusy = openConversation(busy, { slack, slowSlack, connections: 1 });
  const wordless = { ...noWords, userId, channelId };
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

/**
 * The acknowledgement of a command by a process that works a backlog off, over the same process once it is done; and how many commands
 * were acknowledged before they were stored, which must be none.
 */
async function benchDraining(folder: string, make: MakeDatabase): Promise<Row[]> {
  await using slack = await openFakeSlack();
  await using slowSlack = await openSlowSlack(slack, 0);
  await using api = await openSlowApi(apiTime);
  const userId = slack.addPerson({ name: 'ada' }).id;
  const channelId = slack.addChannel({ name: 'ops', botIsMember: true }).id;
  const url = await make('draining');
  const pairs: Pair[] = [];
  let unstored = 0;
  let typed = 0;
  for (let round = 0; round < drainedRounds; round += 1) {
    {
      await using desk = await openDesk(url, () => Promise.reject(new Error('the API stays away')));
      await fillBacklog(desk, round);
    }
    const settings = { GRAFANA_URL: api.url, GRAFANA_TOKEN: apiToken, DATABASE_URL: url };
    await using muster = await startMuster(slack, folder, { ...settings, RECEIPTS: 'quiet' });
    await using conversation = openConversation(muster, { slack, slowSlack, connections: 1 });
    await using database = await openDatabase(url);
    const journal = openJournalAdmin(database, () => new Date());
    const isDraining = async () =>
      (await journal.countByState()).some(each => ['pending', 'running'].includes(each.state));
    const acknowledged = async (goesOn: () => Promise<boolean>) => {
      const waits: number[] = [];
      while (await goesOn()) {
        waits.push((await conversation.type({ ...noWords, userId, channelId })).acknowledged);
        typed += 1;
        await pause(typedEvery);
      }
      return waits;
    };
    const busy = await acknowledged(isDraining);
    let left = ackRequests;
    const idle = await acknowledged(async () => left-- > 0);
    pairs.push({ baseline: median(idle), subject: median(busy) });
    unstored += await readUnstored(muster.origin);
  }
  return [
    { name: 'journal-ack-draining', ...summarise(pairs), limit: 1.5, bound: 'at most', unit: 'ms' },
    {
      name: 'journal-unstored',
      ratio: unstored / typed,
      limit: 0,
      bound: 'at most',
      baseline: typed,
      subject: unstored,
      unit: '',
    },
  ];
}

/** How many deliveries a process acknowledged before it stored them, as its metrics say. */
async function readUnstored(origin: string): Promise<number> {
  const page = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^muster_deliveries_unstored_total (\d+)/m.exec(page)?.[1] ?? Number.NaN);
}
