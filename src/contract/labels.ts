import { z } from 'zod';
import { ifSet, text, unkept } from './fields.ts';

/** The most labels of an incident (docs/api-rules.md A6). */
export const maxLabels = 200;

/** The key of labels that come without one (docs/api-rules.md A6). */
export const defaultLabelKey = 'tags';

/** A label. `key` groups labels; the default is {@link defaultLabelKey}. */
export const IncidentLabel = z.object({ key: ifSet(text()), label: text(), description: text(), colorHex: text() });
/** A label. */
export type IncidentLabel = z.output<typeof IncidentLabel>;

/** A label of a request: `value` is another name of its text, of clients that call labels pairs of a key and a value. */
export const LabelInput = IncidentLabel.extend({
  value: ifSet(text()),
  keyUUID: unkept('is not kept: key and label say which label it is, leave it out'),
  labelUUID: unkept('is not kept: key and label say which label it is, leave it out'),
});
/** A label of a request. */
export type LabelInput = z.output<typeof LabelInput>;
