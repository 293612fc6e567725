import type { Migration } from '../../db/migrate.ts';

/** Whom the API takes a person for. Moments are epoch milliseconds. */
export type AccountTable = {
  team_id: string;
  user_id: string;
  /** The user whom the API's list names for them; `""` for none. */
  match_user_id: string;
  /** What they were matched by. */
  matched_by: 'slack' | 'email' | 'answer' | '';
  matched_at: number;
  /** The user whom the person says to be; `""` for none. */
  claimed_user_id: string;
  claimed_name: string;
  claimed_at: number;
};

/** Makes the table of accounts. */
export const createAccounts: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_account')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('match_user_id', 'text', column => column.notNull())
    .addColumn('matched_by', 'text', column => column.notNull())
    .addColumn('matched_at', 'integer', column => column.notNull())
    .addColumn('claimed_user_id', 'text', column => column.notNull())
    .addColumn('claimed_name', 'text', column => column.notNull())
    .addColumn('claimed_at', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('bot_account_pk', ['team_id', 'user_id'])
    .execute();
  await db.schema.createIndex('bot_account_match').on('bot_account').columns(['team_id', 'match_user_id']).execute();
};
