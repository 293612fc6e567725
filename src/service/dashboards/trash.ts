import type { z } from 'zod';
import type { Dashboards } from '../../contract/dashboards.ts';
import { RpcError } from '../../contract/errors.ts';
import type { Context } from '../call/context.ts';
import { daysBefore, toMicros } from '../store/time.ts';
import { nameExists } from './checks.ts';
import { type DashboardHead, find, findByTitle, openRecords, removeDashboards } from './records.ts';
import { isRootUid } from './uid.ts';

type DeleteAnswer = z.output<typeof Dashboards.delete.output>;

/** Deletes a dashboard: into the trash, or for good where the options have no trash (docs/api-rules.md C3). */
export async function deleteDashboard(context: Context, uid: string): Promise<DeleteAnswer> {
  const dashboard = await findIn(context, uid, 'service');
  if (dashboard.provisioned) throw new RpcError('invalid_argument', 'provisioned dashboard cannot be deleted');
  await discardDashboards(context, [dashboard.id]);
  return say(dashboard, context.options.trash.enabled ? 'moved to Recently deleted' : 'deleted');
}

/** Moves dashboards into the trash, or removes them for good where the options have none. */
export async function discardDashboards(context: Context, ids: readonly number[]): Promise<void> {
  const db = openRecords(context.db);
  if (!context.options.trash.enabled) return removeDashboards(db, ids);
  const deleted_at = toMicros(context.now);
  if (ids.length > 0) await db.updateTable('dashboard').set({ deleted_at }).where('id', 'in', ids).execute();
}

/** Deletes a dashboard in the trash for good (docs/api-rules.md C3). */
export async function hardDeleteDashboard(context: Context, uid: string): Promise<DeleteAnswer> {
  await openTrash(context);
  const dashboard = await findIn(context, uid, 'trash');
  await removeDashboards(openRecords(context.db), [dashboard.id]);
  return say(dashboard, 'deleted');
}

/**
 * Restores a dashboard from the trash into `folderUid`, or to where it was, with its version unchanged (docs/api-rules.md C3).
 */
export async function restoreDashboard(context: Context, uid: string, folderUid: string): Promise<DeleteAnswer> {
  await openTrash(context);
  const dashboard = await findIn(context, uid, 'trash');
  const db = openRecords(context.db);
  const folderID = await findRestoringFolder(context, dashboard, folderUid);
  const { slug, title, id } = dashboard;
  if (await findByTitle(db, { folderID, slug, title, except: id })) {
    throw nameExists('A dashboard with the same name in the folder already exists');
  }
  await db.updateTable('dashboard').set({ deleted_at: null, folder_id: folderID }).where('id', '=', id).execute();
  return say(dashboard, 'restored');
}

/** Removes dashboards whose time in the trash is over. */
export async function purgeTrash(context: Context): Promise<void> {
  const db = openRecords(context.db);
  const expired = await db
    .selectFrom('dashboard')
    .select('id')
    .where('deleted_at', '<=', toMicros(daysBefore(context.now, context.options.trash.days)))
    .execute();
  await removeDashboards(
    db,
    expired.map(each => each.id),
  );
}

async function openTrash(context: Context): Promise<void> {
  if (!context.options.trash.enabled) throw new RpcError('not_found', 'Not found');
  await purgeTrash(context);
}

async function findIn(context: Context, uid: string, where: 'service' | 'trash'): Promise<DashboardHead> {
  const found = await find(openRecords(context.db), 'uid', uid);
  if (found && 'folder' in found) {
    throw new RpcError('invalid_argument', 'Use folders endpoint for deleting folders.');
  }
  if (!found || (found.dashboard.deleted_at === null) !== (where === 'service')) {
    throw new RpcError('not_found', 'Dashboard not found');
  }
  return found.dashboard;
}

async function findRestoringFolder(context: Context, dashboard: DashboardHead, folderUid: string): Promise<number> {
  if (folderUid === 'general' || (folderUid === '' && dashboard.folder_id === 0)) return 0;
  const db = openRecords(context.db);
  const found = await (folderUid === '' ? find(db, 'id', dashboard.folder_id) : find(db, 'uid', folderUid));
  if (found && 'folder' in found) return found.folder.id;
  if (isRootUid(folderUid)) return 0;
  throw new RpcError('invalid_argument', 'Restoring folder not found');
}

function say({ title, uid, id }: DashboardHead, what: string): DeleteAnswer {
  return { title, message: `Dashboard ${title} ${what}`, uid, id };
}
