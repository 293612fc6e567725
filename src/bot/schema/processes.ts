import type { Migration } from '../../db/migrate.ts';

/**
 * Makes the table of the processes that take leases (`ProcessTable`). A process changes its heartbeat here, and still that of each lease that it
 * has held for some seconds: processes of 0.14 know no other. The landing after this one stops that, and the one after it drops the columns
 * `heartbeat` of bot_intent, bot_delivery and bot_room.
 */
export const createProcesses: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_process')
    .addColumn('owner', 'text', column => column.notNull().primaryKey())
    .addColumn('heartbeat', 'integer', column => column.notNull())
    .addColumn('beaten_at', 'integer', column => column.notNull())
    .execute();
};
