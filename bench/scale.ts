import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { rpcBase } from '../src/contract/contract.ts';
import { openDatabase } from '../src/db/database.ts';
import { createService } from '../src/service/service.ts';
import { execute } from '../test/support/databases/execute.ts';
import { startPostgres } from '../test/support/databases/postgres-server.ts';
import { interleave, median, type Row, summarise } from './measure.ts';
import { commonLabel, longIncident, longTimeline, rareLabel, type Size, toFill } from './scale-fill.ts';

const small: Size = { incidents: 1000, items: 10_000 + longTimeline };
const large: Size = { incidents: 100_000, items: 1_000_000 };
/** Items on a page: the most with which a thousand incidents have a hundredth one. */
const limit = 10;
const calls = 15;
const rounds = 15;
const warmUp = 5;

/**
 * Reads with 100,000 incidents and 1,000,000 timeline items over the same with 1,000 incidents, on SQLite and on Postgres:
 * medians of calls made within the process. Every call differs from all before, so that no answer comes from memory.
 */
export async function benchScale(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  try {
    return [...(await onSqlite(folder)), ...(await onPostgres())];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function onSqlite(folder: string): Promise<Row[]> {
  const open = (name: string, size: Size) => {
    const file = join(folder, `${name}.db`);
    return openStock(`sqlite:${file}`, size, async statements => {
      using database = new DatabaseSync(file);
      database.exec('pragma synchronous = off');
      for (const statement of statements) database.exec(statement);
    });
  };
  await using few = await open('small', small);
  await using many = await open('large', large);
  return await compare('scale-sqlite', few, many);
}

async function onPostgres(): Promise<Row[]> {
  await using server = await startPostgres();
  const open = async (name: string, size: Size) => {
    const url = server.url(name);
    await execute(server.url('postgres'), `create database ${name}`);
    return await openStock(url, size, async statements => {
      for (const statement of statements) await execute(url, statement);
    });
  };
  await using few = await open('small', small);
  await using many = await open('large', large);
  return await compare('scale-postgres', few, many);
}

/** A filled database with the service on it. */
interface Stock extends AsyncDisposable {
  readonly size: Size;
  call(operation: string, input: object): Promise<{ cursor?: { nextValue: string; hasMore: boolean } }>;
}

async function openStock(
  url: string,
  size: Size,
  fill: (statements: readonly string[]) => Promise<void>,
): Promise<Stock> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(url));
  const service = stack.use(await createService({ database, log: pino({ level: 'silent' }), clock: () => new Date() }));
  await fill(toFill(size));
  const opened = stack.move();
  let serial = 0;
  return {
    size,
    async call(operation, input) {
      serial += 1;
      const path = `${rpcBase('grafana-irm-app')}/${operation}`;
      const body = JSON.stringify({ ...input, serial });
      const answer = await service.handle({ method: 'POST', path, headers: {}, body });
      if (answer.status !== 200) throw new Error(`${operation} answered ${answer.status}: ${answer.body}`);
      return JSON.parse(answer.body);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** One sort of call; made anew for each call, so that calls may be about different incidents. */
type Ask = (stock: Stock, index: number) => { readonly operation: string; readonly input: object };

const previews = 'IncidentsService.QueryIncidentPreviews';
const activity = 'ActivityService.QueryActivity';
/** Spread over all incidents; the same share of the way through them in either database. */
const anyIncident = ({ size }: Stock, index: number) => String(1 + ((index * 7919) % size.incidents));
const queryPreviews = (queryString: string) => () => ({
  operation: previews,
  input: { query: { limit, queryString } },
});
const queryLong: Ask = ({ size }) => ({
  operation: activity,
  input: { query: { limit, incidentID: String(longIncident(size)) } },
});

async function compare(prefix: string, few: Stock, many: Stock): Promise<Row[]> {
  const rows: Row[] = [];
  const measure = async (name: string, askOf: (stock: Stock) => Promise<Ask> | Ask) => {
    const [fewAsk, manyAsk] = [await askOf(few), await askOf(many)];
    const turns = { baseline: () => medianTime(few, fewAsk), subject: () => medianTime(many, manyAsk) };
    await interleave(warmUp, turns);
    const pairs = await interleave(rounds, turns);
    rows.push({ name: `${prefix}-${name}`, ...summarise(pairs), limit: 1.5, bound: 'at most', unit: 'ms' });
  };
  await measure('get', () => (stock, index) => ({
    operation: 'IncidentsService.GetIncident',
    input: { incidentID: anyIncident(stock, index) },
  }));
  await measure('list-1', () => queryPreviews(''));
  await measure('list-100', stock => hundredthPage(stock, queryPreviews('')));
  await measure('label', () => queryPreviews(`label:${commonLabel}`));
  await measure('rare-label', () => queryPreviews(`label:"${rareLabel}"`));
  await measure('items-1', () => (stock, index) => ({
    operation: activity,
    input: { query: { limit, incidentID: anyIncident(stock, index) } },
  }));
  await measure('long-1', () => queryLong);
  await measure('long-100', stock => hundredthPage(stock, queryLong));
  return rows;
}

async function hundredthPage(stock: Stock, ask: Ask): Promise<Ask> {
  const { operation, input } = ask(stock, 0);
  let cursor = { nextValue: '', hasMore: false };
  for (let page = 1; page < 100; page += 1) {
    const answer = await stock.call(operation, { ...input, cursor });
    if (!answer.cursor?.hasMore) throw new Error(`${operation} ends with page ${page}.`);
    cursor = answer.cursor;
  }
  return () => ({ operation, input: { ...input, cursor } });
}

let index = 0;

async function medianTime(stock: Stock, ask: Ask): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const { operation, input } = ask(stock, index++);
    const began = performance.now();
    await stock.call(operation, input);
    times.push(performance.now() - began);
  }
  return median(times);
}
