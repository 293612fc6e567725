import { pressable } from '../../dispatch/feature/feature.ts';
import type { AfterDoneContext } from '../../incident/acts/intent-kind.ts';
import { tellDirectly } from '../../incident/room/bring-in.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { type Holder, holderNames, roleAsHeld } from './holder.ts';

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
  const what = roleAsHeld(about.role);
  const news = {
    assigned: `made you *${toMrkdwn(about.role, 100)}*`,
    'handed over': `handed you ${what}`,
    'given back': `gave you ${what} back`,
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
  const what = roleAsHeld(about.role);
  const isOwn = to.length === 1 && to[0]?.slackUserID === ctx.actor.userId;
  const given = isOwn ? `took over ${what} from you` : `moved ${what} from you to ${holderNames(to)}`;
  await tellOfRole(ctx, about, former, to.length > 0 ? given : `removed you as *${toMrkdwn(about.role, 100)}*`);
}
