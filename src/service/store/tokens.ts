import { sql } from 'kysely';
import type { AccessRole } from '../../contract/define.ts';
import { bigint, integer, nullable, type TablesOf, table, text } from '../../db/tables.ts';
import type { Db } from './tables.ts';

/** The table of bearer tokens. Revoked ones stay, so that callers learn that theirs was revoked. */
export const tokens = table({
  name: 'api_token',
  columns: {
    id: integer({ key: true }),
    /** Unique among those that are not revoked. */
    name: text(),
    role: text<AccessRole>(),
    /** SHA-256 of the token, in hex; the token itself is stored nowhere. */
    hash: text({ unique: true }),
    created_at: bigint(),
    revoked_at: nullable(bigint()),
    /** Exact to about a minute. */
    last_used_at: nullable(bigint()),
  },
  indexes: { api_token_by_name: { on: ['name'], unique: true, where: sql`revoked_at is null` } },
});

/** A connection or transaction with the table of tokens in view. */
export function toTokenDb(db: Db) {
  return db.withTables<TablesOf<[typeof tokens]>>();
}
