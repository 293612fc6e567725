import type { Kysely } from 'kysely';
import type { Migration } from '../../db/migrate.ts';
import type { Db, Tables } from './tables.ts';

/** The tables of the door to the pages. */
type ReaderTables = {
  /** The one row that signs cookies. Without it no cookie holds. */
  reader_secret: { id: 1; secret: string };
  /** Links of people's own that nobody has opened yet. */
  reader_key: {
    /** SHA-256 of the key, in hex; the key itself is stored nowhere. */
    hash: string;
    /** Slack's id of the person. */
    user_id: string;
    /** Where it leads, below the service's own path. */
    path: string;
    expires_at: number;
  };
  /** People whose cookies made until then hold no longer. */
  reader_end: {
    /** SHA-256 of Slack's id, in hex: who is erased stays out. */
    user_hash: string;
    ended_at: number;
  };
};

/** The same connection or transaction with the tables of the door in view. */
export function toReaderDb(db: Db): Kysely<Tables & ReaderTables> {
  return db.withTables<ReaderTables>();
}

/** Who may read the pages. */
export const readers: Migration = {
  name: '011-readers',
  async up(db) {
    await db.schema
      .createTable('reader_secret')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('secret', 'text', column => column.notNull())
      .execute();
    await db.schema
      .createTable('reader_key')
      .addColumn('hash', 'text', column => column.primaryKey())
      .addColumn('user_id', 'text', column => column.notNull())
      .addColumn('path', 'text', column => column.notNull())
      .addColumn('expires_at', 'bigint', column => column.notNull())
      .execute();
    await db.schema
      .createTable('reader_end')
      .addColumn('user_hash', 'text', column => column.primaryKey())
      .addColumn('ended_at', 'bigint', column => column.notNull())
      .execute();
  },
};
