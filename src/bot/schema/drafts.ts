import type { Migration } from '../../db/migrate.ts';

/** What a person typed and could not finish. Times are RFC 3339. */
export type DraftTable = {
  id: string;
  team_id: string;
  user_id: string;
  /** JSON. */
  content: string;
  created_at: string;
};

/** Makes the table of drafts. */
export const createDrafts: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_draft')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('content', 'text', column => column.notNull())
    .addColumn('created_at', 'text', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_draft_age').on('bot_draft').column('created_at').execute();
};
