import { type Kysely, sql } from 'kysely';
import { createAlertDoor } from '../../src/bot/alerts/door.ts';
import { readAlertmanager } from '../../src/bot/alerts/read/alertmanager.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openLog } from '../../src/operations/log.ts';
import { serveHttp } from '../../src/service/http/server.ts';

/* The door of alerts on the server that Muster has, before a table with a row for each group. */

const [, , url = '', token = ''] = process.argv;
const log = openLog('info');
const database = await openDatabase(url, { namesStatements: true });
await sql`create table alert_group (id text primary key, told text not null, times integer not null)`.execute(
  database.as(),
);

/** The work of one delivery: the row of its group, in a transaction that shares its commit with others. */
const write = (id: string, told: string) => (db: Kysely<Record<string, never>>) =>
  sql`insert into alert_group (id, told, times) values (${id}, ${told}, 1)
    on conflict (id) do update set told = excluded.told, times = alert_group.times + 1`.execute(db);

const door = createAlertDoor({
  sources: [{ name: 'bench', tokens: [token], channel: '', severities: new Map(), labels: [], declares: [] }],
  read: (_source, body) => readAlertmanager(body),
  hear: async (source, group) => {
    await database.withLock(`alerts ${source.name}`, write(`${source.name} ${group.key}`, JSON.stringify(group)));
  },
  observe: () => {},
  clock: () => new Date(),
  log,
});
const { port } = await serveHttp({ listener: door, port: 0, host: '127.0.0.1', log });
process.send?.(port);
process.on('disconnect', () => process.exit());
