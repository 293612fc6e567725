import { bigint, integer, type TablesOf, table, text } from '../../db/tables.ts';
import type { Db } from './tables.ts';

/** The table of imported incidents. */
export const imports = table({
  name: 'import_source',
  columns: {
    /** The incident at its origin: `<incidentID>@<createdTime>`. */
    origin: text({ key: true }),
    incident_id: integer({ unique: true }),
    /** Where the export was made: an address, or `database`. */
    source: text(),
    imported_at: bigint(),
  },
});

/** A connection or transaction with the table of imports in view. */
export function toImportDb(db: Db) {
  return db.withTables<TablesOf<[typeof imports]>>();
}
