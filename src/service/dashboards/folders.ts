import type { Implementation } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import type { Folder, Folders } from '../../contract/folders.ts';
import type { Context } from '../call/context.ts';
import type { DashboardDb, FolderRow } from '../store/dashboards.ts';
import { findPeople } from '../store/people.ts';
import { toSlug } from '../store/slug.ts';
import { toStorableText } from '../store/storable-text.ts';
import type { Db } from '../store/tables.ts';
import { formatTime, toMicros } from '../store/time.ts';
import { folderPath, subPath } from './address.ts';
import { trashHint } from './checks.ts';
import { find, findByTitle, openRecords, takeID } from './records.ts';
import { discardDashboards } from './trash.ts';
import { findUidProblem, isRootUid, newUid } from './uid.ts';

/** The root level as a folder, which has no row. */
const rootFolder: FolderRow = {
  ...{ id: 0, uid: 'general', title: 'General', slug: 'general', version: 1 },
  ...{ created_at: 0, updated_at: 0, created_by: '', updated_by: '' },
};

/** The folder endpoints on the database (docs/api-rules.md C5). */
export const folders: Implementation<typeof Folders, Context> = {
  async create(context, input) {
    const uid = input.uid.trim();
    const title = readTitle(input);
    const problem = isRootUid(uid) ? 'the uid general means the root level: choose another one' : findUidProblem(uid);
    if (problem !== undefined) throw new RpcError('invalid_argument', problem);
    const db = openRecords(context.db);
    const taken = uid === '' ? undefined : await find(db, 'uid', uid);
    if (taken) {
      throw new RpcError('conflict', `a folder or dashboard with the same uid already exists${trashHint(taken)}`);
    }
    await refuseTakenTitle(db, title);
    return toFolder(
      context,
      await insertFolder(
        { db, now: context.now, by: context.caller.userID },
        { id: await takeID(db), uid: uid || newUid(), title },
      ),
    );
  },

  async list(context, { parentUid, limit, page }) {
    const db = openRecords(context.db);
    if (parentUid !== '' && !isRootUid(parentUid)) {
      await findFolder(db, parentUid);
      return [];
    }
    return await db
      .selectFrom('folder')
      .select(['id', 'uid', 'title'])
      .orderBy('title')
      .orderBy('id')
      .limit(limit)
      .offset((Math.max(1, page) - 1) * limit)
      .execute();
  },

  async get(context, { uid }) {
    const named = openRecords(context.db).selectFrom('folder').selectAll().where('uid', '=', uid);
    const row = await named.executeTakeFirst();
    if (row) return toFolder(context, row);
    if (!isRootUid(uid)) throw missing();
    return { ...(await toFolder(context, rootFolder)), url: `${subPath(context.options)}/dashboards` };
  },

  async rename(context, input) {
    const db = openRecords(context.db);
    const title = readTitle(input);
    const folder = await findFolder(db, input.uid);
    if (!input.overwrite && input.version !== folder.version) {
      throw new RpcError('failed_precondition', 'the folder has been changed by someone else', {
        reason: 'version-mismatch',
      });
    }
    if (title === folder.title) return toFolder(context, folder);
    await refuseTakenTitle(db, title);
    const news = {
      ...{ title, slug: toSlug(title), version: folder.version + 1 },
      ...{ updated_at: toMicros(context.now), updated_by: context.caller.userID },
    };
    await db.updateTable('folder').set(news).where('id', '=', folder.id).execute();
    return toFolder(context, { ...folder, ...news });
  },

  async delete(context, { uid }) {
    const db = openRecords(context.db);
    const { id, title } = await findFolder(db, uid);
    const inside = await db
      .selectFrom('dashboard')
      .select(['id', 'provisioned'])
      .where('folder_id', '=', id)
      .where('deleted_at', 'is', null)
      .execute();
    if (inside.some(each => each.provisioned === 1)) {
      throw new RpcError('invalid_argument', 'the folder has a provisioned dashboard, which cannot be deleted');
    }
    await discardDashboards(
      context,
      inside.map(each => each.id),
    );
    await db.deleteFrom('folder').where('id', '=', id).execute();
    return { id, title, message: `Folder ${title} deleted` };
  },
};

