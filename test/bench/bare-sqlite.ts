import { DatabaseSync } from 'node:sqlite';

/** Adds a note to a timeline by hand. Disposing closes the file. */
export interface BareTimeline extends Disposable {
  /** Commits, durably, the rows that one AddActivity commits. */
  add(incidentID: number, userID: string, body: string): void;
}

/**
 * Opens a file of the service's tables with Node's SQLite and nothing else: statements prepared once, one transaction for each
 * note — the item, the incident's version, the item's number and the home screen's — with the durability of the service.
 */
export function openBareTimeline(file: string): BareTimeline {
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
    add(incidentID, userID, body) {
      const now = Date.now() * 1000;
      begin.run();
      touch.run(now, incidentID);
      raise.get('homescreen');
      const seq = Number(raise.get('activity')?.value);
      insert.run(`activity-item-${seq}`, seq, incidentID, userID, now, now, body);
      commit.run();
    },
    [Symbol.dispose]: () => database.close(),
  };
}
