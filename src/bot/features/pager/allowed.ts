import { whyNotMember } from '../../dispatch/answers/kept-for-group.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { NotAllowed } from '../../people/access.ts';

/** Throws {@link NotAllowed} unless the person is in the group whose members may page, where the team has one. */
export async function mustMayPage(ctx: Pick<Context, 'deps' | 'actor' | 'log'>): Promise<void> {
  const why = await whyNotMember(ctx, { group: ctx.deps.pagers.group, act: 'page' });
  if (why !== undefined) throw new NotAllowed(why);
}
