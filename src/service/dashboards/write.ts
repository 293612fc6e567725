import { RpcError } from '../../contract/errors.ts';
import type { DashboardDb, DashboardRow } from '../store/dashboards.ts';
import { toSlug } from '../store/slug.ts';
import { toMicros } from '../store/time.ts';
import { isDeleted } from './checks.ts';
import type { DashboardDraft } from './draft.ts';
import { type DashboardHead, takeID } from './records.ts';
import { newUid } from './uid.ts';

/** The owner of a dashboard; people edit it too. */
export type Ownership = Pick<DashboardRow, 'plugin_id' | 'plugin_name' | 'provisioned'>;

const unowned: Ownership = { plugin_id: '', plugin_name: '', provisioned: 0 };

/**
 * Stores a draft that has passed its checks, as the first version of a new dashboard or the next one of `target`, and
 * rewrites its tags (docs/api-rules.md C2, step 17). A target from the trash is live again, with its versions and a new owner.
 * `folderID` 0 is the root level; `by` is a user id.
 */
export async function writeDashboard(
  { db, now, by }: { db: DashboardDb; now: Date; by: string },
  draft: DashboardDraft,
  {
    target,
    folderID,
    ownership = unowned,
  }: { target?: DashboardHead | undefined; folderID: number; ownership?: Ownership },
): Promise<Pick<DashboardRow, 'id' | 'uid' | 'slug' | 'version'>> {
  const id = target?.id ?? (await takeID(db));
  const version = (target?.version ?? 0) + 1;
  const uid = target?.uid ?? (draft.uid || newUid());
  const slug = toSlug(draft.title);
  const model = toText({ ...draft.model, id, uid, version });
  const time = toMicros(now);
  const news = { uid, folder_id: folderID, title: draft.title, slug, model, version, updated_at: time, updated_by: by };
  if (target) {
    const rebirth = isDeleted(target) ? { ...ownership, deleted_at: null } : {};
    await db
      .updateTable('dashboard')
      .set({ ...news, ...rebirth })
      .where('id', '=', id)
      .execute();
    await db.deleteFrom('dashboard_tag').where('dashboard_id', '=', id).execute();
  } else {
    const birth = { id, created_at: time, created_by: by, deleted_at: null };
    await db
      .insertInto('dashboard')
      .values({ ...news, ...ownership, ...birth })
      .execute();
  }
  for (const term of draft.tags) await db.insertInto('dashboard_tag').values({ dashboard_id: id, term }).execute();
  const history = { version, parent_version: version - 1, message: draft.message, model };
  await db
    .insertInto('dashboard_version')
    .values({ dashboard_id: id, ...history, created_at: time, created_by: by })
    .execute();
  return { id, uid, slug, version };
}

function toText(model: unknown): string {
  try {
    return JSON.stringify(model);
  } catch (cause) {
    // The model nests deeper than the stack: JSON.parse reads more levels than JSON.stringify can write.
    throw new RpcError('invalid_argument', 'bad request data', { cause });
  }
}
