import { z } from 'zod';

/** Where an incident came from, as addresses; `""` for none. */
export const Sources = z.object({
  /** An alert, a graph or a ticket, and what it shows. */
  link: z.string(),
  caption: z.string(),
  /** The message it was declared from. */
  message: z.string(),
});
/** Where an incident came from, as addresses; `""` for none. */
export type Sources = z.output<typeof Sources>;

/** Nobody said where it came from. */
export const noSources: Sources = { link: '', caption: '', message: '' };

/** Stored sources; none when another version of Muster stored another shape. */
export function parseSources(stored: string): Sources {
  return stored === '' ? noSources : (Sources.safeParse(JSON.parse(stored)).data ?? noSources);
}
