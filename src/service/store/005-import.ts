import type { Kysely } from 'kysely';
import type { Migration } from '../../db/migrate.ts';
import type { Db, Tables } from './tables.ts';

/** The table of imported incidents. */
type ImportTables = {
  import_source: {
    /** The incident at its origin: `<incidentID>@<createdTime>`. */
    origin: string;
    incident_id: number;
    /** Where the export was made: an address, or `database`. */
    source: string;
    imported_at: number;
  };
};

/** The database as imports see it. */
type ImportDb = Kysely<Tables & ImportTables>;

/** The same connection or transaction with the table of imports in view. */
export function toImportDb(db: Db): ImportDb {
  return db.withTables<ImportTables>();
}

/** The origins of imported incidents, so that none is imported twice. */
export const imports: Migration = {
  name: '005-import',
  async up(db) {
    await db.schema
      .createTable('import_source')
      .addColumn('origin', 'text', column => column.primaryKey())
      .addColumn('incident_id', 'integer', column => column.notNull().unique())
      .addColumn('source', 'text', column => column.notNull())
      .addColumn('imported_at', 'bigint', column => column.notNull())
      .execute();
  },
};
