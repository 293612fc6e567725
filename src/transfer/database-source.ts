import { parseJson } from '../contract/exact-json.ts';
import type { Database } from '../db/database.ts';
import { openRecords } from '../service/dashboards/records.ts';
import { toImportDb } from '../service/store/imports.ts';
import { findLabels } from '../service/store/incident-labels.ts';
import { type Db, serviceLock, type Tables } from '../service/store/tables.ts';
import { formatTime } from '../service/store/time.ts';
import type { DashboardFile, IncidentFile, TransferSource } from './format.ts';

/**
 * Reads an export from the service's own database, which may be in use. Each incident and each dashboard is read under the
 * service's lock, so that it is consistent.
 */
export function openDatabaseSource(database: Database): TransferSource {
  const withLock = <T>(work: (db: Db) => Promise<T>) => database.withLock<Tables, T>(serviceLock, work);
  const db = database.as<Tables>();
  return {
    address: 'database',
    gaps: [],
    async roles() {
      const rows = await db.selectFrom('role').selectAll().orderBy('id').execute();
      return rows.map(row => ({
        roleID: row.id,
        name: row.name,
        description: row.description,
        important: row.important === 1,
        mandatory: row.mandatory === 1,
        archived: row.archived === 1,
        deleted: row.deleted === 1,
        createdTime: formatTime(row.created_at),
        updatedTime: formatTime(row.updated_at),
      }));
    },
    async *incidents() {
      const rows = await db.selectFrom('incident').select('id').orderBy('id').execute();
      for (const { id } of rows) yield await withLock(trx => readIncident(trx, id));
    },
    async folders() {
      const rows = await openRecords(db).selectFrom('folder').selectAll().orderBy('id').execute();
      return rows.map(row => ({
        id: row.id,
        uid: row.uid,
        title: row.title,
        createdTime: formatTime(row.created_at),
        updatedTime: formatTime(row.updated_at),
        createdByUserID: row.created_by,
        updatedByUserID: row.updated_by,
      }));
    },
    async *dashboards() {
      const rows = await openRecords(db).selectFrom('dashboard').select('uid').orderBy('uid').execute();
      for (const { uid } of rows) {
        const file = await withLock(trx => readDashboard(trx, uid));
        if (file) yield file;
      }
    },
    async people() {
      const rows = await db.selectFrom('person').selectAll().orderBy('user_id').execute();
      return rows.map(row => ({
        userID: row.user_id,
        name: row.name,
        photoURL: row.photo_url,
        email: row.email,
        slackUserID: row.slack_user_id,
        slackTeamID: row.slack_team_id,
        modifiedTime: formatTime(row.modified_at),
      }));
    },
  };
}

async function readIncident(db: Db, id: number): Promise<IncidentFile> {
  const row = await db.selectFrom('incident').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const imported = await toImportDb(db)
    .selectFrom('import_source')
    .select('origin')
    .where('incident_id', '=', id)
    .executeTakeFirst();
  const labels = (await findLabels(db, [id])).get(id) ?? [];
  const assignments = await db
    .selectFrom('assignment')
    .select(['user_id', 'role_id'])
    .where('incident_id', '=', id)
    .orderBy('position')
    .execute();
  const tasks = await db.selectFrom('task').selectAll().where('incident_id', '=', id).orderBy('position').execute();
  const items = await db.selectFrom('activity').selectAll().where('incident_id', '=', id).orderBy('seq').execute();
  const createdTime = formatTime(row.created_at);
  return {
    origin: imported?.origin ?? `${id}@${createdTime}`,
    incidentID: String(id),
    title: row.title,
    severity: row.severity,
    severityLevel: row.severity_level,
    status: row.status,
    isDrill: row.is_drill === 1,
    isPrivate: row.is_private === 1,
    roomPrefix: row.room_prefix,
    summary: '',
    createdTime,
    modifiedTime: formatTime(row.modified_at),
    closedTime: formatTime(row.closed_at),
    incidentStart: formatTime(row.started_at),
    incidentEnd: formatTime(row.ended_at),
    createdByUserID: row.created_by,
    version: row.version,
    labels: labels.map(({ key, label, description, colorHex }) => ({ key, label, description, colorHex })),
    assignments: assignments.map(each => ({ userID: each.user_id, roleID: each.role_id })),
    tasks: tasks.map(task => ({
      taskID: task.id,
      text: task.text,
      status: task.status,
      authorUserID: task.author_user_id,
      assignedUserID: task.assigned_user_id,
      createdTime: formatTime(task.created_at),
      modifiedTime: formatTime(task.modified_at),
      immutable: task.immutable === 1,
    })),
    timeline: items.map(item => ({
      activityItemID: item.id,
      kind: item.kind,
      userID: item.user_id,
      subjectUserID: item.subject_user_id,
      createdTime: formatTime(item.created_at),
      eventTime: formatTime(item.event_at),
      body: item.body,
      url: item.url,
      tags: JSON.parse(item.tags),
      immutable: item.immutable === 1,
      fieldValues: parseJson(item.field_values) as DashboardFile['model'],
    })),
  };
}

async function readDashboard(db: Db, uid: string): Promise<DashboardFile | undefined> {
  const records = openRecords(db);
  const row = await records.selectFrom('dashboard').selectAll().where('uid', '=', uid).executeTakeFirst();
  if (!row) return undefined;
  const folder = await records.selectFrom('folder').select('uid').where('id', '=', row.folder_id).executeTakeFirst();
  const versions = await records
    .selectFrom('dashboard_version')
    .selectAll()
    .where('dashboard_id', '=', row.id)
    .orderBy('version')
    .execute();
  return {
    id: row.id,
    uid,
    title: row.title,
    folderUid: folder?.uid ?? '',
    plugin: { id: row.plugin_id, name: row.plugin_name },
    version: row.version,
    createdTime: formatTime(row.created_at),
    updatedTime: formatTime(row.updated_at),
    deletedTime: formatTime(row.deleted_at),
    createdByUserID: row.created_by,
    updatedByUserID: row.updated_by,
    model: parseJson(row.model) as DashboardFile['model'],
    versions: versions.map(each => ({
      version: each.version,
      parentVersion: each.parent_version,
      message: each.message,
      createdTime: formatTime(each.created_at),
      createdByUserID: each.created_by,
      model: parseJson(each.model) as DashboardFile['model'],
    })),
  };
}
