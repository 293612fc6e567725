import type { Incident } from '../../../contract/incidents.ts';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import { askWhich, mostChoices } from '../../dispatch/command/ask-which.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { withoutPolite } from '../../grammar/casual.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { chooseRoles, fold, type RoleChoice } from '../../incident/state/roles.ts';
import { findMentioned, readMentions } from '../../people/mentions.ts';
import { code, toMrkdwn, type Words } from '../../text/blocks.ts';
import { maxPeople, together } from './assign.ts';
import {
  type HeldRole,
  type Holder,
  holderName,
  holderNames,
  holdersOf,
  isSame,
  listRoles,
  readHolders,
  toHolder,
} from './holder.ts';
import { unassignRole } from './intents.ts';
import { matchRole } from './names.ts';

/** What remains of `@bob as the commander` beside the name and the small words. */
export function toRoleWords(rest: string): string {
  return rest
    .replace(/^(?:(?:as|to|is|the|role)(?:\s+|$))+/i, '')
    .replace(/\s(?:to|as|is|role)$/i, '')
    .trim();
}

/** Takes a role away. A role with one holder needs no name, and a person with one role needs no role. */
export async function runUnassign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  const mentioned = readMentions(args, ctx.actor.userId);
  const incident = await readKnown(deps, incidentID);
  if (mentioned.problem !== '') return ctx.reject(`${mentioned.problem} Nothing was changed.`);
  const found = await findMentioned(deps, mentioned.ids, 'removal');
  if ('problem' in found) return ctx.reject(`${found.problem} Nothing was changed.`);
  const people = await Promise.all(found.people.map(person => deps.people.toNamed(person)));
  const holders: readonly Holder[] = people.map(toHolder);

  const typed = toRoleWords(mentioned.text);
  const choice = await chooseRoles(deps, ctx.now);
  const held = await readHolders(deps, incident);
  const match = typed === '' ? undefined : matchRole(allOf(choice, incident), typed, deps.settings.apiName);
  if (match && 'problem' in match) return ctx.reject(`${match.problem} Nothing was changed.`);

  if (match) {
    const role = match.role.name;
    const current = holdersOf(held, role);
    if (holders.length > 0) {
      const asHeld = holders.map(wanted => ({ ...wanted, ...userOf(current.find(each => isSame(each, wanted))) }));
      return takeFrom(ctx, incidentID, role, asHeld);
    }
    if (current.length === 1) return takeFrom(ctx, incidentID, role, current);
    return ctx.reject(
      current.length === 0
        ? `Nobody is ${toMrkdwn(role, 100)}. Nothing was changed.`
        : `${holderNames(current)} are ${toMrkdwn(role, 100)}. Say who should lose it: ${code(`/role unassign @bob ${role}`, 130)}.`,
    );
  }
  const holder = holders[0];
  if (!holder || holders.length > 1) {
    return ctx.reject('Say who should lose which role: `/role unassign @bob commander`. Nothing was changed.');
  }
  const theirs = held.filter(each => isSame(each.holder, holder));
  const [first] = theirs;
  if (first && theirs.length === 1) return takeFrom(ctx, incidentID, first.role, [first.holder]);
  const names = theirs.map(each => toMrkdwn(each.role, 100)).join(' and ');
  await ctx.reject(
    first === undefined
      ? `${holderName(holder)} has no role in this incident. Nothing was changed.`
      : `${holderName(holder)} is ${names}. Say which role to take: ${code(`/role unassign @bob ${first?.role ?? ''}`, 130)}.`,
  );
}

/** The roles that can be taken: all that there are, and those that somebody holds though they are gone. */
function allOf(choice: RoleChoice, incident: Incident): RoleChoice {
  const { roles } = choice;
  const all = [...listRoles(roles, incident), ...roles].map(role => ({ ...role, archived: false }));
  return { ...choice, isRead: true, roles: all };
}

/** The API's user who holds a role, for the person who was named in Slack. */
function userOf(held: Holder | undefined): Pick<Holder, 'userID'> | undefined {
  return held && { userID: held.userID };
}

/** Takes a role from each of them. */
async function takeFrom(ctx: Context, incidentID: string, role: string, holders: readonly Holder[]): Promise<void> {
  await takeEach(
    ctx,
    incidentID,
    holders.map(holder => ({ role, holder })),
  );
}

/** Takes each of these roles from its holder. */
async function takeEach(ctx: Context, incidentID: string, held: readonly HeldRole[]): Promise<void> {
  // Steps are numbered: when the delivery is handled again, it means the holders of the first time.
  const some = held.slice(0, maxPeople);
  const all: Words[] = [];
  for (const [place, { role, holder }] of some.entries()) {
    const wish = { incidentID, role, holder };
    const hasMore = place < some.length - 1;
    const outcome = await ctx.submit(unassignRole, wish, { incidentID, step: `${place}`, hasMore });
    if (outcome.state !== 'done') await ctx.answerNotDone(unassignRole, wish, outcome);
    // Of several, each Undo needs its name beside it.
    else all.push(await afterwards(ctx, unassignRole, wish, outcome, { mayBeBrief: some.length === 1 }));
  }
  if (all.length > 0) await ctx.answer(together(all));
}

/** Words that mean all of one's roles, and words around a role that say nothing more. */
const allRoles = /^(?:all|everything|both)(?: of (?:them|it))?(?: (?:my )?roles?)?$/i;
const aroundOwn = /^(?:(?:me|my|as|from|being|own|the)(?:\s+|$))*(.*?)(?:\s*\broles?)?$/is;

/** Takes a role from the person who asks: the one that they named, or the only one that they have. Of several it asks which. */
export async function runLeave(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps, actor } = ctx;
  const mentioned = readMentions(args, actor.userId);
  // `/role drop @bob observer` is about somebody else.
  if (mentioned.problem !== '' || mentioned.ids.some(id => id !== actor.userId))
    return runUnassign(ctx, args, incidentID);
  const [, typed = ''] = aroundOwn.exec(withoutPolite(mentioned.text).trim()) ?? [];
  const me = toHolder(await deps.people.toNamed(actor));
  const incident = await readKnown(deps, incidentID);
  const held = await readHolders(deps, incident);
  const own = held.filter(each => isSame(each.holder, me));
  const [first] = own;
  if (!first) return ctx.reject('You have no role in this incident. Nothing was changed.');
  if (allRoles.test(typed) || (typed === '' && own.length === 1)) return takeEach(ctx, incidentID, own);
  if (typed === '') return askWhichRole(ctx, incidentID, own);
  const match = matchRole(allOf(await chooseRoles(deps, ctx.now), incident), typed, deps.settings.apiName);
  if ('problem' in match) return ctx.reject(`${match.problem} Nothing was changed.`);
  const { name } = match.role;
  const meant = own.filter(each => fold(each.role) === fold(name));
  if (meant.length === 0) return ctx.reject(`You are not ${toMrkdwn(name, 100)}. Nothing was changed.`);
  await takeEach(ctx, incidentID, meant);
}

/** Asks which of the roles goes. */
async function askWhichRole(ctx: Context, incidentID: string, own: readonly HeldRole[]): Promise<void> {
  const pressed = (label: string, text: string) => ({
    label,
    draft: { kind: 'command', root: 'role', text: `leave ${text}` } as const,
    incidentID,
  });
  await askWhich(ctx, 'Which role do you give up?', [
    ...own.slice(0, mostChoices).map(({ role }) => pressed(role, role)),
    pressed('All of them', 'all'),
  ]);
}
