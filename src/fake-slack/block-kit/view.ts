import { isJsonObject, type JsonObject, toObjects } from '../json.ts';
import { refuseComplaints, SlackRefusal } from '../web-api/slack-error.ts';
import { checkBlocks } from './blocks.ts';
import { Complaints } from './complaints.ts';
import { checkText } from './text.ts';

/** How big a whole view may be, in bytes of JSON (docs/slack.md 5). */
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

/** Gives the view back when Slack would take it, and refuses with Slack's words when not (docs/slack.md 5). */
export function checkView(view: unknown, type: 'modal' | 'home'): JsonObject {
  if (!isJsonObject(view)) throw refuseComplaints('invalid_arguments', ['must provide an object [json-pointer:/view]']);
  if (JSON.stringify(view).length > viewLimit) throw new SlackRefusal('view_too_large');
  const complaints = new Complaints();
  complaints.checkMembers(view, members, '/view');
  complaints.checkWord(view, 'type', [type], '/view');
  if (view.type === undefined) complaints.add('/view', 'missing required field: type');
  checkText(complaints, view, 'title', '/view', { max: 24, kind: 'plain_text', required: type === 'modal' });
  checkText(complaints, view, 'submit', '/view', { max: 24, kind: 'plain_text' });
  checkText(complaints, view, 'close', '/view', { max: 24, kind: 'plain_text' });
  complaints.checkString(view, 'private_metadata', '/view', { max: 3000 });
  complaints.checkString(view, 'callback_id', '/view', { max: 255 });
  complaints.checkString(view, 'external_id', '/view', { max: 255 });
  const input = toObjects(view.blocks).findIndex(block => block.type === 'input');
  if (type === 'modal' && input >= 0 && !isJsonObject(view.submit)) {
    complaints.add(`/view/blocks/${input}/input`, 'must define `submit` to use `input` block');
  }
  const all = [...complaints.list, ...checkBlocks(view, '/view', type)];
  if (all.length > 0) {
    const schema = 'failed to match all allowed schemas [json-pointer:/view]';
    throw refuseComplaints('invalid_arguments', [schema, ...all]);
  }
  return view;
}
