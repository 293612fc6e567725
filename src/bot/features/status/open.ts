import { z } from 'zod';
import { defineButton } from '../../dispatch/feature/feature.ts';
import { statusWords } from './words.ts';

/** Shows the incident of a row as it stands, below the list. */
export const openButton = defineButton({
  id: 'incident.show',
  label: 'Open',
  value: z.object({ incidentID: z.string() }),
  reads: true,
  run: async (ctx, { value }) => ctx.answer(await statusWords(ctx, value.incidentID)),
});
