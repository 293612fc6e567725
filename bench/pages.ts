import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createClient } from '../src/client/client.ts';
import { openDatabase } from '../src/db/database.ts';
import { deadlines } from '../src/deadlines.ts';
import { createService } from '../src/service/service.ts';
import type { Tables } from '../src/service/store/tables.ts';
import { startService } from './listening.ts';
import { interleave, median, type Row, summarise } from './measure.ts';
import { residentMemory } from './process-usage.ts';

/** Settings of the service. */
const open = { PAGES: 'open', PUBLIC_URL: 'http://localhost' };
/** The most bytes that a page may be on the wire. */
const mostBytes = 20_000;
/** How long a page may keep the process from everything else, in milliseconds. */
const longestBlock = 20;
/** How long others may wait while twenty people open the longest page, in milliseconds. */
const longestWait = 200;
const sizes = [10, 300, 6000] as const;
const rounds = 15;
const readers = 20;
const waves = 10;
/** Requests after which the memory of a process is compared. */
const visits = 300;
/** The incidents of a large installation, and the pages that look at all of them; the cache of figures knows none of their queries. */
const many = 5000;
const widest = {
  list: '/incidents',
  search: '/incidents?q=worst:critical',
  figures: '/incidents/figures?by=month&q=declared:',
  'figures-worst': '/incidents/figures?by=month&severity=critical&q=declared:',
  csv: '/incidents.csv',
} as const;

/**
 * The pages of `muster service`: the first byte of longer incidents over that of a short one, their size, how long the process is
 * blocked and others wait while twenty read the longest one at once, and the memory that pages take.
 */
