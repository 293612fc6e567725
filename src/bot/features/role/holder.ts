import { z } from 'zod';
import type { KnownPerson } from '../../../contract/define.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { fold, usersHolding } from '../../incident/state/roles.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';

/** A holder of a role: their id in the API, and in Slack where that is known (`""` otherwise). */
export const Holder = z.object({
  userID: z.string(),
  slackUserID: z.string(),
  /** `""` also in what an older version stored. */
  slackTeamID: z.string().default(''),
  name: z.string(),
});
export type Holder = z.output<typeof Holder>;

/** One of the API's users. */
export const ApiUser = z.object({ userID: z.string(), name: z.string() });
export type ApiUser = z.output<typeof ApiUser>;

/** A person as a holder of roles. */
export function toHolder({ userID, name = '', slackUserID = '', slackTeamID = '' }: KnownPerson): Holder {
  return { userID, slackUserID, slackTeamID, name: name || slackUserID || userID };
}

/** A holder's name in mrkdwn: a mention where their Slack id is known. */
export function holderName(holder: Holder): string {
  return holder.slackUserID ? mention(holder.slackUserID) : toMrkdwn(holder.name || holder.userID, 80);
}

/** The names of several, in mrkdwn. */
export function holderNames(holders: readonly Holder[]): string {
  return holders.map(holderName).join(' and ');
}

/** `is` or `are`, behind the names of these. */
export function isOrAre(holders: readonly unknown[]): string {
  return holders.length > 1 ? 'are' : 'is';
}

/** Whether two are the same person. The API may know a person by another id, from before it learned of their Slack account. */
export function isSame(one: Holder, other: Holder): boolean {
  if (one.userID === other.userID) return true;
  // An older version stored holders without their team.
  const isSameTeam = one.slackTeamID === other.slackTeamID || one.slackTeamID === '' || other.slackTeamID === '';
  return one.slackUserID !== '' && one.slackUserID === other.slackUserID && isSameTeam;
}

/** Those who hold a role in an incident, apart from these users. */
export function othersHolding(incident: Incident, role: string, except: readonly string[]): ApiUser[] {
  return usersHolding(incident, role)
    .filter(each => !except.includes(each.userID))
    .map(({ userID, name }) => ({ userID, name: name || userID }));
}

/** A role and one who holds it. */
export interface HeldRole {
  readonly role: string;
  readonly holder: Holder;
}

/** The API's users as holders of roles. One without a name in the API has that of their Slack account. */
export async function toHolders({ people, slack }: IncidentDeps, users: readonly ApiUser[]): Promise<Holder[]> {
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

/** The roles of an incident with their holders, in the order they were given. */
export async function readHolders(deps: IncidentDeps, incident: Incident): Promise<readonly HeldRole[]> {
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
