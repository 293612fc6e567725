import { type Field, fieldsOf } from '../block-kit/fields.ts';
import type { JsonObject } from '../protocol/json.ts';

/** What a person fills a field with: text, an option's value or text, a person, a channel, a time, or a list. */
export type FormValue =
  | string
  | number
  | boolean
  | Date
  | { readonly id: string }
  | readonly (string | { readonly id: string })[];

/** Values by the field's block id, action id or label. */
export type FormValues = Readonly<Record<string, FormValue>>;

/** Finds a field by its block id, action id or label. Throws an error that lists the fields when none fits. */
export function findField(blocks: readonly JsonObject[], name: string): Field {
  const fields = fieldsOf(blocks);
  const wanted = name.toLowerCase();
  const found =
    fields.find(field => field.blockId === name) ??
    fields.find(field => field.actionId === name) ??
    fields.find(field => field.label.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const known = fields.map(field => `${field.blockId} (${field.label || field.actionId})`).join(', ');
  throw new Error(`There is no field "${name}". There are: ${known || 'none'}.`);
}