export async function benchPages(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  try {
    const url = `sqlite:${join(folder, 'pages.db')}`;
    const paths = await fill(url);
    return [
      ...(await benchFirstByte(url, paths)),
      ...(await benchCrowd(url, paths)),
      ...(await benchMemory(url, paths)),
      ...(await benchMany(url)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Paths = Readonly<Record<(typeof sizes)[number], string>>;

/** An open incident of each size, with a note every ten seconds, and fifty that are over; gives the paths of the open ones. */
async function fill(url: string): Promise<Paths> {
  await using database = await openDatabase(url);
  const began = Date.now() - 20 * 60 * 60_000;
  const time = { now: new Date(began) };
  const log = pino({ level: 'silent' });
  await using service = await createService({ database, log, clock: () => time.now });
  const api = createClient({ ...deadlines.api, transport: service.handle });
  const people = { actor: { userID: 'slack:T1/U1', name: 'Grace Hopper', photoURL: '' } };
  const declare = async (title: string) => {
    const input = { title, severity: 'major', labels: [{ label: 'mail', description: '', colorHex: '' }] };
    const answer = await api.IncidentsService.CreateIncident(
      { ...input, roomPrefix: 'inc', status: 'active' },
      { people },
    );
    return answer.incident.incidentID;
  };
  for (let index = 0; index < 50; index += 1) {
    const incidentID = await declare(`The mailer is slow (${index})`);
    await api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' }, { people });
  }
  const paths: [number, string][] = [];
  for (const size of sizes) {
    time.now = new Date(began);
    const incidentID = await declare(`The queue of the mailer grows (${size})`);
    for (let index = 1; index < size; index += 1) {
      time.now = new Date(began + index * 10_000);
      const body = `The queue holds ${41_000 + index} letters, and the oldest waits since 07:40.`;
      await api.ActivityService.AddActivity({ incidentID, activityKind: 'userNote', body, eventTime: '' }, { people });
    }
    paths.push([size, `/a/grafana-irm-app/incidents/${incidentID}`]);
  }
  return Object.fromEntries(paths) as Paths;
}

async function benchFirstByte(url: string, paths: Paths): Promise<Row[]> {
  await using muster = await startService(url, open);
  const origin = `http://127.0.0.1:${muster.port}`;
  const rows: Row[] = [];
  const all = { ...paths, list: '/incidents', figures: '/incidents/figures', reference: '/reference' };
  for (const [name, path] of Object.entries(all)) {
    const { bytes } = await read(`${origin}${path}`);
    rows.push({
      ...{ name: `pages-size-${name}`, ratio: bytes / mostBytes, limit: 1, bound: 'at most', unit: 'bytes' },
      ...{ baseline: mostBytes, subject: bytes },
    });
  }
  for (const [size, limit] of [
    [300, 2],
    [6000, 3],
  ] as const) {
    const first = async (of: keyof Paths) => (await read(`${origin}${paths[of]}`)).firstByte;
    const measure = { baseline: () => first(10), subject: () => first(size) };
    await interleave(rounds, measure);
    const pairs = await interleave(rounds, measure);
    rows.push({ name: `pages-first-byte-${size}`, ...summarise(pairs), limit, bound: 'at most', unit: 'ms' });
  }
  return rows;
}

/** Reads a page as browsers do: zipped, and whole. */
async function read(address: string): Promise<{ firstByte: number; bytes: number }> {
  const began = performance.now();
  const headers = { 'accept-encoding': 'gzip', accept: 'text/html' };
  const [answer] = (await once(get(address, { headers }), 'response')) as [IncomingMessage];
  const firstByte = performance.now() - began;
  let bytes = 0;
  for await (const chunk of answer) bytes += chunk.length;
  if (answer.statusCode !== 200) throw new Error(`${address} answered ${answer.statusCode}`);
  return { firstByte, bytes };
}

/** Twenty people open the longest page at once, again and again, while somebody else asks for something small. */
async function benchCrowd(url: string, paths: Paths): Promise<Row[]> {
  await using pages = await startPages(url);
  const stillness = () => pages.ask('stillness');
  const visit = async (path: string) => {
    const began = performance.now();
    await pages.read(path);
    return performance.now() - began;
  };
  const crowd = () => Promise.all(Array.from({ length: readers }, () => visit(paths[6000])));
  // The first page loads the code of the pages.
  await crowd();
  const blocked: number[] = [];
  const waits: number[] = [];
  for (let wave = 0; wave < waves; wave += 1) {
    await stillness();
    let isOver = false;
    const reading = crowd().finally(() => {
      isOver = true;
    });
    while (!isOver) waits.push(await visit('/healthz'));
    await reading;
    blocked.push(await stillness());
  }
  return [
    against('pages-block', median(blocked), longestBlock),
    against('pages-others-wait', Math.max(...waits), longestWait),
  ];
}

function against(name: string, subject: number, baseline: number): Row {
  return { name, ratio: subject / baseline, limit: 1, bound: 'at most', baseline, subject, unit: 'ms' };
}

/** How long a page that looks at every incident of a large installation keeps the process from everything else. */
async function benchMany(url: string): Promise<Row[]> {
  await copyIncidents(url);
  await using pages = await startPages(url);
  const rows: Row[] = [];
  for (const [name, path] of Object.entries(widest)) {
    const blocked: number[] = [];
    for (let round = 0; round < waves; round += 1) {
      await pages.ask('stillness');
      await pages.read(path.endsWith(':') ? `${path}${500 + round}d` : path);
      blocked.push(await pages.ask('stillness'));
    }
    // The first visit loads the code of the page.
    rows.push(against(`pages-block-${name}`, median(blocked.slice(1)), longestBlock));
  }
  return rows;
}

/** Copies of an incident that is over, with what belongs to it, one every hour before it. */
async function copyIncidents(url: string): Promise<void> {
  await using database = await openDatabase(url);
  const db = database.as<Tables>();
  const model = await db.selectFrom('incident').selectAll().where('status', '=', 'resolved').executeTakeFirstOrThrow();
  const labels = await db.selectFrom('incident_label').selectAll().where('incident_id', '=', model.id).execute();
  const items = await db.selectFrom('activity').selectAll().where('incident_id', '=', model.id).execute();
  const severities = ['critical', 'major', 'minor'];
  for (let from = 0; from < many; from += 100) {
    const ids = Array.from({ length: 100 }, (_, index) => 10_000 + from + index);
    const back = (id: number, time: number | null) => (time === null ? null : time - (id - 10_000) * 3_600_000_000);
    const incidents = ids.map(id => ({
      ...{ ...model, id, severity: severities[id % 3] ?? '', severity_level: (id % 3) + 1 },
      ...{ created_at: back(id, model.created_at) ?? 0, started_at: back(id, model.started_at) ?? 0 },
      ...{ closed_at: back(id, model.closed_at), ended_at: back(id, model.ended_at) },
    }));
    const ofEach = <R extends object>(rows: readonly R[]) =>
      ids.flatMap(id => rows.map(row => ({ ...row, incident_id: id })));
    await db.insertInto('incident').values(incidents).execute();
    await db.insertInto('incident_label').values(ofEach(labels)).execute();
    const copied = ofEach(items).map((row, index) => {
      const seq = 1_000_000 + from * items.length + index;
      return { ...row, seq, id: `activity-item-${seq}` };
    });
    await db.insertInto('activity').values(copied).execute();
  }
}

/**
 * What a process keeps after many pages, over what it keeps after as many answers that are no page: its memory after a garbage
 * collection. What V8 has not thrown away yet says more about V8; the resident memory, with all of that, is only shown.
 */
async function benchMemory(url: string, paths: Paths): Promise<Row[]> {
  const measure = async (path: string) => {
    await using pages = await startPages(url);
    for (let visit = 0; visit < visits; visit += 1) await pages.read(path);
    const resident = residentMemory(pages.pid);
    return { resident, kept: (await pages.ask('memory')) / 1e6 };
  };
  const pairs = await interleave(5, {
    baseline: () => measure('/openapi.json'),
    subject: () => measure(paths[300]),
  });
  const of = (what: 'resident' | 'kept') => {
    const baseline = median(pairs.map(each => each.baseline[what]));
    const subject = median(pairs.map(each => each.subject[what]));
    return { ratio: subject / baseline, baseline, subject, unit: 'MB' };
  };
  const kept = of('kept');
  return [
    { name: 'pages-memory', ...kept, limit: (kept.baseline + 10) / kept.baseline, bound: 'at most' },
    { name: 'pages-memory-resident', ...of('resident'), limit: undefined, reason: 'holds what V8 has not thrown away' },
  ];
}

/** The process of pages-process.ts on a database. */
async function startPages(url: string) {
  const child = fork(new URL('./pages-process.ts', import.meta.url), [url], { execArgv: ['--expose-gc'] });
  const hear = async () => Number((await once(child, 'message'))[0]);
  const origin = `http://127.0.0.1:${await hear()}`;
  return {
    pid: child.pid ?? 0,
    ask: async (what: 'stillness' | 'memory') => {
      child.send(what);
      return await hear();
    },
    read: async (path: string) => {
      const answer = await fetch(`${origin}${path}`);
      await answer.arrayBuffer();
      // A refused query would measure nothing.
      if (answer.status === 400) throw new Error(`${path} was refused`);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
