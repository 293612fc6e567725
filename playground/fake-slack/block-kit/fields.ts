import { isJsonObject, type JsonObject, toObjects, toText } from '../protocol/json.ts';

/** Filled-in values as payloads carry them: block id → action id → the element's state. */
export type StateValues = Record<string, Record<string, JsonObject>>;

/** An element of a view or message that holds a value. */
export interface Field {
  readonly blockId: string;
  readonly actionId: string;
  readonly element: JsonObject;
  /** The label of an input block; empty in other blocks. */
  readonly label: string;
  /** Whether the field may stay empty. True outside input blocks. */
  readonly optional: boolean;
  /** Whether an input block holds it. Only those can show errors. */
  readonly isInput: boolean;
}

/** For each kind of element: the state's member for the value, the element's member for the initial value, and the empty value. */
const kinds: Readonly<Record<string, readonly [value: string, initial: string, empty: unknown]>> = {
  plain_text_input: ['value', 'initial_value', null],
  url_text_input: ['value', 'initial_value', null],
  static_select: ['selected_option', 'initial_option', null],
  users_select: ['selected_user', 'initial_user', null],
  checkboxes: ['selected_options', 'initial_options', []],
  datetimepicker: ['selected_date_time', 'initial_date_time', null],
};

/** Every element that holds a value, in reading order. */
export function fieldsOf(blocks: readonly JsonObject[]): Field[] {
  return blocks.flatMap(block => {
    const isInput = block.type === 'input';
    const held = isInput ? [block.element] : block.type === 'section' ? [block.accessory] : toObjects(block.elements);
    return held.filter(isJsonObject).flatMap(element =>
      kinds[toText(element.type)] === undefined
        ? []
        : [
            {
              blockId: toText(block.block_id),
              actionId: toText(element.action_id),
              element,
              label: isJsonObject(block.label) ? toText(block.label.text) : '',
              optional: !isInput || block.optional === true,
              isInput,
            },
          ],
    );
  });
}

/** The values blocks start with; what was filled in before stays where block, action and kind are the same. */
export function initialValues(blocks: readonly JsonObject[], before: StateValues = {}): StateValues {
  const values: StateValues = {};
  for (const field of fieldsOf(blocks)) {
    const kept = before[field.blockId]?.[field.actionId];
    const blockValues = values[field.blockId] ?? {};
    blockValues[field.actionId] = kept?.type === field.element.type && kept !== undefined ? kept : initialValue(field);
    values[field.blockId] = blockValues;
  }
  return values;
}

/** The bare value in a state: text, id, chosen option or a list of them; `undefined` when it is empty. */
export function filledIn(value: JsonObject | undefined): unknown {
  const [member] = kinds[toText(value?.type)] ?? ['value'];
  const inner = value?.[member];
  const isEmpty = inner === null || inner === '' || (Array.isArray(inner) && inner.length === 0);
  return isEmpty ? undefined : inner;
}

/** The state of an element that holds a bare value; `undefined` empties it. */
export function toStateValue(element: JsonObject, value: unknown): JsonObject {
  const type = toText(element.type);
  const [member, , empty] = kinds[type] ?? ['value', '', null];
  return { type, [member]: value === undefined || value === '' ? empty : value };
}

/** The state of an element in Slack's form. Anything else in `state` is left out. */
export function toStateOf(element: JsonObject, state: JsonObject): JsonObject {
  return toStateValue(element, filledIn({ ...state, type: element.type }));
}

/** The options of a select, checkboxes or overflow menu, those in groups too. */
export function optionsOf(element: JsonObject): JsonObject[] {
  return [
    ...toObjects(element.options),
    ...toObjects(element.option_groups).flatMap(group => toObjects(group.options)),
  ];
}

/** The option with that value or that visible text. */
export function findOption(options: readonly JsonObject[], wanted: string): JsonObject | undefined {
  return options.find(option => option.value === wanted) ?? options.find(option => optionText(option) === wanted);
}

/** The visible text of an option or button. */
export function optionText(option: JsonObject): string {
  return isJsonObject(option.text) ? toText(option.text.text) : '';
}

/** The error that Slack's client shows under a field instead of sending it; `undefined` when it may be sent. */
export function clientIssue(field: Field, value: JsonObject | undefined): string | undefined {
  const filled = filledIn(value);
  if (filled === undefined) return field.optional ? undefined : 'Please complete this required field.';
  if (typeof filled !== 'string') return undefined;
  const { type, min_length: min, max_length: max } = field.element;
  if (type === 'plain_text_input') {
    if (typeof min === 'number' && filled.length < min) return `Must be at least ${min} characters.`;
    const limit = typeof max === 'number' ? max : 3000;
    if (filled.length > limit) return `Must be ${limit} characters or fewer.`;
  }
  if (type === 'url_text_input' && !URL.canParse(filled)) return 'Please enter a valid URL.';
  return undefined;
}

function initialValue({ element }: Field): JsonObject {
  const [, initial] = kinds[toText(element.type)] ?? ['', ''];
  return toStateValue(element, element[initial]);
}