function readTitle(wanted: { title: string; parentUid: string; description: string }): string {
  const { title, parentUid, description } = wanted;
  if (parentUid.trim() !== '' && !isRootUid(parentUid.trim())) {
    throw new RpcError('invalid_argument', 'folders cannot lie in other folders here: leave parentUid out');
  }
  if (description !== '') throw new RpcError('invalid_argument', 'folders have no description here: leave it out');
  const clean = toStorableText(title).trim();
  if (clean === '') throw new RpcError('invalid_argument', 'folder title cannot be empty');
  return clean;
}

async function findFolder(db: DashboardDb, uid: string): Promise<FolderRow> {
  const row = await db.selectFrom('folder').selectAll().where('uid', '=', uid).executeTakeFirst();
  if (!row) throw missing();
  return row;
}

function missing(): RpcError {
  return new RpcError('not_found', 'folder not found', { reason: 'not-found' });
}

async function refuseTakenTitle(db: DashboardDb, title: string): Promise<void> {
  if (await isTitleTaken(db, title)) {
    throw new RpcError('conflict', 'a folder or dashboard in the general folder with the same name already exists');
  }
}

/**
 * Makes a folder that a dashboard names and that does not exist (option `autoCreateFolders`). Its title is its uid. An `id` of
 * 0 takes the next one.
 */
export async function makeNamedFolder(
  context: Context,
  { id: wanted, uid }: { id: number; uid: string },
): Promise<FolderRow> {
  const db = openRecords(context.db);
  const id = wanted === 0 ? await takeID(db) : wanted;
  const title = (await isTitleTaken(db, uid)) ? `${uid} (folder ${id})` : uid;
  return insertFolder({ db, now: context.now, by: context.caller.userID }, { id, uid, title });
}

/** The folder of exactly this title. */
export async function findFolderByTitle(
  db: DashboardDb,
  { slug, title }: { slug: string; title: string },
): Promise<FolderRow | undefined> {
  const named = db.selectFrom('folder').selectAll().where('slug', '=', slug).where('title', '=', title);
  return await named.orderBy('id').executeTakeFirst();
}

/** Stores a folder; its id and uid must be free. `by` is a user id. */
export async function insertFolder(
  { by, now, db }: { readonly by: string; readonly now: Date; readonly db: Db },
  folder: { readonly id: number; readonly uid: string; readonly title: string },
): Promise<FolderRow> {
  const time = toMicros(now);
  const row = {
    ...folder,
    slug: toSlug(folder.title),
    created_at: time,
    updated_at: time,
    created_by: by,
    updated_by: by,
    version: 1,
  };
  await openRecords(db).insertInto('folder').values(row).execute();
  return row;
}

/** Whether a folder or a dashboard of the root level has this title. They share one space of titles. */
async function isTitleTaken(db: DashboardDb, title: string): Promise<boolean> {
  const slug = toSlug(title);
  const folder = await findFolderByTitle(db, { slug, title });
  return folder !== undefined || (await findByTitle(db, { folderID: 0, slug, title, except: 0 })) !== undefined;
}

async function toFolder(context: Context, row: FolderRow): Promise<Folder> {
  const personOf = await findPeople(context, [row.created_by, row.updated_by]);
  const canEdit = context.caller.role !== 'Viewer';
  return {
    id: row.id,
    uid: row.uid,
    title: row.title,
    url: folderPath(context.options, row),
    canSave: canEdit,
    canEdit,
    canAdmin: context.caller.role === 'Admin',
    created: formatTime(row.created_at),
    createdBy: personOf(row.created_by).name || 'Anonymous',
    updated: formatTime(row.updated_at),
    updatedBy: personOf(row.updated_by).name || 'Anonymous',
    version: row.version,
  };
}
