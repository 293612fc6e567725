import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';

/** Private incidents, and the webhook endpoints that hear of them. */
export const privateIncidents: Migration = {
  name: '006-private',
  async up(db) {
    await db.schema
      .alterTable('incident')
      .addColumn('is_private', 'integer', column => column.notNull().defaultTo(sql.lit(0)))
      .execute();
    await db.schema
      .alterTable('webhook_endpoint')
      .addColumn('include_private', 'integer', column => column.notNull().defaultTo(sql.lit(0)))
      .execute();
  },
};
