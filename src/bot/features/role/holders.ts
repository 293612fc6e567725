import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import type { Deps } from '../../dispatch/deps.ts';
import { fold } from '../../incident/roles.ts';
import type { Holder } from './intents.ts';

/** A role and one who holds it. */
export interface HeldRole {
  readonly role: string;
  readonly holder: Holder;
}

/** Who holds which role in an incident, in the order they were given. */
export async function readHolders(deps: Deps, incident: Incident): Promise<readonly HeldRole[]> {
  return Promise.all(
    incident.incidentMembership.assignments.map(async ({ user, role }) => {
      const slackUserID = await deps.people.toSlackId(user.userID);
      const slackTeamID = slackUserID && deps.slack.identity.teamId;
      const holder = { userID: user.userID, slackUserID, slackTeamID, name: user.name || user.userID };
      return { role: role.name, holder };
    }),
  );
}

/** Those who hold one of the roles. */
export function holdersOf(held: readonly HeldRole[], role: string): readonly Holder[] {
  return held.filter(each => fold(each.role) === fold(role)).map(each => each.holder);
}

/** Of all roles those that can be given, and those that are held although they no longer can be. */
export function listRoles(roles: readonly Role[], incident: Incident): readonly Role[] {
  const listed = new Map(roles.filter(role => !role.archived).map(role => [fold(role.name), role]));
  for (const { role } of incident.incidentMembership.assignments) {
    if (!listed.has(fold(role.name))) listed.set(fold(role.name), { ...role, archived: true });
  }
  return [...listed.values()];
}
