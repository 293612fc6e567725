import { isJsonObject, type JsonObject, toObjects } from '../protocol/json.ts';

/** Elements that only show something and have no `action_id`. */
const passive: ReadonlySet<unknown> = new Set(['image', 'mrkdwn', 'plain_text']);

/**
 * Gives every block a `block_id` and every interactive element an `action_id`, as Slack does where the app gave none. Block ids
 * are unique in the list, action ids in their block. `randomId` makes hexadecimal digits, other ones at each call.
 */
export function withIds(blocks: readonly JsonObject[], randomId: () => string): JsonObject[] {
  const blockIds = new Set(blocks.map(block => block.block_id));
  return blocks.map(block => {
    const held = block.type === 'actions' ? toObjects(block.elements) : [];
    const elements = [block.accessory, block.element, ...held].filter(isJsonObject);
    const actionIds = new Set(elements.map(element => element.action_id));
    const element = (value: JsonObject): JsonObject =>
      passive.has(value.type) ? value : { ...value, action_id: value.action_id ?? newId(actionIds, randomId) };
    return {
      ...block,
      block_id: block.block_id ?? newId(blockIds, randomId),
      ...(isJsonObject(block.accessory) ? { accessory: element(block.accessory) } : {}),
      ...(isJsonObject(block.element) ? { element: element(block.element) } : {}),
      ...(block.type === 'actions' ? { elements: held.map(element) } : {}),
    };
  });
}

function newId(taken: Set<unknown>, randomId: () => string): string {
  let id = randomId().slice(-5);
  while (taken.has(id)) id = randomId().slice(-5);
  taken.add(id);
  return id;
}
