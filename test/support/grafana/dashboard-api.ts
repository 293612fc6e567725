import { randomUUID } from 'node:crypto';
import type { Reply } from './failures.ts';
import type { Oddities } from './oddities.ts';

/** A request as it came, with its body as JSON; undefined: there was none that could be read. */
interface Asked {
  readonly method: string;
  /** Below the sub-path, with its query. */
  readonly path: string;
  readonly body: unknown;
}

/** A folder of dashboards. */
interface Folder {
  readonly id: number;
  readonly uid: string;
  readonly title: string;
}

/** A dashboard as the server keeps it. */
export interface HeldDashboard {
  readonly id: number;
  readonly uid: string;
  title: string;
  /** The whole model as it was saved. */
  model: Readonly<Record<string, unknown>>;
  version: number;
  /** `""` at the root level. */
  folderUid: string;
  readonly created: string;
  updated: string;
  isInTrash: boolean;
}

/** What the API of dashboards and short links is opened with. */
export interface DashboardApiOptions {
  readonly now: () => Date;
  readonly oddities: Oddities;
  /** The address that people open, with its sub-path and without a slash at the end. */
  readonly rootUrl: string;
}

const json = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});
const notFound = json(404, { message: 'Dashboard not found', traceID: '' });
const sameName = json(412, {
  ...{ message: 'A dashboard with the same name in the folder already exists', status: 'name-exists' },
});
const newUid = () => `d${randomUUID().replaceAll('-', '').slice(0, 13)}`;
const zeroTime = '0001-01-01T00:00:00Z';

function toSlug(title: string): string {
  return (
    title
      .toLowerCase()
      .trim()
      .replace(/\s/g, '-')
      .replace(/&/g, 'and')
      .replace(/@/g, 'at')
      .replace(/[^a-z0-9_-]/g, '') || 'dashboard'
  );
}

