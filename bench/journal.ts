import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openFakeSlack } from '../playground/fake-slack/fake-slack.ts';
import { writeNote } from '../src/bot/incident/notes/notes.ts';
import { openJournalAdmin } from '../src/bot/journal/admin.ts';
import { maxConcurrentLanes } from '../src/bot/journal/worker.ts';
import { createClient } from '../src/client/client.ts';
import { openHttpTransport } from '../src/client/transport.ts';
import type { Api } from '../src/contract/contract.ts';
import { openDatabase } from '../src/db/database.ts';
import { deadlines } from '../src/deadlines.ts';
import { startMuster } from '../test/support/acknowledging-process.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { filesIn, type MakeDatabase } from './databases.ts';
import { apiTime, backlog, drain, fillBacklog, incidents, openDesk, toNote } from './desk.ts';
import { interleave, median, type Pair, type Row, summarise } from './measure.ts';
import { apiToken, openSlowApi } from './slow-api.ts';
import { openSlowSlack } from './slow-slack.ts';

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
      { name: 'journal-drain', ...summarise(speed), limit: 0.85, bound: 'at least', unit: 'per s' },
      { name: 'journal-drain-cpu', ...summarise(cpu), limit: 2.5, bound: 'at most', unit: 'ms CPU' },
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
    await using muster = await startMuster(slack, folder, settings);
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
