import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { NoTables } from '../db/engine.ts';

/** Incident numbers that are left free: Slack may show incidents that were declared after the backup. */
const freeNumbers = 100;

/** A change to a database that took an older state again, and the column that it needs. */
interface RestoreStep {
  readonly table: string;
  readonly column: string;
  run(db: Kysely<NoTables>): Promise<unknown>;
}

const statement = (table: string, column: string, text: string): RestoreStep => ({
  ...{ table, column },
  run: db => sql.raw(text).execute(db),
});

const changes: readonly RestoreStep[] = [
  // An intent that had not ended may have taken effect since: its effect is looked for before it is done again, and its room may have
  // been told.
  { table: 'bot_intent', column: 'ambiguous', run: markOpen },
  // Outcomes have been told since.
  statement('bot_intent', 'tell', `update bot_intent set tell = 'nobody' where state in ('done', 'failed')`),
  // A delivery that was being handled has been handled since, and leaves nothing by which that shows.
  statement(
    'bot_delivery',
    'blocks_order',
    `update bot_delivery set state = 'given up', body = '', lease_owner = '', blocks_order = 0 where state = 'open'`,
  ),
  // A line that was not said has been said since, alone or in a message that begins with another line. That message may have lines that
  // the backup lacks, so nothing joins it.
  statement('bot_line', 'is_said', `update bot_line set is_said = 1, is_closed = 1 where is_said = 0 or is_closed = 0`),
  // A person decides about an alert that may have its incident since.
  statement(
    'bot_alert_offer',
    'owes',
    `update bot_alert_offer set owes = '', state = case when owes = 'declare' then 'open' else state end where owes <> ''`,
  ),
  // The rooms know more than the backup: the state of each incident is read again, and no room is told.
  statement('bot_known_state', 'state', `update bot_known_state set state = ''`),
  // An older version names the table otherwise, and keeps there what it has yet to say.
  statement('bot_told', 'facts', `update bot_told set facts = ''`),
  statement('bot_told', 'is_said', `update bot_told set is_said = 1, line_id = ''`),
  // Cards and topics show a later state: all of them are written again.
  statement(
    'bot_room',
    'topic_shown',
    `update bot_room set version = version + 1, card_shown = '', announcement_shown = '', topic_shown = '',
      lease_owner = ''`,
  ),
  // An older version keeps there what the readers of announcements have yet to hear. They may have heard more than the backup knows.
  statement('bot_room', 'announced', `update bot_room set announced = ''`),
  // A copy of the database signs cookies, and does not know who signed out since: with a new key none of before holds.
  statement('reader_secret', 'secret', 'delete from reader_secret'),
  statement('reader_key', 'hash', 'delete from reader_key'),
  statement(
    'counter',
    'value',
    `update counter set value = value + ${freeNumbers} where name = 'incident' and value > 0`,
  ),
];

/** What a database knows that took an older state again. */
export interface Restored {
  /** Intents that had not ended. */
  readonly open: number;
  /** When the last intent of all changed (RFC 3339); `""` when there is none. */
  readonly until: string;
}

/**
 * Makes a database that took an older state again repeat nothing: all that it had begun may have taken effect since. No process may use it
 * meanwhile. Throws with a sentence when it has no tables of Muster.
 */
export async function prepareRestored(database: Database): Promise<Restored> {
  return await database.withLock<NoTables, Restored>('journal', async db => {
    const tables = await db.introspection.getTables();
    const has = (table: string, column: string) =>
      tables.some(each => each.name === table && each.columns.some(({ name }) => name === column));
    if (!has('schema_migration', 'name'))
      throw new Error('The database has no tables of Muster, so nothing was prepared. Is DATABASE_URL right?');
    const restored = has('bot_intent', 'changed_at') ? await readState(db) : { open: 0, until: '' };
    // A backup of an older version lacks some of them; it did not do then what the change is about.
    for (const change of changes) if (has(change.table, change.column)) await change.run(db);
    return restored;
  });
}

async function readState(db: Kysely<NoTables>): Promise<Restored> {
  const { rows } = await sql<{ open: number; until: string | null }>`
    select sum(case when state in ('pending', 'running') then 1 else 0 end) as open, max(changed_at) as until
    from bot_intent`.execute(db);
  return { open: Number(rows[0]?.open ?? 0), until: rows[0]?.until ?? '' };
}

/** Why an intent of the backup is open that had not failed. */
const cutOff = { code: 'unavailable', message: 'The database took an older state again.', maybeApplied: true };

async function markOpen(db: Kysely<NoTables>): Promise<void> {
  const { rows } = await sql<{ id: string; origin: string; outcome: string }>`
    select id, origin, outcome from bot_intent where state in ('pending', 'running')`.execute(db);
  // What was sent since the backup was sent by now: the intents of a lane wait together for what may still take effect.
  const sentAt = Date.now();
  for (const { id, origin, outcome } of rows) {
    const marked = JSON.stringify({ ...JSON.parse(origin), isRestored: true });
    const unknown = JSON.stringify({ ...(outcome === '' ? cutOff : JSON.parse(outcome)), sentAt });
    await sql`update bot_intent set state = 'pending', ambiguous = 1, next_at = 0, lease_owner = '', origin = ${marked},
      outcome = ${unknown} where id = ${id}`.execute(db);
  }
}
