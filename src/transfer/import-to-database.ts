import type { Database } from '../db/database.ts';
import { defaultOptions, type ServiceOptions } from '../service/call/options.ts';
import { raiseDirectory } from '../service/store/counters.ts';
import { type Db, serviceLock, type Tables } from '../service/store/tables.ts';
import { toMicros } from '../service/store/time.ts';
import type { ExportFolder } from './export-folder.ts';
import { importDashboard, importFolders } from './import-dashboards.ts';
import { importIncident, toKeptNumber } from './import-incident.ts';
import { importPeople } from './import-people.ts';
import { importRoles } from './import-roles.ts';
import { createSummary, type ImportSummary } from './import-summary.ts';

/** Choices of an import. */
interface ImportOptions {
  readonly severities?: ServiceOptions['severities'];
}

/**
 * Reads an export into the service's own database, which may be empty or in use. Each incident and each dashboard has a
 * transaction of its own, so that a second run continues where the first one stopped. Existing things stay untouched. Webhooks
 * are not sent, because the events are long past.
 */
export async function importToDatabase(
  database: Database,
  folder: ExportFolder,
  now: Date,
  options: ImportOptions = {},
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
