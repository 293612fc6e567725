import { pressable } from '../../dispatch/feature/feature.ts';
import type { AfterDoneContext } from '../../incident/acts/intent-kind.ts';
import { tellDirectly } from '../../incident/room/bring-in.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { type Holder, holderNames } from './holder.ts';

/** The button that shows the roles of an incident, as it looks. */
export const rolesFace = { id: 'role.list', label: 'Roles' } as const;

/** A role of an incident. */
interface RoleAddress {
  readonly incidentID: string;
  readonly role: string;
}

/** Tells people of a role of theirs. Returns a sentence of mrkdwn when they do not know of it, and `""` otherwise. */
function tellOfRole(ctx: AfterDoneContext, { incidentID }: RoleAddress, { slackUserID }: Holder, news: string) {
  const text = `${signs.person} ${mention(ctx.actor.userId)} ${news}.`;
  return tellDirectly(ctx, incidentID, slackUserID, { text, buttons: [pressable(rolesFace, { incidentID })] });
}

/** Tells the person who received a role. Returns a sentence of mrkdwn when they do not know of it, and `""` otherwise. */
export function tellReceiver(
  ctx: AfterDoneContext,
  about: RoleAddress,
  holder: Holder,
  how: 'assigned' | 'handed over' | 'given back',
): Promise<string> {
  const what = `*${toMrkdwn(about.role, 100)}*`;
  const news = {
    assigned: `made you ${what}`,
    'handed over': `handed ${what} to you`,
    'given back': `gave ${what} back to you`,
  }[how];
  return tellOfRole(ctx, about, holder, news);
}

/** Tells a person that a role is not theirs any more, and whose it is. */
export async function tellFormerHolder(
  ctx: AfterDoneContext,
  about: RoleAddress,
  former: Holder,
  to: readonly Holder[] = [],
): Promise<void> {
  const what = `*${toMrkdwn(about.role, 100)}*`;
  const isOwn = to.length === 1 && to[0]?.slackUserID === ctx.actor.userId;
  const given = isOwn ? `took over ${what} from you` : `gave ${what}, which was yours, to ${holderNames(to)}`;
  await tellOfRole(ctx, about, former, to.length > 0 ? given : `took ${what} from you`);
}
