import { z } from 'zod';
import type { Offered } from '../../incident/state/alert-store.ts';
import { sentence } from '../../text/blocks.ts';
import type { Context } from '../feature/context.ts';

/** The value of a button under the message of an offer of alerts. */
export const OnOffer = z.object({ offer: z.string() });

/** An offer of alerts that waits for a person; undefined when it does not any more, and the person was told. */
export async function readWaitingOffer(ctx: Context, id: string): Promise<Offered | undefined> {
  const offered = await ctx.deps.alerts.readNewest(id);
  if (offered && offered.offer.state !== 'taken' && offered.offer.state !== 'gone') return offered;
  await ctx.answer(sentence('Somebody has taken this alert up already. Its message says where.'));
  return undefined;
}
