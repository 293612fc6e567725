import type { Migration } from '../../db/migrate.ts';

/** The version of a folder, which rises with each new title. */
export const folderVersions: Migration = {
  name: '008-folder-versions',
  async up(db) {
    await db.schema
      .alterTable('folder')
      .addColumn('version', 'integer', column => column.notNull().defaultTo(1))
      .execute();
  },
};
