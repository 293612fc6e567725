import type { IncidentMembership } from '../../contract/incidents.ts';
import type { AssignmentPreview } from '../../contract/roles.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { Known } from './known.ts';
import { findPeople } from './people.ts';
import { toRole } from './roles.ts';
import type { Db } from './tables.ts';

const readRows = definePrepared((db: Db, value: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom('assignment')
    .innerJoin('role', 'role.id', 'assignment.role_id')
    .selectAll('role')
    .select(['assignment.incident_id', 'assignment.user_id'])
    .where('assignment.incident_id', 'in', value.ids)
    .orderBy('assignment.incident_id')
    .orderBy('assignment.position'),
);

/**
 * Who holds which role in each of the incidents; an incident without people is not in the map. One statement looks up these people and
 * `others`, whom the caller names next.
 */
export async function findMemberships(
  context: { readonly db: Db; readonly known: Known; readonly options: { readonly orgID: string } },
  incidentIDs: readonly number[],
  others: readonly string[] = [],
): Promise<Map<number, IncidentMembership>> {
  const rows = incidentIDs.length === 0 ? [] : await readRows(context.db, { ids: incidentIDs });
  const personOf = await findPeople(context, [...rows.map(each => each.user_id), ...others]);
  const found = new Map<number, IncidentMembership>();
  for (const row of rows) {
    const membership = found.get(row.incident_id) ?? noMembership();
    membership.assignments.push({
      user: personOf(row.user_id),
      role: toRole(row, context.options.orgID),
      roleID: row.id,
    });
    found.set(row.incident_id, membership);
  }
  for (const membership of found.values()) Object.assign(membership, toCounts(membership.assignments));
  return found;
}

/** The membership of an incident without people. */
export function noMembership(): IncidentMembership {
  return { assignments: [], totalAssignments: 0, totalParticipants: 0 };
}

/** Participants are the people who hold only roles that are neither important nor mandatory (docs/api-rules.md A3). */
function toCounts(assignments: IncidentMembership['assignments']) {
  const all = new Set(assignments.map(each => each.user.userID));
  const proper = new Set(
    assignments.filter(each => each.role.important || each.role.mandatory).map(each => each.user.userID),
  );
  return { totalAssignments: assignments.length, totalParticipants: all.size - proper.size };
}

/** The holders of important roles, for previews. */
export function toImportant(membership: IncidentMembership): AssignmentPreview[] {
  return membership.assignments.filter(each => each.role.important).map(({ user, roleID }) => ({ user, roleID }));
}
