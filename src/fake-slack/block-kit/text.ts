import { isJsonObject, type JsonObject } from '../json.ts';
import type { Complaints } from './complaints.ts';

/** What a text object may be at a place: its kinds and length in characters. */
export interface TextLimits {
  readonly max: number;
  readonly kind: 'plain_text' | 'any';
  readonly required?: boolean;
}

/** Checks a member that holds a text object, such as a title or a label. */
export function checkText(
  complaints: Complaints,
  holder: JsonObject,
  member: string,
  pointer: string,
  limits: TextLimits,
): void {
  const value = holder[member];
  if (value === undefined || value === null) {
    if (limits.required) complaints.add(pointer, `missing required field: ${member}`);
    return;
  }
  const at = `${pointer}/${member}`;
  if (!isJsonObject(value)) {
    complaints.add(at, 'should be an object');
    return;
  }
  checkTextObject(complaints, value, at, limits);
}

/** Checks a text object where it stands. */
export function checkTextObject(complaints: Complaints, text: JsonObject, pointer: string, limits: TextLimits): void {
  const kinds = limits.kind === 'any' ? ['plain_text', 'mrkdwn'] : ['plain_text'];
  if (typeof text.type !== 'string' || !kinds.includes(text.type)) {
    complaints.add(`${pointer}/type`, `must be one of: ${kinds.join(', ')}`);
    return;
  }
  complaints.checkString(text, 'text', pointer, { max: limits.max, min: 1, required: true });
  complaints.checkMembers(
    text,
    text.type === 'mrkdwn' ? ['type', 'text', 'verbatim'] : ['type', 'text', 'emoji'],
    pointer,
  );
}

/** Checks a confirmation dialog: title 100, text 300, buttons 30 characters (docs/slack.md 5). */
export function checkConfirm(complaints: Complaints, holder: JsonObject, pointer: string): void {
  if (holder.confirm === undefined) return;
  const at = `${pointer}/confirm`;
  if (!isJsonObject(holder.confirm)) {
    complaints.add(at, 'should be an object');
    return;
  }
  const confirm = holder.confirm;
  complaints.checkMembers(confirm, ['title', 'text', 'confirm', 'deny', 'style'], at);
  checkText(complaints, confirm, 'title', at, { max: 100, kind: 'plain_text', required: true });
  checkText(complaints, confirm, 'text', at, { max: 300, kind: 'any', required: true });
  checkText(complaints, confirm, 'confirm', at, { max: 30, kind: 'plain_text', required: true });
  checkText(complaints, confirm, 'deny', at, { max: 30, kind: 'plain_text', required: true });
  complaints.checkWord(confirm, 'style', ['primary', 'danger'], at);
}
