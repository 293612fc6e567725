import { z } from 'zod';
import { defineIntent } from '../incident/acts/intent-kind.ts';

/** Reminds a person alone of something that they owe. Muster asks for it itself, once for each reminder. */
export const remindPerson = defineIntent({
  kind: 'duty.remind',
  payload: z.object({ incidentID: z.string(), duty: z.string() }),
  /** False when nothing was owed any more, or Slack did not take it. */
  result: z.object({ isSent: z.boolean() }),
  run: async ({ deps, id, askedAt, isRetry }, { duty }) => ({
    isSent: await deps.duties.send(duty, { id, askedAt, isRetry }),
  }),
  did: (_wish, { result, incident }) =>
    result?.isSent === false
      ? { fact: `Nobody was reminded of what they owe in ${incident}.` }
      : { verb: 'remind', what: `a person of what they owe in ${incident}`, room: [] },
});
