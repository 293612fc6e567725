import { isJsonObject, type JsonObject, toObjects } from '../json.ts';
import type { Complaints } from './complaints.ts';
import { checkConfirm, checkText, checkTextObject } from './text.ts';

/** Where an element may stand. */
export type Place = 'section' | 'actions' | 'input' | 'context';

interface ElementRule {
  readonly members: readonly string[];
  readonly places: readonly Place[];
  readonly check: (complaints: Complaints, element: JsonObject, pointer: string) => void;
}

const menuPlaces: readonly Place[] = ['section', 'actions', 'input'];
const inputOnly: readonly Place[] = ['input'];

/** Checks a block element against Slack's limits (docs/slack.md 5) and against the place it stands in. */
export function checkElement(complaints: Complaints, element: JsonObject, pointer: string, place: Place): void {
  const rule = typeof element.type === 'string' ? rules[element.type] : undefined;
  if (rule === undefined || !rule.places.includes(place)) {
    complaints.add(`${pointer}/type`, `unsupported type: ${String(element.type)}`);
    return;
  }
  const isImage = element.type === 'image';
  complaints.checkMembers(
    element,
    isImage ? ['type', ...rule.members] : ['type', 'action_id', ...rule.members],
    pointer,
  );
  complaints.checkString(element, 'action_id', pointer, { max: 255, min: 1 });
  if (rule.members.includes('placeholder')) {
    checkText(complaints, element, 'placeholder', pointer, { max: 150, kind: 'plain_text' });
  }
  if (rule.members.includes('confirm')) checkConfirm(complaints, element, pointer);
  rule.check(complaints, element, pointer);
}

const rules: Readonly<Record<string, ElementRule>> = {
  button: {
    members: ['text', 'value', 'url', 'style', 'confirm', 'accessibility_label'],
    places: ['section', 'actions'],
    check(complaints, button, pointer) {
      checkText(complaints, button, 'text', pointer, { max: 75, kind: 'plain_text', required: true });
      complaints.checkString(button, 'value', pointer, { max: 2000 });
      complaints.checkString(button, 'url', pointer, { max: 3000 });
      complaints.checkString(button, 'accessibility_label', pointer, { max: 75 });
      complaints.checkWord(button, 'style', ['primary', 'danger'], pointer);
    },
  },
  image: {
    members: ['image_url', 'slack_file', 'alt_text'],
    places: ['section', 'context'],
    check(complaints, image, pointer) {
      complaints.checkString(image, 'alt_text', pointer, { max: 2000, min: 1, required: true });
      complaints.checkString(image, 'image_url', pointer, { max: 3000, required: image.slack_file === undefined });
    },
  },
  static_select: selectRule(['options', 'option_groups', 'initial_option'], checkOptions),
  multi_static_select: multiRule(['options', 'option_groups', 'initial_options'], checkOptions),
  external_select: selectRule(['initial_option', 'min_query_length'], () => {}),
  multi_external_select: multiRule(['initial_options', 'min_query_length'], () => {}),
  users_select: selectRule(['initial_user'], () => {}),
  multi_users_select: multiRule(['initial_users'], () => {}),
  conversations_select: selectRule(
    ['initial_conversation', 'default_to_current_conversation', 'response_url_enabled', 'filter'],
    () => {},
  ),
  multi_conversations_select: multiRule(
    ['initial_conversations', 'default_to_current_conversation', 'filter'],
    () => {},
  ),
  channels_select: selectRule(['initial_channel', 'response_url_enabled'], () => {}),
  multi_channels_select: multiRule(['initial_channels'], () => {}),
  overflow: {
    members: ['options', 'confirm'],
    places: ['section', 'actions'],
    check(complaints, overflow, pointer) {
      for (const [option, at] of complaints.checkList(overflow, 'options', pointer, { max: 5, required: true })) {
        checkOption(complaints, option, at, 'plain_text', ['url']);
      }
    },
  },
  checkboxes: choiceRule('initial_options'),
  radio_buttons: choiceRule('initial_option'),
  datepicker: {
    members: ['initial_date', 'placeholder', 'confirm', 'focus_on_load'],
    places: menuPlaces,
    check: (complaints, picker, pointer) =>
      checkPattern(complaints, picker, 'initial_date', /^\d{4}-\d\d-\d\d$/, 'YYYY-MM-DD', pointer),
  },
  timepicker: {
    members: ['initial_time', 'placeholder', 'confirm', 'focus_on_load', 'timezone'],
    places: menuPlaces,
    check: (complaints, picker, pointer) =>
      checkPattern(complaints, picker, 'initial_time', /^([01]\d|2[0-3]):[0-5]\d$/, 'HH:mm', pointer),
  },
  datetimepicker: {
    members: ['initial_date_time', 'confirm', 'focus_on_load'],
    places: ['actions', 'input'],
    check(complaints, picker, pointer) {
      const initial = picker.initial_date_time;
      if (initial !== undefined && (typeof initial !== 'number' || !/^\d{10}$/.test(String(initial)))) {
        complaints.add(`${pointer}/initial_date_time`, 'must be a 10-digit Unix timestamp');
      }
    },
  },
  plain_text_input: {
    members: [
      'multiline',
      'min_length',
      'max_length',
      'initial_value',
      'placeholder',
      'dispatch_action_config',
      'focus_on_load',
    ],
    places: inputOnly,
    check(complaints, input, pointer) {
      const max = typeof input.max_length === 'number' ? input.max_length : 3000;
      if (max < 1 || max > 3000) complaints.add(`${pointer}/max_length`, 'must be between 1 and 3000');
      if (typeof input.min_length === 'number' && (input.min_length < 0 || input.min_length > max)) {
        complaints.add(`${pointer}/min_length`, 'must be between 0 and max_length');
      }
      complaints.checkString(input, 'initial_value', pointer, { max });
    },
  },
  email_text_input: fieldRule([]),
  url_text_input: fieldRule([]),
  number_input: {
    ...fieldRule(['is_decimal_allowed', 'min_value', 'max_value']),
    check(complaints, input, pointer) {
      if (typeof input.is_decimal_allowed !== 'boolean') {
        complaints.add(pointer, 'missing required field: is_decimal_allowed');
      }
      for (const member of ['min_value', 'max_value', 'initial_value']) {
        complaints.checkString(input, member, pointer, { max: 3000 });
      }
    },
  },
  rich_text_input: {
    members: ['initial_value', 'placeholder', 'dispatch_action_config', 'focus_on_load', 'min_lines', 'max_lines'],
    places: inputOnly,
    check() {},
  },
  file_input: { members: ['filetypes', 'max_files'], places: inputOnly, check() {} },
};

