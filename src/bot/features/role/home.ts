import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { HomeInput, HomePart } from '../../dispatch/feature/home-part.ts';
import { incidentOfRow } from '../../dispatch/surfaces/home-input.ts';
import { context, section, toMrkdwn } from '../../text/blocks.ts';
import { handOverFormButton } from './handover.ts';

/** Roles on the home tab at most. */
const mostShown = 10;

/** The roles that the person holds in active incidents, on the home tab. */
export async function rolesPart(ctx: Context, { whole, isOwn }: HomeInput): Promise<readonly HomePart[]> {
  const own = whole.flatMap(incident =>
    incident.incidentMembership.assignments
      .filter(({ user }) => isOwn(user.userID))
      .map(({ role }) => ({ incident, role: role.name })),
  );
  const rows = own.slice(0, mostShown).map(async ({ incident, role }) => {
    const { incidentID, title } = incident;
    const line = `*${toMrkdwn(role, 100)}* · ${await incidentOfRow(ctx, incident)}`;
    const button = pressable(handOverFormButton, { incidentID, role }, { spoken: `Hand over ${role} of ${title}` });
    return section(line, ctx.actor.isGuest ? undefined : button);
  });
  const rest = own.length - mostShown;
  const title = own.length === 0 ? '*Your roles*: none.' : `*Your roles* (${own.length})`;
  const more =
    rest > 0 ? [context(`And ${rest} more: \`/role list me\` in the channel of an incident shows them.`)] : [];
  return [{ place: 'roles', blocks: [section(title), ...(await Promise.all(rows)), ...more] }];
}
