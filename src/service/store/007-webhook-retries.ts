import type { Migration } from '../../db/migrate.ts';

/** When somebody had a delivery sent again. */
export const webhookRetries: Migration = {
  name: '007-webhook-retries',
  async up(db) {
    await db.schema.alterTable('webhook_delivery').addColumn('retried_at', 'bigint').execute();
  },
};
