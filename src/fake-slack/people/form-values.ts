import { type Field, fieldsOf, optionsOf } from '../block-kit/fields.ts';
import { checkSuggestions } from '../block-kit/options.ts';
import { type JsonObject, toObject } from '../protocol/json.ts';
import type { Reply } from '../to-app/deliveries.ts';

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

/** The options in an app's answer to a suggestion request. Throws when Slack would refuse them (docs/slack.md 5). */
export function toSuggestions(reply: Reply): JsonObject[] {
  if (reply.failed !== undefined) return [];
  const answer = toObject(reply.body);
  const issues = checkSuggestions(answer);
  if (issues.length > 0)
    throw new Error(`Slack shows no options, because the app's answer breaks its rules: ${issues.join('; ')}.`);
  return optionsOf(answer);
}
