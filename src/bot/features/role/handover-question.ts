import type { ActionsBlockElement } from '@slack/types';
import { z } from 'zod';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { AfterDoneContext, ReceiptContext } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { commanderRole, fold } from '../../incident/state/roles.ts';
import { slackLimits } from '../../slack/limits.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { type Holder, holderNames, isOrAre, othersHolding, type Somebody, toHolders } from './holder.ts';

/** Who is to hold a role alone: Slack's id of them, and the API's ids of those who lose it. */
export const HandOver = z.object({
  incidentID: z.string(),
  role: z.string(),
  to: z.string(),
  from: z.array(z.string()),
});
/** Who is to hold a role alone. */
export type HandOver = z.output<typeof HandOver>;

/** What two or more people are left with. `intent` gave the role to the last of them. */
export const Kept = z.object({ incidentID: z.string(), role: z.string(), intent: z.string() });

/** The button that takes a role from the others, as it looks. */
export const handOverFace = { id: 'role.handover', label: 'Hand over' } as const;
/** The button that leaves it to all of them. */
export const keepFace = { id: 'role.keep', label: 'Keep both' } as const;

/** The button that hands a role over; none when its value would be too long. */
export function handOverButtons(value: HandOver, actorId: string): readonly ActionsBlockElement[] {
  if (JSON.stringify(value).length > slackLimits.buttonValue) return [];
  return [pressable(handOverFace, value, value.to === actorId ? { label: 'Take over' } : {})];
}

/** Those who hold a role now. Throws an RpcError when that is not known. */
export async function readHoldersOf({ deps }: ReceiptContext, incidentID: string, role: string): Promise<Holder[]> {
  return await toHolders(deps, othersHolding(await readKnown(deps, incidentID), role, []));
}

/** Says that others hold the role that leads an incident besides the one who got it, and asks whether they are to keep it. */
export async function askAboutOthers(
  ctx: AfterDoneContext,
  { incidentID, role }: { readonly incidentID: string; readonly role: string },
  { slackUserID: to }: Pick<Holder, 'slackUserID'>,
  others: readonly Somebody[],
): Promise<{ readonly notes: readonly string[]; readonly buttons: readonly ActionsBlockElement[] }> {
  if (others.length === 0 || fold(role) !== fold(await commanderRole(ctx.deps, ctx.now))) {
    return { notes: [], buttons: [] };
  }
  const holders = await toHolders(ctx.deps, others);
  const notes = [`${holderNames(holders)} ${isOrAre(holders)} *${toMrkdwn(role, 100)}* too.`];
  const handOver = handOverButtons({ incidentID, role, to, from: others.map(each => each.userID) }, ctx.actor.userId);
  const label = others.length > 1 ? 'Keep all' : keepFace.label;
  const keep = pressable(keepFace, { incidentID, role, intent: ctx.id }, { label });
  return { notes, buttons: to === '' || handOver.length === 0 ? [] : [...handOver, keep] };
}
