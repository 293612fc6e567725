import { z } from 'zod';
import { definePostable, whyNotPublic } from '../../dispatch/surfaces/post-to-channel.ts';
import { publicWords } from './words.ts';

/** The status of an incident, for all in a channel who may see it. */
export const postedStatus = definePostable({
  id: 'incident.status.post',
  part: 'status',
  value: z.object({ incidentID: z.string() }),
  words: async (ctx, { incidentID }) => {
    const not = await whyNotPublic(ctx, 'status', incidentID);
    if (not) return { not };
    const words = await publicWords(ctx, incidentID);
    return words ?? { not: 'the incident API cannot be reached, and I have not seen this incident before.' };
  },
});
