import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { optionsOf, optionText } from './fields.ts';
import type { Issues } from './issues.ts';
import { checkText } from './text.ts';

/** Checks a menu's options or option groups: 100 of each (docs/slack.md 5). */
export function checkOptions(issues: Issues, select: JsonObject, pointer: string): void {
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
export function checkOption(
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
export function checkInitial(issues: Issues, holder: JsonObject, pointer: string): void {
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