function selectRule(members: readonly string[], check: ElementRule['check']): ElementRule {
  return { members: [...members, 'placeholder', 'confirm', 'focus_on_load'], places: menuPlaces, check };
}

function multiRule(members: readonly string[], check: ElementRule['check']): ElementRule {
  return selectRule([...members, 'max_selected_items'], check);
}

function choiceRule(initial: 'initial_option' | 'initial_options'): ElementRule {
  return {
    members: ['options', initial, 'confirm', 'focus_on_load'],
    places: menuPlaces,
    check(complaints, choice, pointer) {
      const options = complaints.checkList(choice, 'options', pointer, { max: 10, required: true });
      for (const [option, at] of options) checkOption(complaints, option, at, 'any', []);
      checkInitial(complaints, choice, pointer);
    },
  };
}

function fieldRule(members: readonly string[]): ElementRule {
  return {
    members: ['initial_value', 'placeholder', 'dispatch_action_config', 'focus_on_load', ...members],
    places: inputOnly,
    check: (complaints, input, pointer) => complaints.checkString(input, 'initial_value', pointer, { max: 3000 }),
  };
}

function checkOptions(complaints: Complaints, select: JsonObject, pointer: string): void {
  if (select.option_groups !== undefined) {
    for (const [group, at] of complaints.checkList(select, 'option_groups', pointer, { max: 100 })) {
      complaints.checkMembers(group, ['label', 'options'], at);
      checkText(complaints, group, 'label', at, { max: 75, kind: 'plain_text', required: true });
      for (const [option, optionAt] of complaints.checkList(group, 'options', at, { max: 100, required: true })) {
        checkOption(complaints, option, optionAt, 'plain_text', []);
      }
    }
  } else {
    for (const [option, at] of complaints.checkList(select, 'options', pointer, { max: 100, required: true })) {
      checkOption(complaints, option, at, 'plain_text', []);
    }
  }
  checkInitial(complaints, select, pointer);
}

/** Checks one option: text and value 75 characters each (docs/slack.md 5). */
export function checkOption(
  complaints: Complaints,
  option: JsonObject,
  pointer: string,
  kind: 'plain_text' | 'any',
  more: readonly string[],
): void {
  complaints.checkMembers(option, ['text', 'value', 'description', ...more], pointer);
  checkText(complaints, option, 'text', pointer, { max: 75, kind, required: true });
  checkText(complaints, option, 'description', pointer, { max: 75, kind });
  complaints.checkString(option, 'value', pointer, { max: 75, min: 1, required: true });
}

function checkInitial(complaints: Complaints, holder: JsonObject, pointer: string): void {
  const groups = toObjects(holder.option_groups).flatMap(group => toObjects(group.options));
  const known = [...toObjects(holder.options), ...groups];
  const initials: [unknown, string][] = Array.isArray(holder.initial_options)
    ? holder.initial_options.map((initial, index) => [initial, `initial_options/${index}`])
    : [[holder.initial_option, 'initial_option']];
  for (const [initial, member] of initials) {
    if (initial === undefined) continue;
    const same = (option: JsonObject): boolean => isJsonObject(initial) && isSameOption(option, initial);
    if (!known.some(same)) complaints.add(`${pointer}/${member}`, 'must exactly match one of the options');
  }
}

function isSameOption(one: JsonObject, other: JsonObject): boolean {
  const text = (option: JsonObject): unknown => (isJsonObject(option.text) ? option.text.text : undefined);
  return one.value === other.value && text(one) === text(other);
}

function checkPattern(
  complaints: Complaints,
  holder: JsonObject,
  member: string,
  pattern: RegExp,
  words: string,
  pointer: string,
): void {
  const value = holder[member];
  if (value !== undefined && (typeof value !== 'string' || !pattern.test(value))) {
    complaints.add(`${pointer}/${member}`, `must match the format ${words}`);
  }
}

/** Checks what may stand in a context block: texts and small images. */
export function checkContextElement(complaints: Complaints, element: JsonObject, pointer: string): void {
  if (element.type === 'image') checkElement(complaints, element, pointer, 'context');
  else checkTextObject(complaints, element, pointer, { max: 3000, kind: 'any' });
}
