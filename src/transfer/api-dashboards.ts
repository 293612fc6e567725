import type { Api } from '../contract/contract.ts';
import { RpcError } from '../contract/errors.ts';
import { formatTime, parseTime } from '../service/store/time.ts';
import type { DashboardFile, FolderRecord } from './format.ts';

/** Reads dashboards from a server that cannot list them: named ones, and those that texts link to. */
interface DashboardReader {
  /** Looks for links to dashboards in a text. */
  notice(text: string): void;
  dashboards(): AsyncIterable<DashboardFile>;
  /** The folders of the dashboards that have been read. */
  folders(): FolderRecord[];
}

/** Links in texts: `/d/<uid>` and `/goto/<uid>` of any host, because servers have several names. */
const link = /\/(d|goto)\/([A-Za-z0-9_-]{1,200})/g;

/** Makes a reader of named dashboards and of those that texts link to, directly or by a short link. */
export function openDashboardReader(api: Api, address: string, named: readonly string[]): DashboardReader {
  const uids = new Set(named);
  const short = new Set<string>();
  const folders = new Map<string, FolderRecord>();
  const notice = (text: string) => {
    for (const [, kind, uid = ''] of text.matchAll(link)) (kind === 'd' ? uids : short).add(uid);
  };
  return {
    notice,
    folders: () => [...folders.values()].sort((one, other) => one.id - other.id),
    async *dashboards() {
      for (const uid of short) notice((await unlessMissing(api.ShortUrls.goto({ uid })))?.location ?? '');
      for (const uid of [...uids].sort()) {
        const found = await unlessMissing(api.Dashboards.get({ uid }));
        if (!found && named.includes(uid)) throw new Error(`There is no dashboard ${uid} at ${address}.`);
        if (!found) continue;
        const { dashboard, meta } = found;
        const times = { createdTime: toTime(meta.created), updatedTime: toTime(meta.updated) };
        const people = { createdByUserID: '', updatedByUserID: '' };
        if (meta.folderUid !== '') {
          const { folderUid: each, folderTitle: title, folderId: id } = meta;
          folders.set(each, { id: Math.max(0, id), uid: each, title: title || each, ...times, ...people });
        }
        const version = Math.max(1, Math.trunc(dashboard.version));
        const { createdTime, updatedTime } = times;
        const only = {
          version,
          parentVersion: version - 1,
          message: '',
          createdTime: updatedTime,
          createdByUserID: '',
        };
        yield {
          id: Math.max(0, dashboard.id ?? 0),
          uid,
          title: dashboard.title,
          folderUid: meta.folderUid,
          plugin: { id: '', name: '' },
          version,
          createdTime,
          updatedTime,
          deletedTime: '',
          ...people,
          model: dashboard,
          versions: [{ ...only, model: dashboard }],
        };
      }
    },
  };
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RpcError && ['not_found', 'permission_denied', 'invalid_argument'].includes(error.code))
      return undefined;
    throw error;
  }
}

/** A time, or the earliest possible one when the server gives none. */
function toTime(text: string): string {
  return formatTime(parseTime(text) ?? 0);
}
