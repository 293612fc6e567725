import { DatabaseSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { sql } from 'kysely';
import { openDatabase } from '../src/db/database.ts';

/*
 * What the door of alerts is measured against: a Hono app that looks at a token, stores the body as it is, one transaction for each,
 * with the durability of Muster, and answers. It reads nothing of the body.
 */

const [, , url = '', token = ''] = process.argv;
const store = url.startsWith('sqlite:') ? openFile(url.slice('sqlite:'.length)) : await openServer();

function openFile(file: string): (body: string) => unknown {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; create table alert (body text not null);');
  const insert = database.prepare('insert into alert (body) values (?)');
  return body => insert.run(body);
}

async function openServer(): Promise<(body: string) => unknown> {
  const database = await openDatabase(url, { namesStatements: true });
  await sql`create table alert (body text not null)`.execute(database.as());
  return body => database.single(db => sql`insert into alert (body) values (${body})`.execute(db));
}

const app = new Hono();
app.post('/hooks/alerts/bench', async c => {
  if (c.req.header('authorization') !== `Bearer ${token}`) return c.json({ error: 'no' }, 401);
  await store(await c.req.text());
  return c.json({});
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.(port));
process.on('disconnect', () => process.exit());
