import { RpcError } from '../../contract/errors.ts';
import type { Caller } from '../call/context.ts';
import type { DashboardDraft } from './draft.ts';
import type { DashboardHead, DashboardOrFolder } from './records.ts';

/*
 * The checks of a save that need stored rows: steps 8 to 16 of docs/api-rules.md C2. Each is a function that passes or throws.
 * save.ts runs them in their order.
 */

/**
 * Where a dashboard goes: to the root level, an existing folder, or a new one; `unknown` when there is no such folder.
 */
export type Destination =
  | {
      readonly id: number;
      /** A folder that the request names and that does not exist. An `id` of 0 means the next free one. */
      readonly make?: { readonly id: number; readonly uid: string } | undefined;
    }
  | 'unknown';

/** The draft, the stored things with its id and its uid, and its destination. */
export interface Situation {
  readonly draft: DashboardDraft;
  readonly byID: DashboardOrFolder | undefined;
  readonly byUid: DashboardOrFolder | undefined;
  readonly destination: Destination;
}

/**
 * Step 8: the draft's id belongs to a live dashboard, to a folder, or to what its uid names. An id counts in one installation
 * only, so it never leads to a dashboard of another uid.
 */
export function idIsKnown({ draft, byID, byUid }: Situation): void {
  const isNamed = draft.uid === '' || byUid !== undefined;
  if (draft.id === 0 || (isNamed && (isLive(byID) || isSame(byID, byUid)))) return;
  throw new RpcError('not_found', 'Dashboard not found', { reason: 'not-found' });
}

/** Step 9: the folder exists, or will be made. */
export function folderIsKnown({ draft, destination }: Situation): void {
  if (destination !== 'unknown') return;
  if (draft.folderUid !== '') throw new RpcError('invalid_argument', 'folder not found');
  throw new RpcError('not_found', 'Folder not found');
}

/**
 * Step 10, with docs/api-rules.md D6: the uid belongs to no other dashboard, and a request that names neither id nor version
 * does not overwrite a live dashboard by accident.
 */
export function uidIsFree({ draft, byID, byUid }: Situation): void {
  if (byUid === undefined) return;
  const other = byID !== undefined && !isSame(byID, byUid);
  const blind = draft.id === 0 && draft.version === undefined && !draft.overwrite;
  if (other || (blind && 'dashboard' in byUid && isLive(byUid))) {
    throw nameExists(`A dashboard with the same uid already exists${trashHint(byUid)}`);
  }
}

/** Step 12: the target of the save is no folder. Gives the dashboard to save over (step 11), if there is one. */
export function targetIsNoFolder({ byID, byUid }: Situation): DashboardHead | undefined {
  const target = byID ?? byUid;
  if (target === undefined || 'dashboard' in target) return target?.dashboard;
  throw new RpcError('invalid_argument', 'Dashboard cannot be changed to a folder');
}

/** Step 13: the dashboard is unchanged since the caller read it; no version counts as 0. What lies in the trash is taken over. */
export function versionIsCurrent(draft: DashboardDraft, target: DashboardHead | undefined): void {
  if (!target || draft.overwrite || isDeleted(target) || (draft.version ?? 0) === target.version) return;
  throw new RpcError('failed_precondition', 'The dashboard has been changed by someone else', {
    reason: 'version-mismatch',
  });
}

/** Step 14. */
export function pluginAllows(draft: DashboardDraft, target: DashboardHead | undefined): void {
  if (!target || target.plugin_id === '' || draft.overwrite || isDeleted(target)) return;
  throw new RpcError('failed_precondition', `The dashboard belongs to plugin ${target.plugin_name}.`, {
    reason: 'plugin-dashboard',
  });
}

/**
 * Step 15: no folder of the destination has the same title, and no dashboard, unless the call overwrites it. Gives the dashboard to save
 * over: the one with the same title in place of the target.
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

/** Whether a dashboard lies in the trash. */
export function isDeleted(dashboard: DashboardHead): boolean {
  return dashboard.deleted_at !== null;
}

/** What frees the uid of a dashboard that is hidden in the trash; `""` for anything else. */
export function trashHint(found: DashboardOrFolder): string {
  if (isLive(found) || 'folder' in found) return '';
  const path = `/api/dashboards/uid/${found.dashboard.uid}/trash`;
  return `: it is in the trash. DELETE ${path} deletes it for good, PATCH ${path} restores it.`;
}

function isLive(found: DashboardOrFolder | undefined): boolean {
  return found !== undefined && ('folder' in found || !isDeleted(found.dashboard));
}

function isSame(one: DashboardOrFolder | undefined, other: DashboardOrFolder | undefined): boolean {
  return one !== undefined && other !== undefined && idOf(one) === idOf(other);
}

function idOf(found: DashboardOrFolder): number {
  return 'dashboard' in found ? found.dashboard.id : found.folder.id;
}
