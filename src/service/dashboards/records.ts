import { takeNumber } from '../store/counters.ts';
import type { DashboardDb, DashboardRow, DashboardTables, FolderRow } from '../store/dashboards.ts';
import type { Db } from '../store/tables.ts';

/** The database of a call, with the tables of dashboards. */
export function openRecords(db: Db): DashboardDb {
  return db.withTables<DashboardTables>();
}

/** A dashboard without its model, which may be megabytes. */
export type DashboardHead = Omit<DashboardRow, 'model'>;

/** The owner of an id or uid. */
export type DashboardOrFolder = { readonly dashboard: DashboardHead } | { readonly folder: FolderRow };

const headColumns = [
  'id',
  'uid',
  'folder_id',
  'title',
  'slug',
  'version',
  'plugin_id',
  'plugin_name',
  'provisioned',
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
  'deleted_at',
] as const satisfies readonly (keyof DashboardHead)[];

/** The live or deleted dashboard, or the folder, that has this id or uid. */
export async function find(
  db: DashboardDb,
  by: 'id' | 'uid',
  value: number | string,
): Promise<DashboardOrFolder | undefined> {
  if (by === 'id' && !Number.isSafeInteger(value)) return undefined;
  const dashboard = await db.selectFrom('dashboard').select(headColumns).where(by, '=', value).executeTakeFirst();
  if (dashboard) return { dashboard };
  const folder = await db.selectFrom('folder').selectAll().where(by, '=', value).executeTakeFirst();
  return folder && { folder };
}

/** The live dashboard of exactly this title in a folder, other than the one with id `except`. */
export async function findByTitle(
  db: DashboardDb,
  place: { folderID: number; slug: string; title: string; except: number },
): Promise<DashboardHead | undefined> {
  return db
    .selectFrom('dashboard')
    .select(headColumns)
    .where('folder_id', '=', place.folderID)
    .where('slug', '=', place.slug)
    .where('title', '=', place.title)
    .where('id', '!=', place.except)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .executeTakeFirst();
}

/** The next free id of the counter that dashboards and folders share. It skips ids that callers have chosen. */
export async function takeID(db: DashboardDb): Promise<number> {
  for (;;) {
    const id = await takeNumber(db, 'dashboard');
    if ((await find(db, 'id', id)) === undefined) return id;
  }
}

/** Removes dashboards for good, with their versions and tags. */
export async function removeDashboards(db: DashboardDb, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('dashboard_version').where('dashboard_id', 'in', ids).execute();
  await db.deleteFrom('dashboard_tag').where('dashboard_id', 'in', ids).execute();
  await db.deleteFrom('dashboard').where('id', 'in', ids).execute();
}
