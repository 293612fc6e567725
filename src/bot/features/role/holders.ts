import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import type { Deps } from '../../dispatch/deps.ts';
import type { Holder } from './intents.ts';
import { chooseRoles, fold } from './names.ts';

/** Who holds which role in an incident, in the order they were given. */
export async function readHolders(
  deps: Deps,
  incident: Incident,
): Promise<readonly { readonly role: string; readonly holder: Holder }[]> {
  return Promise.all(
    incident.incidentMembership.assignments.map(async ({ user, role }) => {
      const slackUserID = await deps.people.toSlackId(user.userID);
      return { role: role.name, holder: { userID: user.userID, slackUserID, name: user.name || user.userID } };
    }),
  );
}

/** Those who hold a role in an incident. */
export async function holdersOf(deps: Deps, incident: Incident, role: string): Promise<readonly Holder[]> {
  const all = await readHolders(deps, incident);
  return all.filter(each => fold(each.role) === fold(role)).map(each => each.holder);
}

/** The roles that can be given, and those that are held although they no longer can be. */
export async function listRoles(deps: Deps, incident: Incident, now: Date): Promise<readonly Role[]> {
  const { roles } = await chooseRoles(deps.api, now);
  const listed = new Map(roles.filter(role => !role.archived).map(role => [fold(role.name), role]));
  for (const { role } of incident.incidentMembership.assignments) {
    if (!listed.has(fold(role.name))) listed.set(fold(role.name), { ...role, archived: true });
  }
  return [...listed.values()];
}
