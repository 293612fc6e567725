import type { z } from 'zod';
import {
  DashboardMeta,
  type DashboardModel,
  type Dashboards,
  type HomeDashboard,
  type TagCount,
} from '../../contract/dashboards.ts';
import { RpcError } from '../../contract/errors.ts';
import { parseJson } from '../../contract/exact-json.ts';
import type { Context } from '../call/context.ts';
import type { DashboardRow, FolderRow } from '../store/002-dashboards.ts';
import { findPeople } from '../store/people.ts';
import { formatTime } from '../store/time.ts';
import { dashboardPath, folderPath } from './address.ts';
import { openRecords } from './records.ts';

/** The form of a time that is not set, as Grafana sends it. */
const zeroTime = '0001-01-01T00:00:00Z';

/** A live dashboard, its model as it was saved (docs/api-rules.md C3). */
export async function getDashboard(context: Context, uid: string): Promise<z.output<typeof Dashboards.get.output>> {
  const db = openRecords(context);
  const row = await db
    .selectFrom('dashboard')
    .selectAll()
    .where('uid', '=', uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw new RpcError('not_found', 'Dashboard not found', { reason: 'not-found' });
  const folder =
    row.folder_id === 0
      ? undefined
      : await db.selectFrom('folder').selectAll().where('id', '=', row.folder_id).executeTakeFirst();
  const model = parseJson(row.model) as DashboardModel;
  return { dashboard: { ...model, version: row.version }, meta: await toMeta(context, row, folder) };
}

async function toMeta(context: Context, row: DashboardRow, folder: FolderRow | undefined): Promise<DashboardMeta> {
  const { caller, options } = context;
  const personOf = await findPeople(context.db, [row.created_by, row.updated_by]);
  const canEdit = caller.role !== 'Viewer';
  const annotations = { canAdd: canEdit, canEdit, canDelete: canEdit };
  return {
    type: 'db',
    isStarred: false,
    isHome: false,
    canSave: canEdit && row.provisioned === 0,
    canEdit,
    canAdmin: caller.role === 'Admin',
    canStar: true,
    canDelete: canEdit && row.provisioned === 0,
    slug: row.slug,
    url: dashboardPath(options, row),
    expires: zeroTime,
    created: formatTime(row.created_at),
    updated: formatTime(row.updated_at),
    updatedBy: personOf(row.updated_by).name || 'Anonymous',
    createdBy: personOf(row.created_by).name || 'Anonymous',
    version: row.version,
    hasAcl: false,
    isFolder: false,
    folderId: folder?.id ?? 0,
    folderUid: folder?.uid ?? '',
    folderTitle: folder?.title ?? 'General',
    folderUrl: folder ? folderPath(options, folder) : '',
    provisioned: row.provisioned === 1,
    provisionedExternalId: '',
    annotationsPermissions: { dashboard: annotations, organization: annotations },
    publicDashboardEnabled: false,
  };
}

/** Every tag of live dashboards, by name, with the number of dashboards that carry it (docs/api-rules.md C4). */
export async function listTags(context: Context): Promise<TagCount[]> {
  const rows = await openRecords(context)
    .selectFrom('dashboard_tag')
    .innerJoin('dashboard', 'dashboard.id', 'dashboard_tag.dashboard_id')
    .where('dashboard.deleted_at', 'is', null)
    .groupBy('term')
    .select(['term', select => select.fn.countAll<number>().as('count')])
    .execute();
  return rows
    .map(({ term, count }) => ({ term, count: Number(count) }))
    .sort((one, other) => (one.term < other.term ? -1 : 1));
}

const homeModel = {
  editable: false,
  nav: [{ enable: false, type: 'timepicker' }],
  style: 'dark',
  tags: [],
  templating: { list: [] },
  time: {},
  timezone: 'browser',
  title: 'Home',
  version: 5,
};

/**
 * The home page: the address of the dashboard that the options name, if it exists, else an empty dashboard (docs/api-rules.md
 * C4).
 */
export async function getHome(context: Context): Promise<z.output<typeof HomeDashboard>> {
  const { caller, options } = context;
  const chosen = options.home === undefined ? undefined : await findChosen(context, options.home);
  const canEdit = caller.role !== 'Viewer';
  const meta = DashboardMeta.parse({ isHome: true, canEdit, expires: zeroTime, created: zeroTime, updated: zeroTime });
  return { dashboard: homeModel, meta, redirectUri: chosen ? dashboardPath(options, chosen) : '' };
}

function findChosen(context: Context, uid: string): Promise<{ uid: string; slug: string } | undefined> {
  return openRecords(context)
    .selectFrom('dashboard')
    .select(['uid', 'slug'])
    .where('uid', '=', uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
