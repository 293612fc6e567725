import type { Database } from '../db/database.ts';
import { defaultOptions, type ServiceOptions } from '../service/call/options.ts';
import { raiseDirectory } from '../service/store/counters.ts';
import type { Db, Tables } from '../service/store/tables.ts';
import { serviceLock } from '../service/store/tables.ts';
import { toMicros } from '../service/store/time.ts';
import type { ExportFolder } from './export-folder.ts';
import { importDashboard, importFolders } from './import-dashboards.ts';
import { importIncident, toKeptNumber } from './import-incident.ts';
import { importPeople } from './import-people.ts';
import { importRoles } from './import-roles.ts';
import { createSummary, type ImportSummary } from './tally.ts';

/** How an import treats what is not plain. */
export interface ImportOptions {
  /** Also incidents that were private where they come from; here, everybody who may read sees them. */
  readonly withPrivate?: boolean;
  readonly severities?: ServiceOptions['severities'];
}

/**
 * Reads an export into the service's own database, which may be empty or in use: every incident and every dashboard in a
 * transaction of its own, so that an import that was cut off goes on where it stopped when it is run again. What is there
 * already is not touched. Webhooks are told nothing of it: it happened long ago.
 */
export async function importToDatabase(
  database: Database,
  folder: ExportFolder,
  now: Date,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const tally = createSummary();
  const withLock = async <T>(work: (db: Db, tally: ImportSummary) => Promise<T>): Promise<T> => {
    // Work may run twice when it collides, and then must not count twice.
    const [own, result] = await database.withLock<Tables, [ImportSummary, T]>(serviceLock, async db => {
      const fresh = createSummary();
      return [fresh, await work(db, fresh)];
    });
    addUp(tally, own);
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
    if (incident.isPrivate && !options.withPrivate) {
      tally.notes.push(`Incident ${incident.incidentID} was left out: it is private. --with-private brings it along.`);
      continue;
    }
    const added = await withLock(db => importIncident(db, incident, terms));
    (added ? tally.added : tally.present).incidents += 1;
  }
  const folders = await folder.folders();
  const folderIDs = await withLock((db, own) => importFolders(db, folders, own));
  for await (const dashboard of folder.dashboards()) {
    await withLock((db, own) => importDashboard(db, dashboard, folderIDs, own));
  }
  return tally;
}

function addUp(tally: ImportSummary, more: ImportSummary): void {
  for (const which of ['added', 'present'] as const) {
    for (const [sort, count] of Object.entries(more[which]))
      tally[which][sort as keyof ImportSummary['added']] += count;
  }
  tally.notes.push(...more.notes);
}
