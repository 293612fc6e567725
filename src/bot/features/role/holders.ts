import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { fold } from '../../incident/state/roles.ts';
import type { Holder, Somebody } from './holder.ts';

/** Where people are looked up. */
type HolderDeps = Pick<IncidentDeps, 'people' | 'slack'>;

/** A role and one who holds it. */
export interface HeldRole {
  readonly role: string;
  readonly holder: Holder;
}

/** The API's users as holders of roles. One without a name in the API has that of their Slack account. */
export async function toHolders({ people, slack }: HolderDeps, users: readonly Somebody[]): Promise<Holder[]> {
  return await Promise.all(
    users.map(async ({ userID, name }) => {
      const slackUserID = await people.toSlackId(userID);
      const isNameless = (name === '' || name === userID) && slackUserID !== '';
      const known = isNameless ? await people.find(slackUserID).catch(() => undefined) : undefined;
      const slackTeamID = slackUserID && slack.identity.teamId;
      return { userID, slackUserID, slackTeamID, name: known?.name || name || userID };
    }),
  );
}

/** Who holds which role in an incident, in the order they were given. */
export async function readHolders(deps: HolderDeps, incident: Incident): Promise<readonly HeldRole[]> {
  const { assignments } = incident.incidentMembership;
  const holders = await toHolders(
    deps,
    assignments.map(each => each.user),
  );
  return holders.map((holder, at) => ({ role: assignments[at]?.role.name ?? '', holder }));
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
