/**
 * How a room is told of changes: by lines in the channel, by lines in the thread of the incident's card, or by the card alone, while
 * people read the whole receipt of their own changes.
 */
export const receiptModes = ['channel', 'thread', 'quiet'] as const;
/** One of {@link receiptModes}. */
export type ReceiptMode = (typeof receiptModes)[number];

/** The mode of that name, without regard to case; undefined when there is none. */
export function findReceiptMode(name: string): ReceiptMode | undefined {
  return receiptModes.find(mode => mode === name.trim().toLowerCase());
}
