import { type JsonObject, toObjects } from '../protocol/json.ts';

/** All blocks of a message: its own, then those of its attachments. */
export function blocksOf(message: {
  readonly blocks: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
}): readonly JsonObject[] {
  return [...message.blocks, ...message.attachments.flatMap(attachment => toObjects(attachment.blocks))];
}
