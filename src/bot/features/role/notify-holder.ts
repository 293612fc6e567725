import { catchUpButton } from '../../dispatch/answers/catch-up.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { AfterDoneContext } from '../../incident/acts/intent-kind.ts';
import { readCatchUp } from '../../incident/catchup/read.ts';
import { type PersonalNews, tellDirectly } from '../../incident/room/bring-in.ts';
import { chooseRoles, fold } from '../../incident/state/roles.ts';
import { mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
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
function tellOfRole(
  ctx: AfterDoneContext,
  { incidentID }: RoleAddress,
  { slackUserID }: Holder,
  { news, ...rest }: Pick<PersonalNews, 'more'> & { readonly news: string; readonly isReceiver?: boolean },
) {
  const text = `${signs.person} ${mention(ctx.actor.userId)} ${news}.`;
  const buttons = [pressable(rolesFace, { incidentID }), ...(rest.isReceiver ? [catchUpButton(incidentID)] : [])];
  return tellDirectly(ctx, incidentID, slackUserID, { text, buttons, ...rest });
}

/**
 * Tells the person who received a role. When it was handed over, also what it asks of them, and what is new to them in the incident.
 * Returns a sentence of mrkdwn when they do not know of it, and `""` otherwise.
 */
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
  const more = how === 'handed over' ? { more: () => briefOf(ctx, about, holder) } : {};
  return tellOfRole(ctx, about, holder, { news, isReceiver: true, ...more });
}

/** What a new holder needs to know: what the role is for, and what happened since they last looked. */
async function briefOf(
  { deps, now }: AfterDoneContext,
  { incidentID, role }: RoleAddress,
  { slackUserID }: Holder,
): Promise<Words> {
  const since = await deps.visits.last(incidentID, slackUserID);
  const [{ roles }, { words }] = await Promise.all([
    chooseRoles(deps, now),
    readCatchUp(deps, { incidentID, since, userId: since ? slackUserID : '', now }),
  ]);
  const description = roles.find(each => fold(each.name) === fold(role))?.description ?? '';
  const about = description === '' ? [] : [section(`*${toMrkdwn(role, 100)}*: ${toMrkdwn(description, 500)}`)];
  return { ...words, blocks: [...about, ...(words.blocks ?? [])] };
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
  const news = to.length > 0 ? given : `removed you as *${toMrkdwn(about.role, 100)}*`;
  await tellOfRole(ctx, about, former, { news });
}
