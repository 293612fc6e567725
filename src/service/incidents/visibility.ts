import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Caller, Context } from '../call/context.ts';
import type { IncidentRow, Tables } from '../store/tables.ts';

/*
 * Who sees a private incident: Admins, the person who declared it, and the people who hold a role in it. For everybody else there
 * is no such incident (docs/api-rules.md A6, Private incidents).
 */

const incident = expressionBuilder<Tables, 'incident'>();

/** A condition on `incident` that only the incidents meet which the caller may see. */
export function isVisibleTo(caller: Caller): Expression<SqlBool> {
  if (caller.role === 'Admin') return incident.and([]);
  const isPublic = incident('incident.is_private', '=', 0);
  if (caller.userID === '') return isPublic;
  return incident.or([
    isPublic,
    incident('incident.created_by', '=', caller.userID),
    incident.exists(
      incident
        .selectFrom('assignment')
        .select('assignment.incident_id')
        .whereRef('assignment.incident_id', '=', 'incident.id')
        .where('assignment.user_id', '=', caller.userID),
    ),
  ]);
}

/** Whether the caller may see an incident. Costs a query only for a private one. */
export async function isVisible({ caller, db }: Context, row: IncidentRow): Promise<boolean> {
  if (row.is_private === 0 || caller.role === 'Admin') return true;
  const found = await db
    .selectFrom('incident')
    .select('incident.id')
    .where('incident.id', '=', row.id)
    .where(isVisibleTo(caller))
    .executeTakeFirst();
  return found !== undefined;
}
