import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { Issues } from './issues.ts';

/** The kinds and the length in characters that a text object may have. */
export interface TextLimits {
  readonly max: number;
  readonly kind: 'plain_text' | 'mrkdwn' | 'any';
  readonly required?: boolean;
}

/** Checks a member that holds a text object, such as a title or a label. */
export function checkText(
  issues: Issues,
  holder: JsonObject,
  member: string,
  pointer: string,
  limits: TextLimits,
): void {
  const value = holder[member];
  if (value === undefined || value === null) {
    if (limits.required) issues.add(pointer, `missing required field: ${member}`);
    return;
  }
  const at = `${pointer}/${member}`;
  if (!isJsonObject(value)) {
    issues.add(at, 'should be an object');
    return;
  }
  checkTextObject(issues, value, at, limits);
}

/** Checks a text object. */
export function checkTextObject(issues: Issues, text: JsonObject, pointer: string, limits: TextLimits): void {
  const kinds = limits.kind === 'any' ? ['plain_text', 'mrkdwn'] : [limits.kind];
  if (typeof text.type !== 'string' || !kinds.includes(text.type)) {
    issues.add(`${pointer}/type`, `must be one of: ${kinds.join(', ')}`);
    return;
  }
  issues.checkString(text, 'text', pointer, { max: limits.max, min: 1, required: true });
  issues.checkMembers(text, text.type === 'mrkdwn' ? ['type', 'text', 'verbatim'] : ['type', 'text', 'emoji'], pointer);
}

/** Checks a confirmation dialog: title 100, text 300, buttons 30 characters (docs/slack.md 5). */
export function checkConfirm(issues: Issues, holder: JsonObject, pointer: string): void {
  if (holder.confirm === undefined) return;
  const at = `${pointer}/confirm`;
  if (!isJsonObject(holder.confirm)) {
    issues.add(at, 'should be an object');
    return;
  }
  const confirm = holder.confirm;
  issues.checkMembers(confirm, ['title', 'text', 'confirm', 'deny', 'style'], at);
  checkText(issues, confirm, 'title', at, { max: 100, kind: 'plain_text', required: true });
  checkText(issues, confirm, 'text', at, { max: 300, kind: 'any', required: true });
  checkText(issues, confirm, 'confirm', at, { max: 30, kind: 'plain_text', required: true });
  checkText(issues, confirm, 'deny', at, { max: 30, kind: 'plain_text', required: true });
  issues.checkWord(confirm, 'style', ['primary', 'danger'], at);
}
