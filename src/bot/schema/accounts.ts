import { integer, table, text } from '../../db/tables.ts';

/** Whom the API takes a person for. Moments are epoch milliseconds. */
export const accounts = table({
  name: 'bot_account',
  columns: {
    team_id: text(),
    user_id: text(),
    /** The user whom the API's list names for them; `""` for none. */
    match_user_id: text(),
    /** What they were matched by. */
    matched_by: text<'slack' | 'email' | 'answer' | ''>(),
    matched_at: integer(),
    /** The user whom the person says to be; `""` for none. */
    claimed_user_id: text(),
    claimed_name: text(),
    claimed_at: integer(),
  },
  key: ['team_id', 'user_id'],
  indexes: {
    bot_account_match: ['team_id', 'match_user_id'],
  },
});
