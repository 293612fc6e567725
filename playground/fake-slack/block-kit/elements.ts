import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { optionsOf, optionText } from './fields.ts';
import type { Issues } from './issues.ts';
import { checkConfirm, checkText, checkTextObject } from './text.ts';

/** The kinds of block that hold elements. */
type HostBlock = 'section' | 'actions' | 'input' | 'context';

interface ElementRule {
  readonly members: readonly string[];
  readonly hosts: readonly HostBlock[];
  readonly check: (issues: Issues, element: JsonObject, pointer: string) => void;
}

const menuHosts: readonly HostBlock[] = ['section', 'actions', 'input'];
const inputOnly: readonly HostBlock[] = ['input'];

/** Checks a block element against Slack's limits (docs/slack.md 5) and against the block that holds it. It knows those that Muster sends. */
export function checkElement(issues: Issues, element: JsonObject, pointer: string, host: HostBlock): void {
  const rule = typeof element.type === 'string' ? rules[element.type] : undefined;
  if (rule === undefined || !rule.hosts.includes(host)) {
    issues.add(`${pointer}/type`, `unsupported type: ${String(element.type)}`);
    return;
  }
  const isImage = element.type === 'image';
  issues.checkMembers(element, isImage ? ['type', ...rule.members] : ['type', 'action_id', ...rule.members], pointer);
  issues.checkString(element, 'action_id', pointer, { max: 255, min: 1 });
  if (rule.members.includes('placeholder')) {
    checkText(issues, element, 'placeholder', pointer, { max: 150, kind: 'plain_text' });
  }
  if (rule.members.includes('confirm')) checkConfirm(issues, element, pointer);
  rule.check(issues, element, pointer);
}

const rules: Readonly<Record<string, ElementRule>> = {
  button: {
    members: ['text', 'value', 'url', 'style', 'confirm', 'accessibility_label'],
    hosts: ['section', 'actions'],
    check(issues, button, pointer) {
      checkText(issues, button, 'text', pointer, { max: 75, kind: 'plain_text', required: true });
      issues.checkString(button, 'value', pointer, { max: 2000 });
      issues.checkString(button, 'url', pointer, { max: 3000 });
      issues.checkString(button, 'accessibility_label', pointer, { max: 75 });
      issues.checkWord(button, 'style', ['primary', 'danger'], pointer);
    },
  },
  image: {
    members: ['image_url', 'slack_file', 'alt_text'],
    hosts: ['section', 'context'],
    check(issues, image, pointer) {
      issues.checkString(image, 'alt_text', pointer, { max: 2000, min: 1, required: true });
      issues.checkString(image, 'image_url', pointer, { max: 3000, required: image.slack_file === undefined });
    },
  },
  static_select: selectRule(['options', 'option_groups', 'initial_option'], checkOptions),
  users_select: selectRule(['initial_user'], () => {}),
  overflow: {
    members: ['options', 'confirm'],
    hosts: ['section', 'actions'],
    check(issues, overflow, pointer) {
      for (const [option, at] of issues.checkList(overflow, 'options', pointer, { max: 5, required: true })) {
        checkOption(issues, option, at, 'plain_text', ['url']);
      }
    },
  },
  checkboxes: {
    members: ['options', 'initial_options', 'confirm', 'focus_on_load'],
    hosts: menuHosts,
    check(issues, choice, pointer) {
      const options = issues.checkList(choice, 'options', pointer, { max: 10, required: true });
      for (const [option, at] of options) checkOption(issues, option, at, 'any', []);
      checkInitial(issues, choice, pointer);
    },
  },
  datetimepicker: {
    members: ['initial_date_time', 'confirm', 'focus_on_load'],
    hosts: ['actions', 'input'],
    check(issues, picker, pointer) {
      const initial = picker.initial_date_time;
      if (initial !== undefined && (typeof initial !== 'number' || !/^\d{10}$/.test(String(initial)))) {
        issues.add(`${pointer}/initial_date_time`, 'must be a 10-digit Unix timestamp');
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
    hosts: inputOnly,
    check(issues, input, pointer) {
      const max = typeof input.max_length === 'number' ? input.max_length : 3000;
      if (max < 1 || max > 3000) issues.add(`${pointer}/max_length`, 'must be between 1 and 3000');
      if (typeof input.min_length === 'number' && (input.min_length < 0 || input.min_length > max)) {
        issues.add(`${pointer}/min_length`, 'must be between 0 and max_length');
      }
      issues.checkString(input, 'initial_value', pointer, { max });
    },
  },
  url_text_input: {
    members: ['initial_value', 'placeholder', 'dispatch_action_config', 'focus_on_load'],
    hosts: inputOnly,
    check: (issues, input, pointer) => issues.checkString(input, 'initial_value', pointer, { max: 3000 }),
  },
};

function selectRule(members: readonly string[], check: ElementRule['check']): ElementRule {
  return { members: [...members, 'placeholder', 'confirm', 'focus_on_load'], hosts: menuHosts, check };
}

/** Checks an element of a context block: a text or a small image. */
export function checkContextElement(issues: Issues, element: JsonObject, pointer: string): void {
  if (element.type === 'image') checkElement(issues, element, pointer, 'context');
  else checkTextObject(issues, element, pointer, { max: 3000, kind: 'any' });
}

/** Checks a menu's options or option groups: 100 of each (docs/slack.md 5). */
function checkOptions(issues: Issues, select: JsonObject, pointer: string): void {
  if (select.option_groups !== undefined) {
    for (const [group, at] of issues.checkList(select, 'option_groups', pointer, { max: 100 })) {
      issues.checkMembers(group, ['label', 'options'], at);
      checkText(issues, group, 'label', at, { max: 75, kind: 'plain_text', required: true });
      for (const [option, optionAt] of issues.checkList(group, 'options', at, { max: 100, required: true })) {
        checkOption(issues, option, optionAt, 'plain_text', []);
      }
    }
  } else {
    for (const [option, at] of issues.checkList(select, 'options', pointer, { max: 100, required: true })) {
      checkOption(issues, option, at, 'plain_text', []);
    }
  }
  checkInitial(issues, select, pointer);
}

/** Checks one option: text and value 75 characters each (docs/slack.md 5). */
function checkOption(
  issues: Issues,
  option: JsonObject,
  pointer: string,
  kind: 'plain_text' | 'any',
  more: readonly string[],
): void {
  issues.checkMembers(option, ['text', 'value', 'description', ...more], pointer);
  checkText(issues, option, 'text', pointer, { max: 75, kind, required: true });
  checkText(issues, option, 'description', pointer, { max: 75, kind });
  issues.checkString(option, 'value', pointer, { max: 75, min: 1, required: true });
}

/** Checks that the initial options are among the options. */
function checkInitial(issues: Issues, holder: JsonObject, pointer: string): void {
  const known = optionsOf(holder);
  const initials: [unknown, string][] = Array.isArray(holder.initial_options)
    ? holder.initial_options.map((initial, index) => [initial, `initial_options/${index}`])
    : [[holder.initial_option, 'initial_option']];
  for (const [initial, member] of initials) {
    if (initial === undefined) continue;
    const same = (option: JsonObject): boolean => isJsonObject(initial) && isSameOption(option, initial);
    if (!known.some(same)) issues.add(`${pointer}/${member}`, 'must exactly match one of the options');
  }
}

function isSameOption(one: JsonObject, other: JsonObject): boolean {
  return one.value === other.value && optionText(one) === optionText(other);
}
