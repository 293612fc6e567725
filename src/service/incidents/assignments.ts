import type { Context } from '../call/context.ts';
import { invalidArgument, notFound } from '../call/errors.ts';
import { readText } from '../call/input.ts';
import { takeNumber } from '../store/counters.ts';
import { findPeople } from '../store/people.ts';
import { fold, type RoleRow } from '../store/tables.ts';
import { findIncident, readIncident } from './find.ts';
import { type NewTimelineItem, recordEvent } from './record-event.ts';
import { completeSystemTask, toRoleTask } from './system-tasks.ts';

/** The most characters of a user id. */
export const maxUserID = 200;

interface Input {
  readonly incidentID: string;
  readonly userID: string;
  readonly role: string;
}

/** IncidentsService.AssignRole: a role already held changes nothing; an archived one is refused (docs/api-rules.md A6). */
export async function assignRole(context: Context, input: Input) {
  const incident = await findIncident(context, input.incidentID);
  const userID = readText('userID', input.userID, maxUserID);
  const { held, role } = await findNamedRole(context, incident.id, userID, input.role);
  if (!held) {
    if (!role) throw notFound('role', input.role);
    if (role.archived === 1)
      throw invalidArgument(`role ${JSON.stringify(role.name)} is archived and cannot be assigned`);
    const items = [
      await giveRole(context, incident.id, userID, role),
      ...(await completeSystemTask(context, incident.id, toRoleTask(role))),
    ];
    await recordEvent(context, incident.id, { items });
  }
  return { incident: await readIncident(context, incident.id), didChange: !held, error: '' };
}

/** IncidentsService.UnassignRole: a role not held changes nothing. */
export async function unassignRole(context: Context, input: Input) {
  const incident = await findIncident(context, input.incidentID);
  const userID = readText('userID', input.userID, maxUserID);
  const { held, role } = await findNamedRole(context, incident.id, userID, input.role);
  if (held) {
    await context.db
      .deleteFrom('assignment')
      .where('incident_id', '=', incident.id)
      .where('user_id', '=', userID)
      .where('role_id', '=', held.id)
      .execute();
    const items = [await toItem(context, 'roleUnassigned', userID, held)];
    await recordEvent(context, incident.id, { items });
  } else if (!role) {
    throw notFound('role', input.role);
  }
  return { incident: await readIncident(context, incident.id), didChange: held !== undefined, error: '' };
}

/** Stores that a person holds a role; gives the item for the timeline. */
export async function giveRole(
  context: Context,
  incidentID: number,
  userID: string,
  role: RoleRow,
): Promise<NewTimelineItem> {
  const position = await takeNumber(context.db, 'position');
  await context.db
    .insertInto('assignment')
    .values({ incident_id: incidentID, user_id: userID, role_id: role.id, position })
    .execute();
  return await toItem(context, 'roleAssigned', userID, role);
}

/** The role of that name, and the one of that name that a person holds, which may have been deleted since. */
async function findNamedRole(
  { db }: Context,
  incidentID: number,
  userID: string,
  name: string,
): Promise<{ readonly role: RoleRow | undefined; readonly held: RoleRow | undefined }> {
  const rows = await db
    .selectFrom('role')
    .leftJoin('assignment', join =>
      join
        .onRef('assignment.role_id', '=', 'role.id')
        .on('assignment.incident_id', '=', incidentID)
        .on('assignment.user_id', '=', userID),
    )
    .selectAll('role')
    .select('assignment.user_id as holder')
    .where('role.name_folded', '=', fold(name.trim()))
    .orderBy('role.deleted')
    .execute();
  return { role: rows.find(each => each.deleted === 0), held: rows.find(each => each.holder !== null) };
}

async function toItem(
  context: Context,
  kind: 'roleAssigned' | 'roleUnassigned',
  userID: string,
  role: RoleRow,
): Promise<NewTimelineItem> {
  const { name } = (await findPeople(context, [userID]))(userID);
  const verb = kind === 'roleAssigned' ? 'assigned as' : 'unassigned from';
  return {
    kind,
    body: `${name} ${verb} ${role.name}`,
    fieldValues: { role: role.name, roleID: role.id, userID },
    subjectUserID: userID,
    important: role.important === 1,
  };
}
