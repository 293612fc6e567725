import { toObject } from '../../../json-object.ts';

/** Marks the messages with lines about changes among those that are posted for intents (`slack/post-once.ts`). */
export const linePart = 'changes';
/** Marks the message with the next steps, once an incident is over. */
export const nextPart = 'next';

/** Whether the metadata of a message says that it is about a change or the next steps, and no answer to a person. */
export function isLine({ metadata }: { readonly metadata?: unknown }): boolean {
  const { part: named = '' } = toObject(toObject(metadata).event_payload);
  const part = String(named);
  return part.startsWith(linePart) || part === nextPart;
}
