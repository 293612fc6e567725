import { z } from 'zod';
import type { ActivityItem, ActivityKind } from '../../../contract/activity.ts';
import { RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { IntentContext } from './intent-kind.ts';

/** The reason of an undo that is refused because of a later change. */
export const changedSince = 'changedSince';

/** In a payload: the value that must be current, when it undoes something. */
export const onlyFrom = z.string().optional();

/** In a payload or a result: when the change was made, by the clock of the API. Absent in what an older version stored. */
export const madeAt = z.string().optional();

/** Throws an RpcError when the value has been changed since, so that no later change is undone. `shown` is what people call it. */
export function refuseUnless(current: string, only: string | undefined, shown = current): void {
  if (only === undefined || only === current) return;
  throw toChanged(`somebody has changed it since, to ${shown}`);
}

/** The items of a timeline that tell of changes of one thing. */
export interface ChangesOfOne {
  /** As it was read a moment ago. */
  readonly incident: Incident;
  readonly kinds: readonly ActivityKind[];
  /** Whether an item of these kinds is about that thing; absent: all are. */
  isAbout?(fieldValues: ActivityItem['fieldValues']): boolean;
}

/** Items that are read to find later changes of one thing. */
const maxItems = 100;

/**
 * Throws an RpcError when a value that is current was changed and set again since: then it is somebody else's. `since`: when the change to
 * be undone was made; undefined when it undoes nothing. A Grafana names no fields of some items: then only the value counts.
 */
export async function refuseSetAgain(
  { api, call }: IntentContext,
  since: string | undefined,
  { incident: { incidentID, modifiedTime }, kinds, isAbout = () => true }: ChangesOfOne,
): Promise<void> {
  if (since === undefined || Date.parse(modifiedTime) <= Date.parse(since)) return;
  const query = { incidentID, activityKind: [...kinds], orderDirection: 'DESC' as const, limit: maxItems };
  const { activityItems } = await api.ActivityService.QueryActivity({ query }, call);
  const later = activityItems.filter(
    ({ createdTime, fieldValues }) => new Date(createdTime) > new Date(since) && isAbout(fieldValues),
  );
  // Away from the value and back are two. One may be the change itself, whose item is written a moment later.
  if (later.length > 1) throw toChanged('somebody has changed it since, and set it to the same again');
}

function toChanged(message: string): RpcError {
  return new RpcError('failed_precondition', message, { reason: changedSince, maybeApplied: false });
}
