import { type JsonObject, toObjects } from '../protocol/json.ts';

/** Blocks with those inside them, in reading order: the children of containers, the cards of carousels. */
export function withNested(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks.flatMap(block => [block, ...withNested(childrenOf(block))]);
}

/** The blocks directly inside a block. */
export function childrenOf(block: JsonObject): JsonObject[] {
  if (block.type === 'container') return toObjects(block.child_blocks);
  return block.type === 'carousel' ? toObjects(block.elements) : [];
}

/** All blocks of a message: its own, then those of its attachments. */
export function blocksOf(message: {
  readonly blocks: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
}): readonly JsonObject[] {
  return [...message.blocks, ...message.attachments.flatMap(attachment => toObjects(attachment.blocks))];
}
