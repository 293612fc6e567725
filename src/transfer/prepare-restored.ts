import type { PlainFile } from '../db/sqlite.ts';

/** Incident numbers that are left free: Slack may show incidents that were declared after the backup. */
const freeNumbers = 100;

/** What is changed in a backup that takes the place of a database: the tables and columns that a change needs, and the change. */
const changes: readonly { readonly table: string; readonly column: string; readonly statement: string }[] = [
  {
    // An intent that had not ended may have taken effect since: its effect is looked for before it is done again, and its room may
    // have been told.
    table: 'bot_intent',
    column: 'ambiguous',
    statement: `update bot_intent set state = 'pending', ambiguous = 1, next_at = 0, lease_owner = '',
        origin = json_set(origin, '$.isRestored', json('true'))
      where state in ('pending', 'running')`,
  },
  {
    // Outcomes have been told since.
    table: 'bot_intent',
    column: 'tell',
    statement: `update bot_intent set tell = 'nobody' where state in ('done', 'failed')`,
  },
  {
    // A delivery that was being handled has been handled since, and leaves nothing by which that shows.
    table: 'bot_delivery',
    column: 'blocks_order',
    statement: `update bot_delivery set state = 'given up', body = '', lease_owner = '', blocks_order = 0 where state = 'open'`,
  },
  {
    // A line that was not said may have been said since: its message is looked for.
    table: 'bot_line',
    column: 'ts',
    statement: `update bot_line set message = id, begun_at = done_at, ts = '?' where is_said = 0 and message = ''`,
  },
  {
    table: 'bot_line',
    column: 'ts',
    statement: `update bot_line set ts = '?' where is_said = 0 and ts = ''`,
  },
  {
    // The rooms know more than the backup: the state of each incident is learned anew, and told to nobody.
    table: 'bot_told',
    column: 'facts',
    statement: `update bot_told set facts = '', line_id = '', line_from = '', line_at = 0, line_ts = '', is_said = 1`,
  },
  {
    // Cards and topics show a later state: all of them are written anew.
    table: 'bot_room',
    column: 'topic_shown',
    statement: `update bot_room set version = version + 1, card_shown = '', announcement_shown = '', topic_shown = '',
      lease_owner = ''`,
  },
  {
    // The readers of announcements may have heard more than the backup knows: they hear of the next change.
    table: 'bot_room',
    column: 'announced',
    statement: `update bot_room set announced = ''`,
  },
  {
    table: 'counter',
    column: 'value',
    statement: `update counter set value = value + ${freeNumbers} where name = 'incident' and value > 0`,
  },
];

/** Makes a restored database repeat nothing: whatever it had begun may have taken effect after the backup. */
export function prepareRestored(database: PlainFile): void {
  database.run('begin immediate');
  for (const { table, column, statement } of changes) {
    // A backup of an older version lacks some of them; it did not do then what the change is about.
    const found = database.run('select 1 from pragma_table_info(?) where name = ?', table, column);
    if (found.length > 0) database.run(statement);
  }
  database.run('commit');
}
