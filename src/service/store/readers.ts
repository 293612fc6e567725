import { bigint, integer, type TablesOf, table, text } from '../../db/tables.ts';
import type { Db } from './tables.ts';

/** The tables of the door to the pages. */
export const readerTables = [
  /** The one row that signs cookies. Without it no cookie holds. */
  table({ name: 'reader_secret', columns: { id: integer<1>({ key: true }), secret: text() } }),
  /** Links of people's own that are not opened yet. */
  table({
    name: 'reader_key',
    columns: {
      /** SHA-256 of the key, in hex; the key itself is stored nowhere. */
      hash: text({ key: true }),
      /** Slack's id of the person. */
      user_id: text(),
      /** Where it leads, below the service's own path. */
      path: text(),
      expires_at: bigint(),
    },
  }),
  /** People whose cookies were revoked: one that was made before holds no longer. */
  table({
    name: 'reader_end',
    columns: {
      /** SHA-256 of Slack's id, in hex: who is erased stays out. */
      user_hash: text({ key: true }),
      ended_at: bigint(),
    },
  }),
  /** Sign-ins that ended with *Sign out*. */
  table({
    name: 'reader_sign_out',
    since: '013-sign-outs',
    columns: {
      /** SHA-256 of the random part of the cookie, in hex. */
      session_hash: text({ key: true }),
      ended_at: bigint(),
    },
  }),
] as const;

/** A connection or transaction with the tables of the door in view. */
export function toReaderDb(db: Db) {
  return db.withTables<TablesOf<typeof readerTables>>();
}
