import { z } from 'zod';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Received } from '../dispatch/feature/arrival.ts';
import { eventEnvelope, teamOfEvent } from '../slack/event-envelope.ts';

const Envelope = z.object({
  ...eventEnvelope,
  event: z.object({
    type: z.literal('app_home_opened'),
    tab: z.literal('home'),
    user: z.string(),
    event_ts: z.string(),
    /** What was published before. Its metadata is the digest of that (`dispatch/surfaces/home.ts`). */
    view: z.object({ private_metadata: z.string().nullish(), hash: z.string().nullish() }).nullish(),
  }),
});

/** Reads the event of a person who opens the home tab; undefined for every other event. */
export function readHomeOpened(
  body: { readonly [name: string]: unknown },
  dispatcher: Pick<Dispatcher, 'plan'>,
): Received | undefined {
  const { data } = Envelope.safeParse(body);
  if (!data) return undefined;
  const { user: userId, event_ts: at, view } = data.event;
  const teamId = teamOfEvent(data);
  const act = { kind: 'home' as const, home: { shown: view?.private_metadata ?? '', hash: view?.hash ?? '' } };
  const location = { channelId: '', threadTs: '', tab: 'home' as const };
  return {
    key: `home/${userId}/${at}`,
    body: { actor: { teamId, userId }, location, act },
    plan: dispatcher.plan(act),
  };
}
