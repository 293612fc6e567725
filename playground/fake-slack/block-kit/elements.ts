import type { JsonObject } from '../protocol/json.ts';
import type { Issues } from './issues.ts';
import { checkInitial, checkOption, checkOptions } from './options.ts';
import { checkConfirm, checkText, checkTextObject } from './text.ts';

/** The kinds of block that hold elements. */
export type HostBlock = 'section' | 'actions' | 'input' | 'context';

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
