import { z } from 'zod';
import { noSources, Sources } from './room-store.ts';

/** An incident as it was declared. */
export const DeclaredIncident = z.object({
  incidentID: z.string(),
  title: z.string(),
  severity: z.string(),
  isDrill: z.boolean(),
  labels: z.array(z.string()),
  /** RFC 3339. */
  declaredAt: z.string(),
  /** Slack id; the plan of the room has its workspace. */
  declaredBy: z.string(),
  /** The summary; `""` for none. */
  summary: z.string().default(''),
  sources: Sources.default(noSources),
});
export type DeclaredIncident = z.output<typeof DeclaredIncident>;
