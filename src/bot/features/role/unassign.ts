import type { Context } from '../../dispatch/context.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/read-incident.ts';
import { findNamed, readNamed } from '../../people/mentions.ts';
import { said } from '../../text/blocks.ts';
import { maxPeople } from './buttons.ts';
import { holdersOf, listRoles, readHolders } from './holders.ts';
import { type Holder, toMrkdwn, unassignRole } from './intents.ts';
import { chooseRoles, matchRole } from './names.ts';

/** What remains of `@bob as the commander` beside the name and the small words. */
export function toRoleWords(rest: string): string {
  return rest
    .replace(/^(?:(?:as|to|is|the|role)\s+)+/i, '')
    .replace(/\s(?:to|as|is|role)$/i, '')
    .trim();
}

/** Takes a role away: whoever has it when only one does, or the only one that somebody has. */
export async function runUnassign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  const named = readNamed(args, ctx.actor.userId);
  const incident = await readKnown(deps, incidentID);
  if (named.problem !== '') return ctx.reject(`${named.problem} Nothing was changed.`);
  const found = await findNamed(deps, named.ids, { anyone: true });
  if ('problem' in found) return ctx.reject(`${found.problem} Nothing was changed.`);
  const people = await Promise.all(found.people.map(person => deps.people.toKnown(person)));
  const holders: readonly Holder[] = people.map(({ userID, name, slackUserID = '' }) => ({
    userID,
    name,
    slackUserID,
  }));

  const typed = toRoleWords(named.rest);
  const known = [...(await listRoles(deps, incident, ctx.now)), ...(await chooseRoles(deps.api, ctx.now)).roles];
  const match =
    typed === ''
      ? undefined
      : matchRole(
          known.map(role => ({ ...role, archived: false })),
          typed,
        );
  if (match && 'problem' in match) return ctx.reject(`${match.problem} Nothing was changed.`);

  if (match) {
    const role = match.role.name;
    const current = await holdersOf(deps, incident, role);
    if (holders.length > 0) {
      const asHeld = holders.map(wanted => current.find(each => isSame(each, wanted)) ?? wanted);
      return takeFrom(ctx, incidentID, role, asHeld);
    }
    if (current.length === 1) return takeFrom(ctx, incidentID, role, current);
    return ctx.reject(
      current.length === 0
        ? `Nobody is ${said(role, 100)}. Nothing was changed.`
        : `${current.map(toMrkdwn).join(' and ')} are ${said(role, 100)}. Say who should lose it: \`/role unassign @bob ${said(role, 100)}\`.`,
    );
  }
  const holder = holders[0];
  if (!holder || holders.length > 1) {
    return ctx.reject('Say who should lose which role: `/role unassign @bob commander`. Nothing was changed.');
  }
  const theirs = (await readHolders(deps, incident)).filter(each => isSame(each.holder, holder));
  const [first] = theirs;
  if (first && theirs.length === 1) return takeFrom(ctx, incidentID, first.role, [first.holder]);
  const names = theirs.map(each => said(each.role, 100)).join(' and ');
  await ctx.reject(
    first === undefined
      ? `${toMrkdwn(holder)} has no role in this incident. Nothing was changed.`
      : `${toMrkdwn(holder)} is ${names}. Say which role to take: \`/role unassign @bob ${said(first?.role ?? '', 100)}\`.`,
  );
}

/** The API may have met somebody before it was told of their Slack account, and then knows them by another id. */
function isSame(one: Holder, other: Holder): boolean {
  return one.userID === other.userID || (one.slackUserID !== '' && one.slackUserID === other.slackUserID);
}

/** Takes a role from each of them. */
async function takeFrom(ctx: Context, incidentID: string, role: string, holders: readonly Holder[]): Promise<void> {
  // Numbered, not named: carried out again, it is about whoever had the role the first time.
  for (const [place, holder] of holders.slice(0, maxPeople).entries()) {
    await ctx.carryOut(unassignRole, { incidentID, role, holder }, { incidentID, step: `${place}` });
  }
}
