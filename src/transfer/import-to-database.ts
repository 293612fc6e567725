import type { Database } from '../db/database.ts';
import { defaultOptions, type ServiceOptions } from '../service/call/options.ts';
import { findFolderByTitle } from '../service/dashboards/folders.ts';
import { find, findByTitle, openRecords } from '../service/dashboards/records.ts';
import { raiseDirectory } from '../service/store/counters.ts';
import { roleColumns } from '../service/store/roles.ts';
import { toSlug } from '../service/store/slug.ts';
import { type Db, fold, type RoleRow, serviceLock, type Tables } from '../service/store/tables.ts';
import { parseTime, toMicros } from '../service/store/time.ts';
import type { ExportFolder } from './export-folder.ts';
import type { DashboardFile, FolderRecord, RoleRecord, UserRecord } from './format.ts';
import { keepOrTake } from './ids.ts';
import { importIncident, toKeptNumber } from './import-incident.ts';
import { createSummary, type ImportSummary } from './import-summary.ts';

/**
 * Reads an export into the service's own database, which may be empty or in use. Each incident and each dashboard has a
 * transaction of its own, so that a second run continues where the first one stopped. Existing things stay untouched. Webhooks
 * are not sent, because the events are long past.
 */
export async function importToDatabase(
  database: Database,
  folder: ExportFolder,
  now: Date,
  options: { readonly severities?: ServiceOptions['severities'] } = {},
): Promise<ImportSummary> {
  const summary = createSummary();
  const withLock = async <T>(work: (db: Db, summary: ImportSummary) => Promise<T>): Promise<T> => {
    // `work` runs again after a collision, and must not count twice.
    const [own, result] = await database.withLock<Tables, [ImportSummary, T]>(serviceLock, async db => {
      const fresh = createSummary();
      return [fresh, await work(db, fresh)];
    });
    addUp(summary, own);
    return result;
  };
  const people = await folder.people();
  await withLock(async (db, own) => {
    await importPeople(db, people, own, toMicros(now));
    await raiseDirectory(db);
  });
  const roles = await folder.roles();
  const roleIDs = await withLock(async (db, own) => {
    await raiseDirectory(db);
    return await importRoles(db, roles, own, toMicros(now));
  });
  const severities = options.severities ?? defaultOptions.severities;
  const highestID = folder.incidentIDs.reduce((most, each) => Math.max(most, toKeptNumber(each)), 0);
  const terms = { source: folder.manifest.source, roleIDs, highestID, severities, now: toMicros(now) };
  for await (const incident of folder.incidents()) {
    const added = await withLock(db => importIncident(db, incident, terms));
    (added ? summary.added : summary.present).incidents += 1;
  }
  const folders = await folder.folders();
  const folderIDs = await withLock((db, own) => importFolders(db, folders, own));
  for await (const dashboard of folder.dashboards()) {
    await withLock((db, own) => importDashboard(db, dashboard, folderIDs, own));
  }
  return summary;
}

function addUp(summary: ImportSummary, more: ImportSummary): void {
  for (const which of ['added', 'present'] as const) {
    for (const [kind, count] of Object.entries(more[which]))
      summary[which][kind as keyof ImportSummary['added']] += count;
  }
  summary.notes.push(...more.notes);
}

/** Imports people. A person who is known here changes only if the export's entry is newer. */
async function importPeople(db: Db, people: readonly UserRecord[], summary: ImportSummary, now: number): Promise<void> {
  for (const person of people) {
    const modified = parseTime(person.modifiedTime);
    const row = {
      user_id: person.userID,
      name: person.name,
      photo_url: person.photoURL,
      email: person.email,
      email_folded: fold(person.email),
      slack_user_id: person.slackUserID,
      slack_team_id: person.slackTeamID,
      modified_at: modified ?? now,
    };
    const known = await db
      .selectFrom('person')
      .select('modified_at')
      .where('user_id', '=', person.userID)
      .executeTakeFirst();
    if (!known) {
      await db.insertInto('person').values(row).execute();
      summary.added.people += 1;
      continue;
    }
    summary.present.people += 1;
    if (modified === undefined || modified <= known.modified_at) continue;
    await db.updateTable('person').set(row).where('user_id', '=', person.userID).execute();
  }
}

/**
 * Imports roles; gives for each role id of the export the one here. A role of the same name here stays as it is. While there is
 * no incident yet, it becomes the exported one, id included.
 */
async function importRoles(
  db: Db,
  roles: readonly RoleRecord[],
  summary: ImportSummary,
  now: number,
): Promise<Map<number, number>> {
  const fresh = (await db.selectFrom('incident').select('id').limit(1).executeTakeFirst()) === undefined;
  const ids = new Map<number, number>();
  for (const role of roles) {
    const known = await findKnown(db, role);
    if (known && fresh && !role.deleted) await db.deleteFrom('role').where('id', '=', known.id).execute();
    else if (known) {
      ids.set(role.roleID, known.id);
      summary.present.roles += 1;
      continue;
    }
    ids.set(role.roleID, await insertRole(db, role, now));
    if (known) summary.present.roles += 1;
    else summary.added.roles += 1;
  }
  return ids;
}

async function findKnown(db: Db, role: RoleRecord): Promise<RoleRow | undefined> {
  const created = parseTime(role.createdTime);
  const namesakes = await db
    .selectFrom('role')
    .selectAll()
    .where('name_folded', '=', fold(role.name))
    .where('deleted', '=', role.deleted ? 1 : 0)
    .orderBy('id')
    .execute();
  return role.deleted ? namesakes.find(each => created === undefined || each.created_at === created) : namesakes[0];
}

async function insertRole(db: Db, role: RoleRecord, now: number): Promise<number> {
  const find = (number: number) => db.selectFrom('role').select('id').where('id', '=', number).executeTakeFirst();
  const id = await keepOrTake(db, 'role', role.roleID, async number => (await find(number)) !== undefined);
  const created = parseTime(role.createdTime) ?? now;
  await db
    .insertInto('role')
    .values({
      id,
      ...roleColumns(role),
      deleted: role.deleted ? 1 : 0,
      created_at: created,
      updated_at: parseTime(role.updatedTime) ?? created,
    })
    .execute();
  return id;
}

/**
 * Imports the folders of dashboards; gives for each uid of the export its folder here. A folder of the same title here is used.
 */
async function importFolders(
  db: Db,
  folders: readonly FolderRecord[],
  summary: ImportSummary,
): Promise<Map<string, number>> {
  const records = openRecords(db);
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
          version: 1,
        })
        .execute();
      ids.set(folder.uid, id);
      summary.added.folders += 1;
    }
  }
  return ids;
}

/** Imports a dashboard with its versions. It is left out when its uid or its title is taken. */
async function importDashboard(
  db: Db,
  file: DashboardFile,
  folderIDs: ReadonlyMap<string, number>,
  summary: ImportSummary,
): Promise<void> {
  const records = openRecords(db);
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
  const records = openRecords(db);
  return await keepOrTake(db, 'dashboard', wanted, async number => (await find(records, 'id', number)) !== undefined);
}
