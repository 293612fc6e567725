import type { ServiceOptions } from '../call/options.ts';
import type { DashboardDb } from '../store/002-dashboards.ts';
import type { Destination } from './checks.ts';
import type { DashboardDraft } from './draft.ts';
import { find } from './records.ts';
import { findUidProblem, newUid } from './uid.ts';

/** The largest id that a request may choose for a folder: the largest number of a 32-bit column. */
const maxFolderID = 2_147_483_647;

/**
 * The destination of a draft: the folder of its uid, else of its id, else the root level (docs/api-rules.md C2, step 9). A
 * missing folder will be made if the options say so and nothing else has its uid or id (C5).
 */
export async function findDestination(
  db: DashboardDb,
  draft: Pick<DashboardDraft, 'uid' | 'folderUid' | 'folderId'>,
  options: Pick<ServiceOptions, 'autoCreateFolders'>,
): Promise<Destination> {
  const { folderUid, folderId } = draft;
  if (folderUid === '' && folderId === 0) return { id: 0 };
  const found = folderUid === '' ? await find(db, 'id', folderId) : await find(db, 'uid', folderUid);
  if (found) return 'folder' in found ? { id: found.folder.id } : 'unknown';
  if (!options.autoCreateFolders) return 'unknown';
  if (folderUid !== '') {
    const legal = findUidProblem(folderUid) === undefined && folderUid !== draft.uid;
    return legal ? { id: 0, make: { id: 0, uid: folderUid } } : 'unknown';
  }
  const legal = Number.isInteger(folderId) && folderId <= maxFolderID;
  return legal ? { id: 0, make: { id: folderId, uid: newUid() } } : 'unknown';
}
