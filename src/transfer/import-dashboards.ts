import { findFolderByTitle } from '../service/dashboards/folders.ts';
import { find, findByTitle, openRecords } from '../service/dashboards/records.ts';
import { toSlug } from '../service/store/slug.ts';
import type { Db } from '../service/store/tables.ts';
import { parseTime } from '../service/store/time.ts';
import type { DashboardFile, FolderRecord } from './format.ts';
import { keepOrTake } from './ids.ts';
import type { ImportSummary } from './import-summary.ts';

/**
 * Imports the folders of dashboards; gives for each uid of the export its folder here. A folder of the same title here is used.
 */
export async function importFolders(
  db: Db,
  folders: readonly FolderRecord[],
  summary: ImportSummary,
): Promise<Map<string, number>> {
  const records = openRecords({ db });
  const ids = new Map<string, number>();
  for (const folder of folders) {
    const slug = toSlug(folder.title);
    const known = await find(records, 'uid', folder.uid);
    const namesake = await findFolderByTitle(records, { slug, title: folder.title });
    const here = known && 'folder' in known ? known.folder : namesake;
    if (here) {
      ids.set(folder.uid, here.id);
      summary.present.folders += 1;
    } else if (known || (await findByTitle(records, { folderID: 0, slug, title: folder.title, except: 0 }))) {
      summary.notes.push(`Folder ${folder.title} was left out: a dashboard here has its uid or title.`);
    } else {
      const id = await toFreeID(db, folder.id);
      await records
        .insertInto('folder')
        .values({
          id,
          uid: folder.uid,
          title: folder.title,
          slug,
          created_at: parseTime(folder.createdTime) ?? 0,
          updated_at: parseTime(folder.updatedTime) ?? 0,
          created_by: folder.createdByUserID,
          updated_by: folder.updatedByUserID,
        })
        .execute();
      ids.set(folder.uid, id);
      summary.added.folders += 1;
    }
  }
  return ids;
}

/** Imports a dashboard with its versions. It is left out when its uid or its title is taken. */
export async function importDashboard(
  db: Db,
  file: DashboardFile,
  folderIDs: ReadonlyMap<string, number>,
  summary: ImportSummary,
): Promise<void> {
  const records = openRecords({ db });
  if (await find(records, 'uid', file.uid)) {
    summary.present.dashboards += 1;
    return;
  }
  const slug = toSlug(file.title);
  const folderID = folderIDs.get(file.folderUid) ?? 0;
  const live = file.deletedTime === '';
  const place = { folderID, slug, title: file.title, except: 0 };
  const namesake =
    live && ((await findByTitle(records, place)) ?? (folderID === 0 && (await findFolderByTitle(records, place))));
  if (namesake) {
    summary.notes.push(`Dashboard ${file.uid} was left out: there is one titled "${file.title}" in its place.`);
    return;
  }
  if (file.folderUid !== '' && folderID === 0) {
    summary.notes.push(`Dashboard ${file.uid} is at the root level: its folder ${file.folderUid} was left out.`);
  }
  const id = await toFreeID(db, file.id);
  const toModel = (model: Readonly<Record<string, unknown>>) => JSON.stringify({ ...model, id });
  await records
    .insertInto('dashboard')
    .values({
      id,
      uid: file.uid,
      folder_id: folderID,
      title: file.title,
      slug,
      model: toModel(file.model),
      version: file.version,
      plugin_id: file.plugin.id,
      plugin_name: file.plugin.name,
      provisioned: 0,
      created_at: parseTime(file.createdTime) ?? 0,
      updated_at: parseTime(file.updatedTime) ?? 0,
      created_by: file.createdByUserID,
      updated_by: file.updatedByUserID,
      deleted_at: parseTime(file.deletedTime) ?? null,
    })
    .execute();
  for (const term of toTags(file.model.tags)) {
    await records.insertInto('dashboard_tag').values({ dashboard_id: id, term }).execute();
  }
  for (const each of file.versions) {
    const { version, parentVersion: parent_version, message } = each;
    const created_at = parseTime(each.createdTime) ?? 0;
    const birth = { created_at, created_by: each.createdByUserID };
    await records
      .insertInto('dashboard_version')
      .values({ dashboard_id: id, version, parent_version, message, model: toModel(each.model), ...birth })
      .execute();
  }
  summary.added.dashboards += 1;
}

function toTags(tags: unknown): readonly string[] {
  if (!Array.isArray(tags)) return [];
  return [...new Set(tags.filter((each): each is string => typeof each === 'string' && each !== ''))];
}

async function toFreeID(db: Db, wanted: number): Promise<number> {
  const records = openRecords({ db });
  return await keepOrTake(db, 'dashboard', wanted, async number => (await find(records, 'id', number)) !== undefined);
}
