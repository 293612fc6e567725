import type { Migration } from '../../db/migrate.ts';

/** A person whom the bot has greeted in a direct message. Times are RFC 3339. */
export type GreetingTable = {
  team_id: string;
  user_id: string;
  greeted_at: string;
};

/** Makes the table of greetings. */
export const createGreetings: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_greeting')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('greeted_at', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('bot_greeting_person', ['team_id', 'user_id'])
    .execute();
};
