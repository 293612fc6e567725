import { z } from 'zod';

/** The kind of the intent that saves a dashboard. */
export const saveKind = 'dash.save';

/** A dashboard to be saved. */
export const Save = z.object({
  /** Its model as JSON, as it was given. */
  json: z.string(),
  title: z.string(),
  /** `""`: a new one. */
  uid: z.string(),
  /** `""`: where it is, or the root level for a new one. */
  folderUid: z.string(),
  /** For the version history. */
  message: z.string(),
  overwrite: z.boolean(),
});
/** A dashboard to be saved. */
export type Save = z.output<typeof Save>;
