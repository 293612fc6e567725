import { RpcError } from '../../contract/errors.ts';
import type { Caller } from '../call/context.ts';
import type { DashboardDraft } from './draft.ts';
import type { DashboardHead, DashboardOrFolder } from './records.ts';

/*
 * The checks of a save that need stored rows: steps 8 to 16 of docs/api-rules.md C2. Each is a function that passes or throws.
 * save.ts runs them in their order.
 */

/**
 * Where a dashboard is to be saved: the root level, an existing folder, or one to be made; `unknown` when there is no such
 * folder.
 */
export type Destination = { readonly id: number; readonly make?: FolderToMake | undefined } | 'unknown';

/** A folder that a request names and that does not exist. An `id` of 0 means the next free one. */
interface FolderToMake {
  readonly id: number;
  readonly uid: string;
}

/** The draft, the stored things with its id and its uid, and its destination. */
export interface Situation {
  readonly draft: DashboardDraft;
  readonly byID: DashboardOrFolder | undefined;
  readonly byUid: DashboardOrFolder | undefined;
  readonly destination: Destination;
}

/** Step 8: the draft's id belongs to a live dashboard or a folder. */
export function idIsKnown({ draft, byID }: Situation): void {
  if (draft.id === 0 || isLive(byID)) return;
  throw new RpcError('not_found', 'Dashboard not found', { reason: 'not-found' });
}

/** Step 9: the folder exists, or will be made. */
export function folderIsKnown({ draft, destination }: Situation): void {
  if (destination !== 'unknown') return;
  if (draft.folderUid !== '') throw new RpcError('invalid_argument', 'folder not found');
  throw new RpcError('not_found', 'Folder not found');
}

/**
 * Step 10, with docs/api-rules.md D6: the uid belongs to no other dashboard, nor to one in the trash, and a request that names
 * neither id nor version does not overwrite a dashboard by accident.
 */
export function uidIsFree({ draft, byID, byUid }: Situation): void {
  if (byUid === undefined) return;
  const other = byID !== undefined && idOf(byID) !== idOf(byUid);
  const blind = draft.id === 0 && draft.version === undefined && !draft.overwrite && 'dashboard' in byUid;
  if (other || blind || !isLive(byUid)) throw nameExists('A dashboard with the same uid already exists');
}

/** Step 12: the target of the save is no folder. Gives the dashboard to save over (step 11), if there is one. */
export function targetIsNoFolder({ byID, byUid }: Situation): DashboardHead | undefined {
  const target = byID ?? byUid;
  if (target === undefined || 'dashboard' in target) return target?.dashboard;
  throw new RpcError('invalid_argument', 'Dashboard cannot be changed to a folder');
}

/** Step 13: the dashboard is unchanged since the caller read it; no version counts as 0. */
export function versionIsCurrent(draft: DashboardDraft, target: DashboardHead | undefined): void {
  if (!target || draft.overwrite || (draft.version ?? 0) === target.version) return;
  throw new RpcError('failed_precondition', 'The dashboard has been changed by someone else', {
    reason: 'version-mismatch',
  });
}

/** Step 14. */
export function pluginAllows(draft: DashboardDraft, target: DashboardHead | undefined): void {
  if (!target || target.plugin_id === '' || draft.overwrite) return;
  throw new RpcError('failed_precondition', `The dashboard belongs to plugin ${target.plugin_name}.`, {
    reason: 'plugin-dashboard',
  });
}

/**
 * Step 15: no folder of the destination has the same title, and no dashboard, unless it is to be overwritten. Gives the
 * dashboard to save over: the one with the same title in place of the target.
 */
export function titleIsFree(
  draft: DashboardDraft,
  target: DashboardHead | undefined,
  namesake: DashboardOrFolder | undefined,
): DashboardHead | undefined {
  if (namesake === undefined) return target;
  if ('folder' in namesake) {
    throw new RpcError('invalid_argument', 'Dashboard name cannot be the same as folder', { reason: 'name-match' });
  }
  if (draft.overwrite) return namesake.dashboard;
  throw nameExists('A dashboard with the same name in the folder already exists');
}

/** Step 16, first half. */
export function callerMaySave(caller: Caller): void {
  if (caller.role === 'Viewer') throw new RpcError('permission_denied', 'Access denied to save dashboard');
}

/** Step 16, second half. */
export function targetIsNotProvisioned(target: DashboardHead | undefined): void {
  if (target?.provisioned) throw new RpcError('invalid_argument', 'Cannot save provisioned dashboard');
}

/** 412 `name-exists`. */
export function nameExists(message: string): RpcError {
  return new RpcError('failed_precondition', message, { reason: 'name-exists' });
}

function isLive(found: DashboardOrFolder | undefined): boolean {
  return found !== undefined && ('folder' in found || found.dashboard.deleted_at === null);
}

function idOf(found: DashboardOrFolder): number {
  return 'dashboard' in found ? found.dashboard.id : found.folder.id;
}
