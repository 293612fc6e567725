import type { Api } from '../../../contract/contract.ts';
import { isUnread } from '../../../contract/errors.ts';
import type { UserPreview } from '../../../contract/fields.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import type { Deadlines } from '../../../deadlines.ts';
import type { People } from '../../people/directory.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toComparable } from '../../text/words.ts';
import type { Settings } from './settings.ts';

/** How long the list of roles is cached, in milliseconds. */
const cacheTime = 60_000;

interface RoleDeps {
  readonly api: Api;
  readonly settings: Settings;
  readonly deadlines: Deadlines;
}

const known = new WeakMap<Api['RolesService'], { readonly roles: readonly Role[]; readonly until: number }>();

/** The roles of the organisation, archived ones included; up to a minute old. Throws an RpcError when they cannot be read. */
async function readRoles({ api, deadlines }: RoleDeps, now: Date): Promise<readonly Role[]> {
  const cached = known.get(api.RolesService);
  if (cached && cached.until > now.getTime()) return cached.roles;
  const { roles } = await api.RolesService.GetRoles({}, { budget: deadlines.reads.aside });
  known.set(api.RolesService, { roles, until: now.getTime() + cacheTime });
  return roles;
}

/** The roles that every organisation begins with (docs/api-rules.md A3). */
const firstRoles = ['commander', 'investigator', 'observer'];

/** The roles. While they cannot be read, `isRead` is false, and they are the last ones read or the default ones. */
export interface RoleChoice {
  readonly roles: readonly Role[];
  readonly isRead: boolean;
  /** The name of the role that leads an incident: the one that the team names, else the first that matters; `""` for none. */
  readonly commander: string;
}

/** The roles, also while the API cannot be reached: assignments are queued then. Throws other RpcErrors. */
export async function chooseRoles(deps: RoleDeps, now: Date): Promise<RoleChoice> {
  const { api, settings } = deps;
  try {
    const roles = await readRoles(deps, now);
    return { roles, isRead: true, commander: toCommander(roles, settings) };
  } catch (error) {
    if (!isUnread(error)) throw error;
    const last = known.get(api.RolesService)?.roles;
    const commander = last ? toCommander(last, settings) : settings.commanderRole;
    const first = [...new Set([settings.commanderRole, ...firstRoles])];
    const plain = { roleID: 0, orgID: '', description: '', createdAt: '', updatedAt: '' };
    const usual = first.map(name => ({ ...plain, name, important: false, mandatory: false, archived: false }));
    return { roles: last ?? usual, isRead: false, commander };
  }
}

/** The name of the role that leads an incident, as the API has it now; `""` for none. Throws an RpcError when it cannot be read. */
export async function readCommander({ api, settings }: RoleDeps): Promise<string> {
  return toCommander((await api.RolesService.GetRoles({})).roles, settings);
}

/** The name of the role that leads an incident; the one that the team names while the roles cannot be read. */
export async function commanderRole(deps: RoleDeps, now: Date): Promise<string> {
  return (await chooseRoles(deps, now).catch(() => undefined))?.commander ?? deps.settings.commanderRole;
}

function toCommander(roles: readonly Role[], { commanderRole: wanted }: RoleDeps['settings']): string {
  const active = roles.filter(role => !role.archived);
  const named = active.find(role => role.name === wanted) ?? active.find(role => fold(role.name) === fold(wanted));
  return (named ?? active.find(role => role.mandatory || role.important))?.name ?? '';
}

/** Empties the cache, after the API refused a role. */
export function forgetRoles(api: Api): void {
  known.delete(api.RolesService);
}

/** The holders of a role in an incident, as the API names them. */
export function usersHolding({ incidentMembership: { assignments } }: Incident, role: string): readonly UserPreview[] {
  return assignments.filter(each => fold(each.role.name) === fold(role)).map(each => each.user);
}

/**
 * The id by which the API knows the person who was made a holder, and remembers it: a Grafana resolves a Slack id, and answers with its own.
 * `sent` is the id that went out; `before` held the role before that.
 */
export async function learnHolder(
  people: People,
  sent: string,
  role: string,
  before: readonly { readonly userID: string }[],
  incident: Incident,
): Promise<string> {
  const ids = usersHolding(incident, role).map(each => each.userID);
  const [added = '', ...more] = ids.filter(id => !before.some(each => each.userID === id));
  return await people.learnAnswered(sent, ids.includes(sent) || more.length > 0 ? '' : added);
}

/** A name as it is compared. */
export function fold(name: string): string {
  return toComparable(name).replace(/[\s_-]+/g, '');
}

/** A role as something that one takes, hands over or gives back (mrkdwn): command, for the role of that name. */
export function roleAsHeld(role: string): string {
  return fold(role) === 'commander' ? '*command*' : `the role *${toMrkdwn(role, 100)}*`;
}
