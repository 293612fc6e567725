import { z } from 'zod';
import { ifSet, means, text, unkept } from './fields.ts';

/** The most labels of an incident (docs/api-rules.md A6). */
export const maxLabels = 200;

/** The key of labels that come without one (docs/api-rules.md A6). */
export const defaultLabelKey = 'tags';

/** A label. `key` groups labels; the default is {@link defaultLabelKey}. */
export const IncidentLabel = z.object({
  key: means(ifSet(text()), 'The group that the label belongs to; `tags` when none is given.'),
  label: means(text(), 'The text of the label, of at most 300 characters.'),
  description: means(text(), 'What the label means. Empty: nobody said.'),
  colorHex: means(text(), 'Its colour: `#` and 3 or 6 hex digits. Empty: it has none.'),
});
means(IncidentLabel, 'A label of an incident.');
export type IncidentLabel = z.output<typeof IncidentLabel>;

/** A label of a request: `value` is another name of its text, of clients that call labels pairs of a key and a value. */
export const LabelInput = IncidentLabel.extend({
  value: means(ifSet(text()), 'Another name of `label`. When both are given they must be equal.'),
  keyUUID: unkept('is not kept: key and label say which label it is, leave it out'),
  labelUUID: unkept('is not kept: key and label say which label it is, leave it out'),
});
means(LabelInput, 'A label to add.');
export type LabelInput = z.output<typeof LabelInput>;
