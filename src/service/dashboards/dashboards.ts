import type { z } from 'zod';
import type { Dashboards } from '../../contract/dashboards.ts';
import type { Implementation } from '../../contract/define.ts';
import type { Context } from '../call/context.ts';
import type { ServiceOptions } from '../call/options.ts';
import type { DashboardDb } from '../store/dashboards.ts';
import { toSlug } from '../store/slug.ts';
import { dashboardPath } from './address.ts';
import type { Destination } from './checks.ts';
import * as check from './checks.ts';
import { type DashboardDraft, type SaveRequest, toDraft } from './draft.ts';
import { findFolderByTitle, makeNamedFolder } from './folders.ts';
import { getDashboard, getHome, listTags } from './read.ts';
import { type DashboardHead, type DashboardOrFolder, find, findByTitle, openRecords } from './records.ts';
import { deleteDashboard, hardDeleteDashboard, purgeTrash, restoreDashboard } from './trash.ts';
import { findUidProblem, isRootUid, newUid } from './uid.ts';
import { writeDashboard } from './write.ts';

/** The dashboard endpoints on the database (docs/short-url-api.md; docs/api-rules.md C1 to C4). */
export const dashboards: Implementation<typeof Dashboards, Context> = {
  save: saveDashboard,
  get: (context, { uid }) => getDashboard(context, uid),
  delete: (context, { uid }) => deleteDashboard(context, uid),
  hardDelete: (context, { uid }) => hardDeleteDashboard(context, uid),
  restore: (context, { uid, folderUid }) => restoreDashboard(context, uid, folderUid.trim()),
  home: getHome,
  tags: listTags,
};

/**
 * Creates or updates a dashboard: the checks of docs/api-rules.md C2 in their order, then the new version with its history
 * and tags. A dashboard whose request names no folder moves to the root level. There is no quota (step 3).
 */
async function saveDashboard(context: Context, request: SaveRequest): Promise<z.output<typeof Dashboards.save.output>> {
  const db = openRecords(context.db);
  const draft = toDraft(request, context.options.minRefresh);
  await purgeTrash(context);
  const situation: check.Situation = {
    draft,
    byID: draft.id === 0 ? undefined : await find(db, 'id', draft.id),
    byUid: draft.uid === '' ? undefined : await find(db, 'uid', draft.uid),
    destination: await findDestination(db, draft, context.options),
  };
  check.idIsKnown(situation);
  check.folderIsKnown(situation);
  check.uidIsFree(situation);
  const named = check.targetIsNoFolder(situation);
  check.versionIsCurrent(draft, named);
  check.pluginAllows(draft, named);
  const target = check.titleIsFree(draft, named, await findNamesake(db, draft, situation.destination, named));
  check.callerMaySave(context.caller);
  check.targetIsNotProvisioned(target);
  const folder = await findOrMakeFolder(context, situation.destination);
  const { id, uid, slug, version } = await writeDashboard({ db, now: context.now, by: context.caller.userID }, draft, {
    target,
    folderID: folder?.id ?? 0,
  });
  const url = dashboardPath(context.options, { uid, slug });
  return { status: 'success', slug, version, id, uid, url, folderUid: folder?.uid ?? '' };
}

/**
 * The dashboard with the draft's title at its destination, or at the root level a folder with that title. All folders are at
 * the root level.
 */
async function findNamesake(
  db: DashboardDb,
  draft: DashboardDraft,
  destination: check.Destination,
  target: DashboardHead | undefined,
): Promise<DashboardOrFolder | undefined> {
  if (destination === 'unknown' || destination.make) return undefined;
  const slug = toSlug(draft.title);
  const folder = destination.id === 0 ? await findFolderByTitle(db, { slug, title: draft.title }) : undefined;
  if (folder) return { folder };
  const except = target?.id ?? 0;
  const dashboard = await findByTitle(db, { folderID: destination.id, slug, title: draft.title, except });
  return dashboard && { dashboard };
}

/** The folder to save in, which is made if it is missing; undefined is the root level. */
async function findOrMakeFolder(
  context: Context,
  destination: check.Destination,
): Promise<{ id: number; uid: string } | undefined> {
  if (destination === 'unknown' || (destination.id === 0 && !destination.make)) return undefined;
  if (destination.make) return makeNamedFolder(context, destination.make);
  return openRecords(context.db)
    .selectFrom('folder')
    .select(['id', 'uid'])
    .where('id', '=', destination.id)
    .executeTakeFirstOrThrow();
}

/** The largest id that a request may choose for a folder: the largest number of a 32-bit column. */
const maxFolderID = 2_147_483_647;

/**
 * The destination of a draft: the folder of its uid, else of its id, else the root level (docs/api-rules.md C2, step 9). A
 * missing folder will be made if the options say so and nothing else has its uid or id (C5).
 */
async function findDestination(db: DashboardDb, draft: DashboardDraft, options: ServiceOptions): Promise<Destination> {
  const { folderUid, folderId } = draft;
  if ((folderUid === '' && folderId === 0) || folderUid === 'general') return { id: 0 };
  const found = folderUid === '' ? await find(db, 'id', folderId) : await find(db, 'uid', folderUid);
  if (found && 'folder' in found) return { id: found.folder.id };
  if (isRootUid(folderUid)) return { id: 0 };
  if (found) return 'unknown';
  if (!options.autoCreateFolders) return 'unknown';
  if (folderUid !== '') {
    const legal = findUidProblem(folderUid) === undefined && folderUid !== draft.uid;
    return legal ? { id: 0, make: { id: 0, uid: folderUid } } : 'unknown';
  }
  const legal = Number.isInteger(folderId) && folderId <= maxFolderID;
  return legal ? { id: 0, make: { id: folderId, uid: newUid() } } : 'unknown';
}
