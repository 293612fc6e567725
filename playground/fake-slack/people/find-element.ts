import { findOption, optionText } from '../block-kit/fields.ts';
import { isJsonObject, type JsonObject, toObjects, toText } from '../protocol/json.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { FormValue } from './form-values.ts';
import type { ElementPlace } from './person-context.ts';

/** A query for one button. Every given part must fit. */
export interface ButtonQuery {
  /** Visible text or action id. */
  readonly text?: string;
  readonly actionId?: string;
  readonly value?: string;
  readonly blockId?: string;
  /** Words in the button's own block or in the block right above it, such as the row it belongs to. */
  readonly near?: string;
}

/** Finds the one button that fits. Throws an error that lists the buttons when none or several do. */
export function findButton(
  blocks: readonly JsonObject[],
  query: ButtonQuery,
): { block: JsonObject; element: JsonObject } {
  const buttons = blocks.flatMap((block, index, all) =>
    elementsOf(block)
      .filter(element => element.type === 'button')
      .map(element => ({ block, element, above: all[index - 1] })),
  );
  const found = buttons.filter(
    ({ block, element, above }) =>
      (query.text === undefined || query.text === optionText(element) || query.text === element.action_id) &&
      (query.actionId === undefined || query.actionId === element.action_id) &&
      (query.value === undefined || query.value === element.value) &&
      (query.blockId === undefined || query.blockId === block.block_id) &&
      (query.near === undefined || JSON.stringify([block, above ?? '']).includes(query.near)),
  );
  const [button, another] = found;
  if (button !== undefined && another === undefined) return button;
  const there = buttons.map(({ element }) => `[${optionText(element)}] ${toText(element.action_id)}`).join(', ');
  const count = button === undefined ? 'no button' : `${found.length} buttons`;
  throw new Error(`There is ${count} for ${JSON.stringify(query)}. There are: ${there || 'none'}.`);
}

/** Finds an element by its place. Throws when there is none. */
export function findElement(
  blocks: readonly JsonObject[],
  { blockId, actionId }: ElementPlace,
): { block: JsonObject; element: JsonObject } {
  const block = within(blocks).find(each => each.block_id === blockId);
  const element = block && within(Object.values(block)).find(each => each.action_id === actionId);
  if (block === undefined || element === undefined) throw new Error('This button or menu is no longer there.');
  return { block, element };
}

/** Every object in a value, from the outside to the inside. */
function within(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(within);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(within)] : [];
}

/** Finds an overflow menu by its action id. */
export function findOverflow(
  blocks: readonly JsonObject[],
  actionId: string,
): { block: JsonObject; element: JsonObject } | undefined {
  return blocks
    .flatMap(block => elementsOf(block).map(element => ({ block, element })))
    .find(({ element }) => element.type === 'overflow' && element.action_id === actionId);
}

function elementsOf(block: JsonObject): JsonObject[] {
  return [block.accessory, ...toObjects(block.elements)].filter(isJsonObject);
}

/** Turns a person's choice into the element's bare value: an option, an id, a time, text, or a list of them. */
export function resolveValue(
  context: { workspace: Workspace },
  element: JsonObject,
  value: FormValue,
  options: readonly JsonObject[],
): unknown {
  const type = toText(element.type);
  const isList = type === 'checkboxes';
  if (isList) {
    const items: readonly FormValue[] = Array.isArray(value) ? value : [value as FormValue];
    return items.filter(item => item !== '').map(item => resolveOne(context, type, item, options));
  }
  return value === '' ? undefined : resolveOne(context, type, value, options);
}

function resolveOne(
  context: { workspace: Workspace },
  type: string,
  value: FormValue,
  options: readonly JsonObject[],
): unknown {
  const id = typeof value === 'object' && 'id' in value ? value.id : undefined;
  const text = id ?? (value instanceof Date ? '' : toText(value));
  if (/^(static_select|checkboxes|overflow)$/.test(type)) {
    const option = findOption(options, text);
    if (option !== undefined) return option;
    const known = options.map(candidate => `${toText(candidate.value)} (${optionText(candidate)})`).join(', ');
    throw new Error(`There is no option "${text}". There are: ${known || 'none'}.`);
  }
  if (type === 'users_select') {
    const person = context.workspace.people.get(text) ?? context.workspace.personNamed(text.replace(/^@/, ''));
    if (person === undefined) throw new Error(`There is nobody called "${text}" to choose.`);
    return person.id;
  }
  if (type === 'datetimepicker') {
    return value instanceof Date ? Math.floor(value.getTime() / 1000) : Number(text);
  }
  return text;
}
