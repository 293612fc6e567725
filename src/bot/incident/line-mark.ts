/** Marks the messages with lines about changes among those that are posted for intents (`slack/post-once.ts`). */
export const linePart = 'changes';

/** Whether the metadata of a message says that it tells a room of changes. */
export function isLine({ metadata }: { readonly metadata?: unknown }): boolean {
  const mark = toObject(toObject(metadata)?.event_payload);
  return String(mark?.part ?? '').startsWith(linePart);
}

function toObject(value: unknown): { readonly [name: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown }) : undefined;
}
