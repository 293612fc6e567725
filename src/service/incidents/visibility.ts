import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller, Context } from '../call/context.ts';
import type { Sight } from '../call/readers.ts';
import type { IncidentRow, Tables } from '../store/tables.ts';

/*
 * Who sees a private incident: Admins, the person who declared it, and the people who hold a role in it. For all others there is no such
 * incident (docs/api-rules.md A6, Private incidents).
 */

const incident = expressionBuilder<Tables, 'incident'>();

/** A condition on `incident` that only the incidents meet which the caller may see. */
export function isVisibleTo(caller: Caller): Expression<SqlBool> {
  if (caller.role === 'Admin') return incident.and([]);
  if (caller.reader) return isSeenWith(caller.reader.sight);
  const isPublic = incident('incident.is_private', '=', 0);
  if (caller.userID === '') return isPublic;
  return incident.or([isPublic, isInvolved([caller.userID])]);
}

/**
 * The condition for a person of Slack: only the people in its room see a private incident. Roles count where there is no room
 * (docs/decisions.md, Private incidents).
 */
function isSeenWith({ seesPublic, userIDs, joined, roomed, closed, declared }: Sight): Expression<SqlBool> {
  // One look for each incident: the lists are of all incidents there ever were.
  const isOf = (ids: Expression<string>) =>
    sql<SqlBool>`exists (select 1 from ${ids} as listed where listed.incident_id = cast(${sql.ref('incident.id')} as text))`;
  const isOpen = incident.and([incident('incident.is_private', '=', 0), incident.not(isOf(closed))]);
  const isRoomless = incident.and([incident.not(isOf(roomed)), incident.or([isInvolved(userIDs), isOf(declared)])]);
  return incident.or([...(seesPublic ? [isOpen] : []), isOf(joined), isRoomless]);
}

/** They declared it or hold a role in it. */
function isInvolved(userIDs: readonly string[]): Expression<SqlBool> {
  return incident.or([
    incident('incident.created_by', 'in', userIDs),
    incident.exists(
      incident
        .selectFrom('assignment')
        .select('assignment.incident_id')
        .whereRef('assignment.incident_id', '=', 'incident.id')
        .where('assignment.user_id', 'in', userIDs),
    ),
  ]);
}

/** Whether the caller may see an incident. Costs a query for a private one, and for each where a person of Slack reads. */
export async function isVisible({ caller, db }: Context, row: IncidentRow): Promise<boolean> {
  if (caller.role === 'Admin' || (row.is_private === 0 && !caller.reader)) return true;
  const found = await db
    .selectFrom('incident')
    .select('incident.id')
    .where('incident.id', '=', row.id)
    .where(isVisibleTo(caller))
    .executeTakeFirst();
  return found !== undefined;
}
