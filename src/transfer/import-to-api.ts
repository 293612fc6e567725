import { items } from '../client/paging.ts';
import type { Api } from '../contract/contract.ts';
import type { CallOptions } from '../contract/define.ts';
import { RpcError } from '../contract/errors.ts';
import type { Incident } from '../contract/incidents.ts';
import { actingAs, fillIncident, isRefusal, pageSize, readNotes } from './api-incident.ts';
import type { ExportFolder } from './export-folder.ts';
import type { IncidentFile, UserRecord } from './format.ts';
import type { ImportOptions } from './import-to-database.ts';
import { createSummary, type ImportSummary } from './tally.ts';

/** The label of every imported incident, by which they are found again. */
export const importedLabel = 'imported';

/** What the public operations of the API cannot carry, in sentences. */
export const apiLosses: readonly string[] = [
  'Incidents get new ids, and are declared and closed now; the first note of each says what they were, when and by whom.',
  'Everything on a timeline is a note at its original time, by the token’s account (a Muster believes an Admin’s token who it was); who wrote it, and when, stands in its text.',
  'Tasks get new ids, times and authors; who wrote them stands in the first note.',
  'Versions of dashboards before the last, the trash, e-mail addresses and linked accounts of people are not brought along.',
];

const toMarker = (file: IncidentFile) => `(origin ${file.origin})`;

/**
 * Writes an export to a Grafana, or any other server of the API, as faithfully as its public operations let. Running it again
 * goes on where it stopped and adds nothing twice: an incident is known by the marker in its first note.
 */
export async function importToApi(api: Api, folder: ExportFolder, options: ImportOptions = {}): Promise<ImportSummary> {
  const tally = createSummary();
  tally.notes.push(...apiLosses);
  const roles = await importRoles(api, folder, tally);
  const people = new Map((await folder.people()).map(each => [each.userID, each]));
  const accounts = await findAccounts(api, [...people.values()]);
  const there = await findImported(api);
  for await (const file of folder.incidents()) {
    if (file.isPrivate && !options.withPrivate) {
      tally.notes.push(`Incident ${file.incidentID} was left out: it is private. --with-private brings it along.`);
      continue;
    }
    const marker = toMarker(file);
    const known = there.find(each => each.marks.includes(marker));
    const half = known ?? there.find(each => each.marks === '' && each.incident.title === file.title);
    if (half) half.marks += marker;
    const { incidentID } = half?.incident ?? (await declare(api, file, actingAs(people, file.createdByUserID)));
    const changed = await fillIncident({ api, file, incidentID, marker, people, accounts, roles, notes: tally.notes });
    (known && !changed ? tally.present : tally.added).incidents += 1;
  }
  await importDashboards(api, folder, tally);
  return tally;
}

async function declare(api: Api, file: IncidentFile, options: CallOptions): Promise<Incident> {
  const labels = [importedLabel, ...file.labels.map(each => each.label)];
  const { title, isDrill, roomPrefix } = file;
  const input = { title, isDrill, roomPrefix, labels: labels.map(label => ({ label, description: '', colorHex: '' })) };
  const { incident } = await api.IncidentsService.CreateIncident(input, options);
  return incident;
}

/** Incidents that were imported before, each with the markers in its notes; none: it was cut off right after it was declared. */
async function findImported(api: Api): Promise<{ incident: Pick<Incident, 'incidentID' | 'title'>; marks: string }[]> {
  const found: { incident: Pick<Incident, 'incidentID' | 'title'>; marks: string }[] = [];
  const query = { limit: pageSize, orderDirection: 'ASC', orderField: '', queryString: '' } as const;
  const previews = items(api.IncidentsService.QueryIncidentPreviews, 'incidentPreviews', { query });
  for await (const { incidentID, title, labels } of previews) {
    if (!labels.some(each => each.label === importedLabel)) continue;
    let marks = '';
    for await (const { body } of readNotes(api, incidentID)) marks += /\(origin [^)]*\)/.exec(body)?.[0] ?? '';
    found.push({ incident: { incidentID, title }, marks });
  }
  return found;
}

/** Roles that are there by name, or have been made; the names of the roles that can be given, by their ids in the export. */
async function importRoles(api: Api, folder: ExportFolder, tally: ImportSummary): Promise<ReadonlyMap<number, string>> {
  const there = (await api.RolesService.GetRoles({})).roles;
  const names = new Map<number, string>();
  for (const { deleted, roleID, ...role } of await folder.roles()) {
    const known = there.find(each => each.name.toLowerCase() === role.name.toLowerCase());
    if (known) {
      names.set(roleID, known.name);
      tally.present.roles += 1;
      continue;
    }
    if (deleted) continue;
    try {
      const { name, description, important, mandatory, archived } = role;
      await api.RolesService.CreateRole({ role: { name, description, important, mandatory, archived } });
      names.set(roleID, name);
      tally.added.roles += 1;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      tally.notes.push(`Role ${role.name} was left out: ${error.message}`);
    }
  }
  return names;
}

/** Ids on the server for people of the export: their own where it is known there, else the account with the same e-mail address. */
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

async function importDashboards(api: Api, folder: ExportFolder, tally: ImportSummary): Promise<void> {
  const titles = new Map((await folder.folders()).map(each => [each.uid, each.title]));
  for await (const file of folder.dashboards()) {
    if (file.deletedTime !== '') continue;
    try {
      await api.Dashboards.get({ uid: file.uid });
      tally.present.dashboards += 1;
      continue;
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== 'not_found') throw error;
    }
    const dashboard = { ...file.model, id: null, uid: file.uid, version: 0 };
    const message = 'imported by Muster';
    try {
      await api.Dashboards.save({ dashboard, folderUid: file.folderUid, message });
      tally.added.dashboards += 1;
      const title = titles.get(file.folderUid);
      titles.delete(file.folderUid);
      if (title !== undefined) await compareFolder(api, { ...file, title }, tally);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      try {
        await api.Dashboards.save({ dashboard, message });
        tally.added.dashboards += 1;
        tally.notes.push(`Dashboard ${file.uid} is at the root level: ${error.message}`);
      } catch (again) {
        if (!isRefusal(again)) throw again;
        tally.notes.push(`Dashboard ${file.uid} was left out: ${again.message}`);
      }
    }
  }
}

/** Folders are made by their uids, since the API has no way to make one by its title that all servers share. */
async function compareFolder(
  api: Api,
  { uid, folderUid, title }: { uid: string; folderUid: string; title: string },
  tally: ImportSummary,
): Promise<void> {
  const { folderTitle } = (await api.Dashboards.get({ uid })).meta;
  if (folderTitle === title) return;
  const words = [title, folderTitle].map(each => JSON.stringify(each));
  tally.notes.push(`Folder ${folderUid}, which was ${words[0]}, is ${words[1]} there.`);
}
