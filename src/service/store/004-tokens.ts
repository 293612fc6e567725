import { type Kysely, sql } from 'kysely';
import type { AccessRole } from '../../contract/define.ts';
import type { Migration } from '../../db/migrate.ts';
import type { Db, Tables } from './tables.ts';

/** The table of bearer tokens. Revoked ones stay, so that callers learn that theirs was revoked. */
type TokenTables = {
  api_token: {
    id: number;
    /** Unique among those that are not revoked. */
    name: string;
    role: AccessRole;
    /** SHA-256 of the token, in hex; the token itself is stored nowhere. */
    hash: string;
    created_at: number;
    revoked_at: number | null;
    /** Exact to about a minute. */
    last_used_at: number | null;
  };
};

/** The database as tokens see it. */
type TokenDb = Kysely<Tables & TokenTables>;

/** The same connection or transaction with the table of tokens in view. */
export function toTokenDb(db: Db): TokenDb {
  return db.withTables<TokenTables>();
}

/** Bearer tokens. */
export const tokens: Migration = {
  name: '004-tokens',
  async up(db) {
    await db.schema
      .createTable('api_token')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('role', 'text', column => column.notNull())
      .addColumn('hash', 'text', column => column.notNull().unique())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .addColumn('last_used_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('api_token_by_name')
      .unique()
      .on('api_token')
      .column('name')
      .where(sql.ref('revoked_at'), 'is', sql.lit(null))
      .execute();
    const counters = db.withTables<{ counter: { name: string; value: number } }>();
    await counters.insertInto('counter').values({ name: 'api_token', value: 0 }).execute();
  },
};
