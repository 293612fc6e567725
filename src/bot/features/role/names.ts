import type { Role } from '../../../contract/roles.ts';
import { trimEnd } from '../../../trim-end.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { withoutPolite } from '../../grammar/words.ts';
import { chooseRoles, fold, forgetRoles, type RoleChoice } from '../../incident/state/roles.ts';
import { unknownName } from '../../people/mentions.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';

/*
 * People write a role in many words: “the IC”, “commander = @bob”, “incident lead”. This reads them: the name of a role counts without case,
 * hyphens and spaces, words for the commander mean the role that leads unless a role has that very name, and small words around the name say
 * nothing. A text that is no role is refused with the nearest one, or with the list; one that has a person's name next to a role, such as
 * “carol commander”, is refused for the name.
 */

/** Names listed at most when a role is unknown. */
const maxTold = 20;

/** Words for the one who leads an incident (docs/decisions.md, Command words), for when no role has that very name. */
const commanderWords = [
  ...['commander', 'lead', 'ic', 'incident commander', 'incident lead', 'incident manager', 'im'],
  ...['command', 'in command', 'in charge', 'charge', 'over', 'leads', 'leading'],
];

function isOfCommander(name: string): boolean {
  return commanderWords.some(word => fold(word) === fold(name));
}

/** Words in front of the name of a role that say nothing more. */
const beforeRole =
  /^(?:(?:please|i am|i['’]m|am|is|are|as|to be|(?:will|shall|should) be|be|becomes|now|the|our|an?|to|takes|took|(?:will |is )?tak(?:e|ing)|will|has)\s+)*/i;

/** The role that was typed; or a sentence of mrkdwn on why there is none, with the nearest name. */
export type RoleMatch = { readonly role: Role } | { readonly problem: string; readonly near?: Role | undefined };

/**
 * Matches what was typed with the names of roles: no case, hyphens or spaces counted, and nothing else guessed. Words for the
 * commander mean the role that leads.
 */
export function matchRole({ roles, isRead, commander }: RoleChoice, typed: string, api: string): RoleMatch {
  const active = roles.filter(role => !role.archived);
  const isName = (name: string) => active.some(role => fold(role.name) === fold(name));
  // `incident commander please` asks nicely, and “I am commander” and `commander = @bob` name no more than the role.
  const plain = trimEnd(withoutPolite(typed).replace(beforeRole, '').trimEnd().replace(/->$/, ''), /[\s=:→–—-]/);
  const asked = isName(typed) ? typed : plain;
  const wanted = fold(asked);
  const findByName = (list: readonly Role[], name: string) =>
    list.find(role => role.name === asked.trim()) ?? list.find(role => fold(role.name) === name);
  const matchOf = (name: string) =>
    findByName(active, fold(name)) ?? (isOfCommander(name) ? findByName(active, fold(commander)) : undefined);
  const role = matchOf(asked);
  if (role) return { role };
  const archived = findByName(roles, wanted);
  if (archived) {
    return { problem: `The role “${toMrkdwn(archived.name, 60)}” is archived: ${tell(active)}` };
  }
  const split = splitPersonAndRole(asked, name => isName(name) || isOfCommander(name));
  if (split !== undefined) return { problem: unknownName(toMrkdwn(split.person, 60)), near: matchOf(split.role) };
  const near = nearest(wanted, active, each => fold(each.name));
  const meant = near ? `: did you mean ${toMrkdwn(near.name, 60)}?` : '';
  const hint = typed.includes('@') ? '. Put people before or after the role, not inside it.' : '';
  if (!isRead) {
    const names = active.slice(0, maxTold).map(each => toMrkdwn(each.name, 60));
    return {
      problem: `${api} cannot be reached, so I cannot look up the role “${toMrkdwn(typed.trim(), 60)}”${meant || hint || `: for now you can give ${names.join(', ')}.`}`,
      near,
    };
  }
  return { problem: `There is no role “${toMrkdwn(typed.trim(), 60)}”${meant || hint || `: ${tell(active)}`}`, near };
}

/** Reads a role that has a person's name on one side: `carol commander`, `commander to carol`. Undefined when no such split fits. */
function splitPersonAndRole(typed: string, isRole: (name: string) => boolean) {
  const words = typed.trim().split(/\s+/);
  if (words.length > 6) return undefined;
  for (let at = 1; at < words.length; at += 1) {
    const halves = [words.slice(0, at).join(' '), words.slice(at).join(' ')] as const;
    const role = halves.find(isRole);
    if (role === undefined) continue;
    const other = role === halves[0] ? halves[1] : halves[0];
    const person = other.replace(/^(?:to|for|as|is|be|=|:) | (?:to|for|as|is|be|=|:)$/gi, '').trim();
    return person === '' ? undefined : { role, person };
  }
  return undefined;
}

function tell(roles: readonly Role[]): string {
  if (roles.length === 0)
    return 'there are none, and an administrator of this workspace can add one with `/role create`.';
  const names = roles.slice(0, maxTold).map(role => toMrkdwn(role.name, 60));
  const more = roles.length > maxTold ? `, and ${roles.length - maxTold} more` : '';
  return `roles here are ${names.join(', ')}${more}.`;
}

/** The roles, and the one that was typed, if any. A role that is not among those read before may have been made since. */
export async function findRole(
  { deps, now }: Context,
  typed: string,
): Promise<{ readonly choice: RoleChoice; readonly match?: RoleMatch }> {
  const choice = await chooseRoles(deps, now);
  if (typed === '') return { choice };
  const match = matchRole(choice, typed, deps.settings.apiName);
  if ('role' in match || !choice.isRead) return { choice, match };
  forgetRoles(deps.api);
  const again = await chooseRoles(deps, now);
  return { choice: again, match: matchRole(again, typed, deps.settings.apiName) };
}
