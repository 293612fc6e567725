import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { openDatabase, type TableShapes } from '../src/db/database.ts';

/** Adds a note to a timeline by hand. Disposing closes the database. */
export interface BareTimeline extends AsyncDisposable {
  /** Commits, durably, the rows that one AddActivity commits. */
  add(incidentID: number, userID: string, body: string): Promise<void>;
}

/** Opens a database of the service's tables, with nothing between. */
export async function openBareTimeline(url: string): Promise<BareTimeline> {
  return url.startsWith('sqlite:') ? openBareSqlite(url.slice('sqlite:'.length)) : await openBarePostgres(url);
}

/**
 * A file of the service's tables with Node's SQLite and nothing else: statements prepared once, one transaction for each
 * note — the item, the incident's version, the item's number and the home screen's — with the durability of the service.
 */
function openBareSqlite(file: string): BareTimeline {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const touch = database.prepare('update incident set modified_at = ?, version = version + 1 where id = ?');
  const raise = database.prepare('update counter set value = value + 1 where name = ? returning value');
  const insert = database.prepare(
    `insert into activity (id, seq, incident_id, kind, user_id, subject_user_id, created_at, event_at, body, url,
      context_folded, tags, immutable, field_values) values (?, ?, ?, 'userNote', ?, '', ?, ?, ?, '', '', '[]', 0, '{}')`,
  );
  return {
    async add(incidentID, userID, body) {
      const now = Date.now() * 1000;
      begin.run();
      touch.run(now, incidentID);
      raise.get('homescreen');
      const seq = Number(raise.get('activity')?.value);
      insert.run(`activity-item-${seq}`, seq, incidentID, userID, now, now, body);
      commit.run();
    },
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

/** The same rows in the same order on Postgres, by one connection, with named statements: six round trips. */
async function openBarePostgres(url: string): Promise<BareTimeline> {
  const database = await openDatabase(url, { namesStatements: true });
  const raise = async (db: Kysely<TableShapes>, name: string) => {
    const { rows } = await sql<{ value: number }>`
      update counter set value = value + 1 where name = ${name} returning value`.execute(db);
    return Number(rows[0]?.value);
  };
  return {
    add: async (incidentID, userID, body) => {
      const now = Date.now() * 1000;
      await database
        .as()
        .transaction()
        .execute(async db => {
          await sql`update incident set modified_at = ${now}, version = version + 1 where id = ${incidentID}`.execute(
            db,
          );
          await raise(db, 'homescreen');
          const seq = await raise(db, 'activity');
          await sql`insert into activity (id, seq, incident_id, kind, user_id, subject_user_id, created_at, event_at, body, url,
            context_folded, tags, immutable, field_values) values (${`activity-item-${seq}`}, ${seq}, ${incidentID}, 'userNote',
            ${userID}, '', ${now}, ${now}, ${body}, '', '', '[]', 0, '{}')`.execute(db);
        });
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
