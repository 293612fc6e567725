import { isJsonObject, type JsonObject, toObjects } from '../protocol/json.ts';
import { invalidPayload, SlackError } from '../protocol/slack-error.ts';
import { checkBlocks } from './blocks.ts';
import { Issues } from './issues.ts';
import { checkText } from './text.ts';

/** Bytes of JSON that a whole view may have (docs/slack.md 5). */
const viewLimit = 250_000;

const members = [
  'type',
  'title',
  'blocks',
  'close',
  'submit',
  'private_metadata',
  'callback_id',
  'clear_on_close',
  'notify_on_close',
  'external_id',
];

/** Returns the view if Slack would take it; throws Slack's refusal otherwise (docs/slack.md 5). */
export function checkView(view: unknown, type: 'modal' | 'home'): JsonObject {
  if (!isJsonObject(view)) throw invalidPayload('invalid_arguments', ['must provide an object [json-pointer:/view]']);
  if (new TextEncoder().encode(JSON.stringify(view)).length > viewLimit) throw new SlackError('view_too_large');
  const issues = new Issues();
  issues.checkMembers(view, members, '/view');
  issues.checkWord(view, 'type', [type], '/view');
  if (view.type === undefined) issues.add('/view', 'missing required field: type');
  checkText(issues, view, 'title', '/view', { max: 24, kind: 'plain_text', required: type === 'modal' });
  checkText(issues, view, 'submit', '/view', { max: 24, kind: 'plain_text' });
  checkText(issues, view, 'close', '/view', { max: 24, kind: 'plain_text' });
  issues.checkString(view, 'private_metadata', '/view', { max: 3000 });
  issues.checkString(view, 'callback_id', '/view', { max: 255 });
  issues.checkString(view, 'external_id', '/view', { max: 255 });
  const input = toObjects(view.blocks).findIndex(block => block.type === 'input');
  if (type === 'modal' && input >= 0 && !isJsonObject(view.submit)) {
    issues.add(`/view/blocks/${input}/input`, 'must define `submit` to use `input` block');
  }
  const all = [...issues.list, ...checkBlocks(view, '/view', type)];
  if (all.length > 0) {
    const schema = 'failed to match all allowed schemas [json-pointer:/view]';
    throw invalidPayload('invalid_arguments', [schema, ...all]);
  }
  return view;
}
