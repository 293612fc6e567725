import type { Api } from '../../../contract/contract.ts';
import { isTransient } from '../../../contract/errors.ts';
import type { Role } from '../../../contract/roles.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';
import { toComparable } from '../../text/words.ts';

/** How long the list of roles is cached, in milliseconds. */
const cacheTime = 60_000;
/** How long a person who acts waits for the roles, in milliseconds: a form must open within Slack's three seconds. */
const patience = 1500;
/** Names listed at most when a role is unknown. */
const maxTold = 20;

/** What other tools call the commander (docs/decisions.md, Command words), for when no role has that very name. */
const commanderWords = ['lead', 'ic', 'incident commander', 'incident lead', 'incident manager', 'im'];

const known = new WeakMap<Api, { readonly roles: readonly Role[]; readonly until: number }>();

/** The roles of the organisation, archived ones included; up to a minute old. Throws an RpcError when they cannot be read. */
async function readRoles(api: Api, now: Date): Promise<readonly Role[]> {
  const cached = known.get(api);
  if (cached && cached.until > now.getTime()) return cached.roles;
  const { roles } = await api.RolesService.GetRoles({}, { budget: patience });
  known.set(api, { roles, until: now.getTime() + cacheTime });
  return roles;
}

/** The roles that every organisation begins with (docs/api-rules.md A3). */
const firstRoles = ['commander', 'investigator', 'observer'];

/** The roles. While they cannot be read, `isRead` is false, and they are the last ones read or the default ones. */
export interface RoleChoice {
  readonly roles: readonly Role[];
  readonly isRead: boolean;
}

/** The roles, also while the API cannot be reached: assignments are queued then. Throws other RpcErrors. */
export async function chooseRoles(api: Api, now: Date): Promise<RoleChoice> {
  try {
    return { roles: await readRoles(api, now), isRead: true };
  } catch (error) {
    if (!isTransient(error)) throw error;
    return { roles: known.get(api)?.roles ?? firstRoles.map(toRole), isRead: false };
  }
}

function toRole(name: string): Role {
  const plain = { roleID: 0, orgID: '', description: '', createdAt: '', updatedAt: '' };
  return { ...plain, name, important: false, mandatory: false, archived: false };
}

/** Empties the cache, after the API refused a role. */
export function forgetRoles(api: Api): void {
  known.delete(api);
}

/** The role that was typed; or a sentence of mrkdwn on why there is none, with the nearest name. */
export type RoleMatch = { readonly role: Role } | { readonly problem: string; readonly near?: Role | undefined };

/** Matches what was typed with the names of roles: no case, hyphens or spaces counted, and nothing else guessed. */
export function matchRole(roles: readonly Role[], typed: string, isRead = true): RoleMatch {
  const wanted = fold(typed);
  const active = roles.filter(role => !role.archived);
  const findByName = (list: readonly Role[], name: string) =>
    list.find(role => role.name === typed.trim()) ?? list.find(role => fold(role.name) === name);
  const role =
    findByName(active, wanted) ??
    (commanderWords.some(word => fold(word) === wanted) ? findByName(active, 'commander') : undefined);
  if (role) return { role };
  const archived = findByName(roles, wanted);
  if (archived) {
    return {
      problem: `The role “${toMrkdwn(archived.name, 60)}” is archived and cannot be assigned. ${tell(active)}`,
    };
  }
  const near = nearest(wanted, active, each => fold(each.name));
  const meant = near ? ` Did you mean ${toMrkdwn(near.name, 60)}?` : '';
  const hint = typed.includes('@') ? ' Put people before or after the role, not inside it.' : '';
  if (!isRead) {
    const names = active.slice(0, maxTold).map(each => toMrkdwn(each.name, 60));
    return {
      problem: `The incident API cannot be reached, so I cannot look up the role “${toMrkdwn(typed.trim(), 60)}”.${meant}${hint} Until it answers you can give ${names.join(', ')}.`,
      near,
    };
  }
  return { problem: `There is no role “${toMrkdwn(typed.trim(), 60)}”.${meant}${hint} ${tell(active)}`, near };
}

/** A name as it is compared. */
export function fold(name: string): string {
  return toComparable(name).replace(/[\s_-]+/g, '');
}

function tell(roles: readonly Role[]): string {
  if (roles.length === 0) return 'There are no roles. Add roles in the incident API first.';
  const names = roles.slice(0, maxTold).map(role => toMrkdwn(role.name, 60));
  const more = roles.length > maxTold ? `, and ${roles.length - maxTold} more` : '';
  return `There ${roles.length === 1 ? 'is' : 'are'} ${names.join(', ')}${more}.`;
}
