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
import type { JsonObject } from '../../json-object.ts';
import type { Context } from '../call/context.ts';
import type { DashboardRow, FolderRow } from '../store/dashboards.ts';
import { findPeople } from '../store/people.ts';
import { formatTime } from '../store/time.ts';
import { dashboardPath, folderPath } from './address.ts';
import { openRecords } from './records.ts';

/** The form of a time that is not set, as Grafana sends it. */
const zeroTime = '0001-01-01T00:00:00Z';

/** A live dashboard, its model as it was saved (docs/api-rules.md C3). */
export async function getDashboard(context: Context, uid: string): Promise<z.output<typeof Dashboards.get.output>> {
  const db = openRecords(context.db);
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
  const personOf = await findPeople(context, [row.created_by, row.updated_by]);
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
  const rows = await openRecords(context.db)
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

/** The newest versions of a live dashboard, the newest first, without their models. */
export async function listVersions(context: Context, uid: string, most: number) {
  return await ofDashboard(context, uid)
    .select(['version', 'message', 'created_at', 'created_by'])
    .orderBy('version', 'desc')
    .limit(most)
    .execute();
}

/** The model of a live dashboard as it was saved: of today for `""`, else of a version. Throws `not_found`. */
export async function getModel(context: Context, uid: string, version: string): Promise<JsonObject> {
  if (version === '') return (await getDashboard(context, uid)).dashboard;
  const number = /^[1-9]\d{0,8}$/.test(version) ? Number(version) : 0;
  const row = await ofDashboard(context, uid).select('model').where('version', '=', number).executeTakeFirst();
  if (!row) throw new RpcError('not_found', 'There is no such version of this dashboard.');
  return parseJson(row.model) as JsonObject;
}

function ofDashboard(context: Context, uid: string) {
  return openRecords(context.db)
    .selectFrom('dashboard_version')
    .where('dashboard_id', 'in', select =>
      select.selectFrom('dashboard').select('id').where('uid', '=', uid).where('deleted_at', 'is', null),
    );
}

/** The dashboards of a folder by their slugs, which order them without regard to case, each with its tags. Throws `not_found`. */
export async function listFolder(context: Context, uid: string, most: number) {
  const db = openRecords(context.db);
  const folder = await db.selectFrom('folder').select(['id', 'title']).where('uid', '=', uid).executeTakeFirst();
  if (!folder) throw new RpcError('not_found', 'There is no such folder.');
  const rows = await db
    .selectFrom('dashboard')
    .select(['id', 'uid', 'title', 'slug', 'version', 'updated_at', 'updated_by'])
    .where('folder_id', '=', folder.id)
    .where('deleted_at', 'is', null)
    .orderBy('slug')
    .orderBy('id')
    .limit(most)
    .execute();
  const ids = rows.map(each => each.id);
  const terms = db
    .selectFrom('dashboard_tag')
    .select(['dashboard_id', 'term'])
    .where('dashboard_id', 'in', [0, ...ids]);
  const tags = Map.groupBy(await terms.orderBy('term').execute(), each => each.dashboard_id);
  const dashboards = rows.map(row => ({ ...row, tags: tags.get(row.id)?.map(each => each.term) ?? [] }));
  return { title: folder.title, dashboards };
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
  const chosen =
    options.home === undefined
      ? undefined
      : await openRecords(context.db)
          .selectFrom('dashboard')
          .select(['uid', 'slug'])
          .where('uid', '=', options.home)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
  const canEdit = caller.role !== 'Viewer';
  const meta = DashboardMeta.parse({ isHome: true, canEdit, expires: zeroTime, created: zeroTime, updated: zeroTime });
  return { dashboard: homeModel, meta, redirectUri: chosen ? dashboardPath(options, chosen) : '' };
}
