import type { Implementation } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import type { Folder, Folders } from '../../contract/folders.ts';
import type { Context } from '../call/context.ts';
import type { DashboardDb, FolderRow } from '../store/002-dashboards.ts';
import { findPeople } from '../store/people.ts';
import { toSlug } from '../store/slug.ts';
import { toStorableText } from '../store/storable-text.ts';
import { formatTime, toMicros } from '../store/time.ts';
import { folderPath } from './address.ts';
import { trashHint } from './checks.ts';
import { find, findByTitle, openRecords, takeID } from './records.ts';
import { findUidProblem, newUid } from './uid.ts';

/** The folder endpoints on the database (docs/api-rules.md C5). */
export const folders: Implementation<typeof Folders, Context> = {
  async create(context, input) {
    const uid = input.uid.trim();
    const title = toStorableText(input.title).trim();
    if (title === '') throw new RpcError('invalid_argument', 'folder title cannot be empty');
    const problem = findUidProblem(uid);
    if (problem !== undefined) throw new RpcError('invalid_argument', problem);
    const db = openRecords(context);
    const taken = uid === '' ? undefined : await find(db, 'uid', uid);
    if (taken) {
      throw new RpcError('conflict', `a folder or dashboard with the same uid already exists${trashHint(taken)}`);
    }
    if (await isTitleTaken(db, title)) {
      throw new RpcError('conflict', 'a folder or dashboard in the general folder with the same name already exists');
    }
    return toFolder(
      context,
      await insertFolder(
        { db, now: context.now, by: context.caller.userID },
        { id: await takeID(db), uid: uid || newUid(), title },
      ),
    );
  },

  async get(context, { uid }) {
    const row = await openRecords(context).selectFrom('folder').selectAll().where('uid', '=', uid).executeTakeFirst();
    if (!row) throw new RpcError('not_found', 'folder not found', { reason: 'not-found' });
    return toFolder(context, row);
  },
};

/**
 * Makes a folder that a dashboard names and that does not exist (option `autoCreateFolders`). Its title is its uid. An `id` of
 * 0 takes the next one.
 */
export async function makeNamedFolder(
  context: Context,
  { id: wanted, uid }: { id: number; uid: string },
): Promise<FolderRow> {
  const db = openRecords(context);
  const id = wanted === 0 ? await takeID(db) : wanted;
  const title = (await isTitleTaken(db, uid)) ? `${uid} (folder ${id})` : uid;
  return insertFolder({ db, now: context.now, by: context.caller.userID }, { id, uid, title });
}

/** The folder of exactly this title. */
export async function findFolderByTitle(
  db: DashboardDb,
  { slug, title }: { slug: string; title: string },
): Promise<FolderRow | undefined> {
  return db
    .selectFrom('folder')
    .selectAll()
    .where('slug', '=', slug)
    .where('title', '=', title)
    .orderBy('id')
    .executeTakeFirst();
}

/** Stores a folder; its id and uid must be free. `by` is a user id. */
export async function insertFolder(
  { by, now, db }: Pick<Context, 'db' | 'now'> & { by: string },
  folder: Pick<FolderRow, 'id' | 'uid' | 'title'>,
): Promise<FolderRow> {
  const time = toMicros(now);
  const row = {
    ...folder,
    slug: toSlug(folder.title),
    created_at: time,
    updated_at: time,
    created_by: by,
    updated_by: by,
  };
  await openRecords({ db }).insertInto('folder').values(row).execute();
  return row;
}

/** Whether a folder or a dashboard of the root level has this title. They share one space of titles. */
async function isTitleTaken(db: DashboardDb, title: string): Promise<boolean> {
  const slug = toSlug(title);
  const folder = await findFolderByTitle(db, { slug, title });
  return folder !== undefined || (await findByTitle(db, { folderID: 0, slug, title, except: 0 })) !== undefined;
}

async function toFolder(context: Context, row: FolderRow): Promise<Folder> {
  const personOf = await findPeople(context.db, [row.created_by, row.updated_by]);
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
    version: 1,
  };
}