/** Opens the API of dashboards, folders, their search, and short links. `answer` yields undefined for an address that is none of its own. */
export function openDashboardApi({ now, oddities, rootUrl }: DashboardApiOptions) {
  const dashboards: HeldDashboard[] = [];
  const folders: Folder[] = [];
  const shortened = new Map<string, string>();
  const subPath = oddities.subPathInUrls ? new URL(rootUrl).pathname.replace(/\/$/, '') : '';
  let lastId = 0;

  const urlOf = ({ uid, title }: HeldDashboard) => `${subPath}/d/${uid}/${toSlug(title)}`;
  const folderOf = ({ folderUid }: HeldDashboard) => folders.find(each => each.uid === folderUid);
  const find = (uid: string, isInTrash = false) =>
    dashboards.find(each => each.uid === uid && each.isInTrash === isInTrash);
  const namesakeOf = (title: string, folderUid: string, other?: HeldDashboard) =>
    dashboards.find(each => each !== other && !each.isInTrash && each.folderUid === folderUid && each.title === title);
  const tagsOf = ({ model }: HeldDashboard) => (Array.isArray(model.tags) ? model.tags.map(String) : []);

  function save(body: unknown): Reply {
    const { dashboard, folderUid, overwrite, isFolder } = (body ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof dashboard !== 'object' || dashboard === null) return json(400, { message: 'bad request data' });
    if (isFolder === true) return json(400, { message: 'Use folders endpoint for saving folders.' });
    const model = dashboard as Readonly<Record<string, unknown>>;
    const title = typeof model.title === 'string' ? model.title.trim() : '';
    const uid = typeof model.uid === 'string' ? model.uid.trim() : '';
    if (title === '') return json(400, { message: 'Dashboard title cannot be empty', status: 'empty-name' });
    if (!/^[\w-]{0,40}$/.test(uid)) return json(400, { message: 'uid contains illegal characters or is too long' });
    const byId = typeof model.id === 'number' ? dashboards.find(each => each.id === model.id) : undefined;
    if (typeof model.id === 'number' && model.id > 0 && !byId) return notFound;
    const into = typeof folderUid === 'string' ? folderUid : '';
    if (into !== '' && !folders.some(each => each.uid === into)) return json(400, { message: 'folder not found' });
    const byUid = uid === '' ? undefined : dashboards.find(each => each.uid === uid);
    const sameUid = json(412, { message: 'A dashboard with the same uid already exists', status: 'name-exists' });
    if (byUid?.isInTrash || (byId && byUid && byId !== byUid)) return sameUid;
    const before = byId ?? byUid;
    if (before && overwrite !== true && model.version !== before.version) {
      if (!byId && model.version === undefined) return sameUid;
      return json(412, { message: 'The dashboard has been changed by someone else', status: 'version-mismatch' });
    }
    const namesake = namesakeOf(title, into, before);
    if (namesake && overwrite !== true) return sameName;
    const at = now().toISOString();
    const kept = before ??
      namesake ?? {
        ...{ id: ++lastId, uid: uid || newUid(), title, model, version: 0 },
        ...{ folderUid: into, created: at, updated: at, isInTrash: false },
      };
    if (!dashboards.includes(kept)) dashboards.push(kept);
    const version = kept.version + 1;
    Object.assign(kept, { title, folderUid: into, updated: at, version });
    kept.model = { ...model, id: kept.id, uid: kept.uid, title, version };
    const { id } = kept;
    return json(200, { id, uid: kept.uid, url: urlOf(kept), status: 'success', version, slug: toSlug(title) });
  }

  function get(uid: string): Reply {
    const found = find(uid);
    if (!found) return notFound;
    const folder = folderOf(found);
    return json(200, {
      dashboard: found.model,
      meta: {
        ...{ type: 'db', canSave: true, canEdit: true, canAdmin: false, canStar: true, canDelete: true },
        ...{ slug: toSlug(found.title), url: urlOf(found), expires: zeroTime, created: found.created },
        ...{ updated: found.updated, updatedBy: 'sa-muster', createdBy: 'sa-muster', version: found.version },
        ...{ hasAcl: false, isFolder: false, folderId: folder?.id ?? 0, folderUid: found.folderUid },
        ...{ folderTitle: folder?.title ?? 'General', provisioned: false, provisionedExternalId: '' },
        folderUrl: folder ? `${subPath}/dashboards/f/${folder.uid}/${toSlug(folder.title)}` : '',
      },
    });
  }

  function remove(uid: string): Reply {
    const found = find(uid);
    if (!found) return notFound;
    const { title, id } = found;
    found.isInTrash = true;
    return json(200, { title, message: `Dashboard ${title} moved to Recently deleted`, id });
  }

  function withTrash(method: string, uid: string, body: unknown): Reply {
    const found = find(uid, true);
    if (!found) return notFound;
    const { title } = found;
    if (method === 'DELETE') {
      dashboards.splice(dashboards.indexOf(found), 1);
      return json(200, { title, message: `Dashboard ${title} deleted`, uid });
    }
    const { folderUid = '' } = (body ?? {}) as { readonly folderUid?: string };
    if (folderUid !== '' && !folders.some(each => each.uid === folderUid)) {
      return json(400, { message: 'Restoring folder not found' });
    }
    if (namesakeOf(title, folderUid)) return sameName;
    found.isInTrash = false;
    found.folderUid = folderUid;
    return json(200, { title, message: `Dashboard ${title} restored`, uid });
  }

  function shorten(body: unknown): Reply {
    const { path: given } = (body ?? {}) as { readonly path?: unknown };
    const path = typeof given === 'string' ? given.trim() : '';
    const [messageId, message] =
      path === ''
        ? ['shorturl.bad-request', 'Bad request data']
        : path.startsWith('/')
          ? ['shorturl.absolute-path', 'Path should be relative']
          : path.includes('../')
            ? ['shorturl.invalid-path', 'Invalid short URL path']
            : [];
    if (messageId !== undefined) return json(400, { statusCode: 400, messageId, message, traceID: '' });
    const uid = `s${randomUUID().replaceAll('-', '').slice(0, 24)}z`;
    shortened.set(uid, path);
    return json(200, { uid, url: `${rootUrl}/goto/${uid}?orgId=1` });
  }

  function search(query: URLSearchParams): Reply {
    if (oddities.searchForbidden) {
      const message = "You'll need additional permissions to perform this action. Permissions needed: dashboards:read";
      return json(403, { title: 'Access denied', message, accessErrorId: 'ACE0123456789' });
    }
    const words = (query.get('query') ?? '').toLowerCase();
    const [types, uids, tagged] = [query.getAll('type'), query.getAll('dashboardUIDs'), query.getAll('tag')];
    const hits = types.length > 0 && !types.includes('dash-db') ? [] : dashboards;
    const found = hits
      .filter(each => !each.isInTrash && each.title.toLowerCase().includes(words))
      .filter(each => uids.length === 0 || uids.includes(each.uid))
      .filter(each => tagged.every(tag => tagsOf(each).includes(tag)))
      .toSorted((one, other) => one.title.localeCompare(other.title, 'en'))
      .map(each => {
        const folder = folderOf(each);
        return {
          ...{ id: each.id, uid: each.uid, title: each.title, uri: `db/${toSlug(each.title)}`, url: urlOf(each) },
          ...{ slug: '', type: 'dash-db', tags: tagsOf(each), isStarred: false, sortMeta: 0 },
          ...(folder ? { folderId: folder.id, folderUid: folder.uid, folderTitle: folder.title } : {}),
        };
      });
    const limit = Number(query.get('limit') ?? 1000);
    const from = (Number(query.get('page') ?? 1) - 1) * limit;
    return json(200, found.slice(from, from + limit));
  }

  function tags(): Reply {
    const all = dashboards.filter(each => !each.isInTrash).flatMap(each => [...new Set(tagsOf(each))]);
    const counts = Object.entries(Object.groupBy(all, each => each));
    const terms = counts.map(([term, some = []]) => ({ term, count: some.length }));
    return json(
      200,
      terms.toSorted((one, other) => (one.term < other.term ? -1 : 1)),
    );
  }

  const nav = [{ enable: false, type: 'timepicker' }];
  const home = {
    dashboard: {
      ...{ editable: false, nav, style: 'dark', tags: [], templating: { list: [] } },
      ...{ time: {}, timezone: 'browser', title: 'Home', version: 5 },
    },
    meta: {
      isHome: true,
      canSave: false,
      canEdit: false,
      canStar: false,
      url: '',
      expires: zeroTime,
      created: zeroTime,
    },
  };

  function makeFolder(body: unknown): Reply {
    const { uid = '', title = '' } = (body ?? {}) as { readonly uid?: string; readonly title?: string };
    if (title === '') return json(400, { message: 'folder title cannot be empty' });
    const folder = { id: ++lastId, uid: uid || newUid(), title };
    folders.push(folder);
    return json(200, { ...folder, url: `${subPath}/dashboards/f/${folder.uid}/${toSlug(title)}` });
  }

  return {
    answer: ({ method, path, body }: Asked): Reply | undefined => {
      const { pathname, searchParams } = new URL(path, 'http://here');
      const [, uid = '', isTrash] = /^\/api\/dashboards\/uid\/([^/]+)(\/trash)?$/.exec(pathname) ?? [];
      const [, short = ''] = /^\/goto\/([^/]+)$/.exec(pathname) ?? [];
      switch (`${method} ${pathname}`) {
        case 'POST /api/short-urls':
          return shorten(body);
        case 'POST /api/dashboards/db':
          return save(body);
        case 'GET /api/dashboards/home':
          return json(200, home);
        case 'GET /api/dashboards/tags':
          return tags();
        case 'GET /api/search':
          return search(searchParams);
        case 'POST /api/folders':
          return makeFolder(body);
        case `GET /goto/${short}`: {
          const target = shortened.get(short);
          return target === undefined
            ? { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Grafana</html>' }
            : { status: 302, headers: { location: `${rootUrl}/${target}` }, body: '' };
        }
        case `GET /api/dashboards/uid/${uid}`:
          return isTrash ? undefined : get(decodeURIComponent(uid));
        case `DELETE /api/dashboards/uid/${uid}`:
          return remove(decodeURIComponent(uid));
        case `DELETE /api/dashboards/uid/${uid}/trash`:
        case `PATCH /api/dashboards/uid/${uid}/trash`:
          return withTrash(method, decodeURIComponent(uid), body);
        default:
          return undefined;
      }
    },
  };
}
