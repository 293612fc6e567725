import type { Implementation } from '../../contract/define.ts';
import type { Discovery, Search, SearchHit } from '../../contract/discovery.ts';
import { RpcError } from '../../contract/errors.ts';
import { trimEnd } from '../../trim-end.ts';
import type { Context } from '../call/context.ts';
import { dashboardPath, folderPath, subPath } from './address.ts';
import { openRecords } from './records.ts';
import { isRootUid } from './uid.ts';

/** The version of Grafana whose dashboard API this is most like: tools choose by it what they send (docs/api-rules.md C6). */
const likeVersion = '11.0.0';
/** The most hits of a page of a search. */
const mostHits = 5000;
const types = ['dash-folder', 'dash-db'] as const;
const orders = ['', 'alpha-asc', 'alpha-desc'];

type SearchInput = Parameters<Implementation<typeof Search, Context>['find']>[1];

/** Dashboards and folders by their titles, from the database (docs/api-rules.md C6). */
export const search: Implementation<typeof Search, Context> = { find };

/** What tools ask first, answered from the database (docs/api-rules.md C6). */
export const discovery: Implementation<typeof Discovery, Context> = {
  async health({ db }) {
    await db.selectFrom('counter').select('name').limit(1).execute();
    return { commit: '', database: 'ok', version: likeVersion };
  },
  settings: ({ options }) => ({
    appUrl: `${trimEnd(options.rootUrl, /\//)}/`,
    appSubUrl: subPath(options),
    buildInfo: { version: likeVersion, commit: '', edition: 'Open Source', env: 'production', hideVersion: false },
  }),
};

/** Folders first, then dashboards, by title. Databases differ in what they take for the same letter, so titles are compared here. */
async function find(context: Context, asked: SearchInput): Promise<SearchHit[]> {
  const unknown = asked.type.find(each => !types.some(type => type === each));
  if (unknown !== undefined) throw invalid(`type must be one of ${types.join(', ')}`);
  if (!orders.includes(asked.sort)) throw invalid('sort must be alpha-asc or alpha-desc');
  const typed = new Set(asked.type.length === 0 ? types : asked.type);
  const words = asked.query.trim().toLowerCase();
  const uids = [...asked.dashboardUIDs, ...asked.dashboardUID];
  const isIn = inFolders(asked);
  const found = (await readHits(context, asked.deleted === 'true')).filter(
    hit =>
      typed.has(hit.type) &&
      hit.title.toLowerCase().includes(words) &&
      asked.tag.every(tag => hit.tags.includes(tag)) &&
      isIn(hit) &&
      (uids.length === 0 || uids.includes(hit.uid)) &&
      (asked.dashboardIds.length === 0 || asked.dashboardIds.includes(String(hit.id))) &&
      asked.starred !== 'true',
  );
  const { compare } = new Intl.Collator('en');
  const sign = asked.sort === 'alpha-desc' ? -1 : 1;
  found.sort((one, other) => compare(other.type, one.type) || sign * compare(one.title, other.title));
  const limit = Math.min(asked.limit, mostHits);
  const start = (Math.max(1, asked.page) - 1) * limit;
  return found.slice(start, start + limit);
}

/** Whether a hit lies in one of the folders that were asked for; all do when none was. Folders lie at the root level. */
function inFolders({ folderUIDs, folderIds }: SearchInput): (hit: SearchHit) => boolean {
  if (folderUIDs.length === 0 && folderIds.length === 0) return () => true;
  const atRoot = folderUIDs.some(isRootUid) || folderIds.includes('0');
  return ({ folderId, folderUid }) =>
    folderUid === undefined ? atRoot : folderUIDs.includes(folderUid) || folderIds.includes(String(folderId));
}

async function readHits(context: Context, isDeleted: boolean): Promise<SearchHit[]> {
  const { options } = context;
  const db = openRecords(context.db);
  const folders = await db.selectFrom('folder').select(['id', 'uid', 'title', 'slug']).execute();
  const dashboards = await db
    .selectFrom('dashboard')
    .select(['id', 'uid', 'title', 'slug', 'folder_id'])
    .where('deleted_at', isDeleted ? 'is not' : 'is', null)
    .execute();
  const tags = Map.groupBy(await db.selectFrom('dashboard_tag').selectAll().execute(), each => each.dashboard_id);
  const byID = new Map(folders.map(each => [each.id, each]));
  const common = { orgId: Number(options.orgID), slug: '', isStarred: false, sortMeta: 0, isDeleted };
  return [
    ...(isDeleted ? [] : folders).map(folder => ({
      ...{ ...common, type: 'dash-folder', tags: [], uri: `db/${folder.slug}`, url: folderPath(options, folder) },
      ...{ id: folder.id, uid: folder.uid, title: folder.title },
    })),
    ...dashboards.map(({ id, uid, title, slug, folder_id }) => ({
      ...{ ...common, type: 'dash-db', uri: `db/${slug}`, url: dashboardPath(options, { uid, slug }) },
      ...{ id, uid, title, tags: (tags.get(id) ?? []).map(each => each.term).sort() },
      ...inFolder(context, byID.get(folder_id)),
    })),
  ];
}

function inFolder({ options }: Context, folder: { id: number; uid: string; title: string; slug: string } | undefined) {
  if (!folder) return {};
  const { id: folderId, uid: folderUid, title: folderTitle } = folder;
  return { folderId, folderUid, folderTitle, folderUrl: folderPath(options, folder) };
}

function invalid(message: string): RpcError {
  return new RpcError('invalid_argument', message);
}
