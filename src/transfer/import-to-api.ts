import type { Api } from '../contract/contract.ts';
import type { CallOptions } from '../contract/define.ts';
import { RpcError } from '../contract/errors.ts';
import type { Incident } from '../contract/incidents.ts';
import { items } from '../contract/paging.ts';
import { actingAs, isRefusal, pageSize, readNotes, uploadIncident } from './api-incident.ts';
import type { ExportFolder } from './export-folder.ts';
import type { IncidentFile, UserRecord } from './format.ts';
import { createSummary, type ImportSummary } from './import-summary.ts';

/** The label of every imported incident, by which later imports find it. */
const importedLabel = 'imported';

/** Losses of an import through the API's public operations, in sentences. */
const apiLosses: readonly string[] = [
  'Incidents get new ids, and are declared and closed now; the first note of each names the original id, times and author.',
  'Every timeline item becomes a note at its original time, by the token’s account; its text names its author and time. A Muster accepts the original author from an Admin’s token.',
  'Tasks get new ids, times and authors; the first note names the original authors.',
  'Earlier versions of dashboards, the trash, and people’s e-mail addresses and linked accounts are left out.',
];

/**
 * Writes an export to a Grafana or another server of the API, as far as its public operations allow. A second run continues
 * where the first one stopped and adds nothing twice: the marker in its first note identifies an incident.
 */
export async function importToApi(
  api: Api,
  folder: ExportFolder,
  options: {
    /** Also imports private incidents: in a Grafana, all its readers see them. */
    readonly withPrivate?: boolean;
  } = {},
): Promise<ImportSummary> {
  const summary = createSummary();
  summary.notes.push(...apiLosses);
  const roles = await importRoles(api, folder, summary);
  const people = new Map((await folder.people()).map(each => [each.userID, each]));
  const accounts = await findAccounts(api, [...people.values()]);
  const there = await findImported(api);
  for await (const file of folder.incidents()) {
    if (file.isPrivate && !options.withPrivate) {
      summary.notes.push(`Incident ${file.incidentID} was left out: it is private. --with-private imports it too.`);
      continue;
    }
    const marker = `(origin ${file.origin})`;
    const known = there.find(each => each.marks.includes(marker));
    const half = known ?? there.find(each => each.marks === '' && each.title === file.title);
    if (half) half.marks += marker;
    const { incidentID } = half ?? (await declare(api, file, actingAs(people, file.createdByUserID)));
    const changed = await uploadIncident({
      api,
      file,
      incidentID,
      marker,
      people,
      accounts,
      roles,
      notes: summary.notes,
    });
    (known && !changed ? summary.present : summary.added).incidents += 1;
  }
  await importDashboards(api, folder, summary);
  return summary;
}

async function declare(api: Api, file: IncidentFile, options: CallOptions): Promise<Incident> {
  const { title, isDrill, roomPrefix } = file;
  const labels = file.labels.map(({ key, label, description }) => ({ key, label, description }));
  const input = { title, isDrill, roomPrefix, labels: [{ label: importedLabel }, ...labels] };
  const incidentType = file.isPrivate ? 'private' : 'internal';
  const { incident } = await api.IncidentsService.CreateIncident(input, { ...options, incidentType });
  return incident;
}

interface ImportedIncident {
  readonly incidentID: string;
  readonly title: string;
  /** The markers of its notes. */
  marks: string;
}

/**
 * Incidents that were imported before, each with the markers of its notes. An incident without one was cut off right after its
 * declaration.
 */
async function findImported(api: Api): Promise<ImportedIncident[]> {
  const found: ImportedIncident[] = [];
  const query = { limit: pageSize, orderDirection: 'ASC', orderField: '', queryString: '' } as const;
  const previews = items(api.IncidentsService.QueryIncidentPreviews, 'incidentPreviews', { query });
  for await (const { incidentID, title, labels } of previews) {
    if (!labels.some(each => each.label === importedLabel)) continue;
    let marks = '';
    for await (const { body } of readNotes(api, incidentID)) marks += /\(origin [^)]*\)?/.exec(body)?.[0] ?? '';
    found.push({ incidentID, title, marks });
  }
  return found;
}

/** Creates the missing roles; gives the names of roles that can be assigned, by their ids in the export. */
async function importRoles(
  api: Api,
  folder: ExportFolder,
  summary: ImportSummary,
): Promise<ReadonlyMap<number, string>> {
  const there = (await api.RolesService.GetRoles({})).roles;
  const names = new Map<number, string>();
  for (const { deleted, roleID, ...role } of await folder.roles()) {
    const known = there.find(each => each.name.toLowerCase() === role.name.toLowerCase());
    if (known) {
      names.set(roleID, known.name);
      summary.present.roles += 1;
      continue;
    }
    if (deleted) continue;
    try {
      const { name, description, important, mandatory, archived } = role;
      await api.RolesService.CreateRole({ role: { name, description, important, mandatory, archived } });
      names.set(roleID, name);
      summary.added.roles += 1;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      summary.notes.push(`Role ${role.name} was left out: ${error.message}`);
    }
  }
  return names;
}

/**
 * Ids on the server for people of the export: the same id if the server knows it, else the account with the same e-mail
 * address.
 */
async function findAccounts(api: Api, people: readonly UserRecord[]): Promise<ReadonlyMap<string, string>> {
  const accounts = new Map<string, string>();
  const byEmail = new Map<string, string>();
  try {
    const users = items(api.UsersService.QueryUsers, 'users', { query: { limit: pageSize } });
    for await (const { userID, email } of users) {
      accounts.set(userID, userID);
      if (email !== '') byEmail.set(email.toLowerCase(), userID);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  for (const { userID, email } of people) {
    const account = email === '' ? undefined : byEmail.get(email.toLowerCase());
    if (account && !accounts.has(userID)) accounts.set(userID, account);
  }
  return accounts;
}

async function importDashboards(api: Api, folder: ExportFolder, summary: ImportSummary): Promise<void> {
  const titles = new Map((await folder.folders()).map(each => [each.uid, each.title]));
  for await (const file of folder.dashboards()) {
    if (file.deletedTime !== '') continue;
    try {
      await api.Dashboards.get({ uid: file.uid });
      summary.present.dashboards += 1;
      continue;
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== 'not_found') throw error;
    }
    const dashboard = { ...file.model, id: null, uid: file.uid, version: 0 };
    const message = 'imported by Muster';
    try {
      await api.Dashboards.save({ dashboard, folderUid: file.folderUid, message });
      summary.added.dashboards += 1;
      const title = titles.get(file.folderUid);
      titles.delete(file.folderUid);
      if (title !== undefined) await compareFolder(api, { ...file, title }, summary);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      try {
        await api.Dashboards.save({ dashboard, message });
        summary.added.dashboards += 1;
        summary.notes.push(`Dashboard ${file.uid} is at the root level: ${error.message}`);
      } catch (again) {
        if (!isRefusal(again)) throw again;
        summary.notes.push(`Dashboard ${file.uid} was left out: ${again.message}`);
      }
    }
  }
}

/**
 * Notes a folder whose title differs. Folders are made by their uids, because no operation that all servers share makes one by
 * title.
 */
async function compareFolder(
  api: Api,
  { uid, folderUid, title }: { uid: string; folderUid: string; title: string },
  summary: ImportSummary,
): Promise<void> {
  const { folderTitle } = (await api.Dashboards.get({ uid })).meta;
  if (folderTitle === title) return;
  const words = [title, folderTitle].map(each => JSON.stringify(each));
  summary.notes.push(`Folder ${folderUid}, which was ${words[0]}, is ${words[1]} there.`);
}
