import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../contract/exact-json.ts';
import type { JsonObject } from '../../json-object.ts';
import type { Context } from '../call/context.ts';
import type { DashboardDb } from '../store/dashboards.ts';
import { toDraft } from './draft.ts';
import { insertFolder } from './folders.ts';
import { find, openRecords, takeID } from './records.ts';
import { type Ownership, writeDashboard } from './write.ts';

type SeedContext = Pick<Context, 'db' | 'now' | 'options'>;
/**
 * Stores the folders, plugin dashboards and provisioned dashboards of the options. What exists stays as it is, so that people's
 * changes survive a restart. Provisioned dashboards, which people cannot change, follow the options; they become ordinary ones
 * when the options no longer name them. Throws with the title of a dashboard that cannot be stored.
 */
export async function seedDashboards(context: SeedContext): Promise<void> {
  const { options } = context;
  const db = openRecords(context.db);
  for (const { uid, title } of options.folders) {
    if (await find(db, 'uid', uid)) continue;
    await insertFolder({ ...context, by: '' }, { id: await takeID(db), uid, title });
  }
  for (const { model, pluginId, pluginName } of options.pluginDashboards) {
    await seed(context, model, { plugin_id: pluginId, plugin_name: pluginName, provisioned: 0 });
  }
  await db.updateTable('dashboard').set({ provisioned: 0 }).where('provisioned', '=', 1).execute();
  for (const model of options.provisionedDashboards) {
    await seed(context, model, { plugin_id: '', plugin_name: '', provisioned: 1 });
  }
}

async function seed(context: SeedContext, model: JsonObject, ownership: Ownership): Promise<void> {
  const request = { dashboard: { ...model, id: null }, folderId: 0, folderUid: '', overwrite: true, isFolder: false };
  const draft = toDraft({ ...request, message: '' }, context.options.minRefresh);
  if (draft.uid === '') throw new Error(`The dashboard "${draft.title}" of the options has no uid: give it one.`);
  const db = openRecords(context.db);
  const writer = { db, now: context.now, by: '' };
  const found = await find(db, 'uid', draft.uid);
  if (found && 'folder' in found) {
    throw new Error(`The dashboard "${draft.title}" of the options has the uid of a folder, ${draft.uid}.`);
  }
  if (!found) {
    await writeDashboard(writer, draft, { folderID: 0, ownership });
  } else if (ownership.provisioned) {
    const target = found.dashboard;
    await db.updateTable('dashboard').set({ provisioned: 1, deleted_at: null }).where('id', '=', target.id).execute();
    if (await isStored(db, target.id, draft.model)) return;
    await writeDashboard(writer, draft, { target, folderID: target.folder_id, ownership });
  }
}

async function isStored(db: DashboardDb, id: number, model: JsonObject): Promise<boolean> {
  const row = await db.selectFrom('dashboard').select('model').where('id', '=', id).executeTakeFirstOrThrow();
  const stored: JsonObject = parseJson(row.model) as JsonObject;
  const names = { id: null, uid: null, version: null };
  return isDeepStrictEqual({ ...stored, ...names }, { ...(parseJson(JSON.stringify(model)) as JsonObject), ...names });
}
