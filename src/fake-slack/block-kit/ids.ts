import { isJsonObject, type JsonObject, toObjects } from '../protocol/json.ts';
import { childrenOf, withNested } from './nested.ts';

/** Elements that only show something and have no `action_id`. */
const passive: ReadonlySet<unknown> = new Set(['image', 'mrkdwn', 'plain_text']);

/** The kinds of block whose elements may be interactive. */
const holders: ReadonlySet<unknown> = new Set(['actions', 'context_actions']);

/**
 * Gives every block a `block_id` and every interactive element an `action_id`, as Slack does where the app gave none,
 * in nested blocks too. Block ids are unique in the list, action ids in their block. `randomId` makes hexadecimal digits, other ones at each call.
 */
export function withIds(blocks: readonly JsonObject[], randomId: () => string): JsonObject[] {
  return fillIn(blocks, new Set(withNested(blocks).map(block => block.block_id)), randomId);
}

function fillIn(blocks: readonly JsonObject[], blockIds: Set<unknown>, randomId: () => string): JsonObject[] {
  return blocks.map(block => {
    const elements = [block.accessory, block.element, ...held(block)].filter(isJsonObject);
    const actionIds = new Set(elements.map(element => element.action_id));
    const element = (value: JsonObject): JsonObject =>
      passive.has(value.type) ? value : { ...value, action_id: value.action_id ?? newId(actionIds, randomId) };
    return {
      ...block,
      block_id: block.block_id ?? newId(blockIds, randomId),
      ...(isJsonObject(block.accessory) ? { accessory: element(block.accessory) } : {}),
      ...(isJsonObject(block.element) ? { element: element(block.element) } : {}),
      ...(holders.has(block.type) ? { elements: held(block).map(element) } : {}),
      ...(block.type === 'card' && block.actions !== undefined ? { actions: held(block).map(element) } : {}),
      ...(block.type === 'container' ? { child_blocks: fillIn(childrenOf(block), blockIds, randomId) } : {}),
      ...(block.type === 'carousel' ? { elements: fillIn(childrenOf(block), blockIds, randomId) } : {}),
    };
  });
}

/** The elements that a block holds in a list. */
function held(block: JsonObject): JsonObject[] {
  if (block.type === 'card') return toObjects(block.actions);
  return holders.has(block.type) ? toObjects(block.elements) : [];
}

function newId(taken: Set<unknown>, randomId: () => string): string {
  let id = randomId().slice(-5);
  while (taken.has(id)) id = randomId().slice(-5);
  taken.add(id);
  return id;
}
