import type { KnownBlock } from '@slack/types';

/** In a button's value: its message tells of other things too. */
const mark = 'isShared';

/** The blocks of a message that tells of several things: the answer to one of its buttons does not take the place of all of it. */
export function shareMessage(blocks: readonly KnownBlock[]): readonly KnownBlock[] {
  return blocks.map(block => {
    if (block.type !== 'actions') return block;
    const elements = block.elements.map(each =>
      each.type === 'button' && each.value !== undefined
        ? { ...each, value: JSON.stringify({ ...JSON.parse(each.value), [mark]: true }) }
        : each,
    );
    return { ...block, elements };
  });
}

/** Whether a button's value says that its message tells of several things. */
export function isOfSharedMessage(value = ''): boolean {
  return value.includes(`"${mark}":true`);
}
