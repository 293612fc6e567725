import { z } from 'zod';
import { definePostable, whyNotPublic } from '../../dispatch/surfaces/post-to-channel.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { readCatchUp } from '../../incident/catchup/read.ts';
import { isProvisional } from '../../journal/provisional-id.ts';

/** The catch-up of an incident, for all in a channel who may see it. `since` is in epoch milliseconds; 0: from the start. */
export const postedCatchUp = definePostable({
  id: 'catchup.post',
  part: 'catchup',
  value: z.object({ incidentID: z.string(), since: z.number() }),
  words: async (ctx, { incidentID: asked, since }) => {
    const { deps, now } = ctx;
    const incidentID = await toCurrentID(deps, asked);
    const not = await whyNotPublic(ctx, 'status', incidentID);
    if (not) return { not };
    if (isProvisional(incidentID)) return { not: 'the incident is not registered yet.' };
    const from = since === 0 ? undefined : new Date(since);
    const { words } = await readCatchUp(deps, { incidentID, since: from, userId: '', now });
    return { ...words, about: [incidentID] };
  },
});
