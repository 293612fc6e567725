import { clientIssue, fieldsOf } from '../block-kit/fields.ts';
import { isJsonObject, type JsonObject, toText } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import type { Reply } from '../to-app/deliveries.ts';
import { type Sender, toViewSubmission } from '../to-app/payloads.ts';
import type { OpenView } from '../workspace/modals.ts';
import type { PersonContext } from './person-context.ts';

/** Slack's text when it cannot use the app's answer to a submission. */
const failureText = 'We had some trouble connecting. Try again?';

/** A modal on its way to the app, with a snapshot of the payload. */
export interface Submission {
  readonly view: OpenView;
  readonly payload: JsonObject;
}

/** Checks a modal as Slack's client does. Returns `undefined` when it may not be sent; `view.errors` says why. */
export function toSubmission(context: PersonContext, sender: Sender, view: OpenView): Submission | undefined {
  if (!isJsonObject(view.payload.submit)) throw new Error(`The modal "${view.title}" has no submit button.`);
  view.errors = {};
  view.failureNotice = undefined;
  for (const field of fieldsOf(view.blocks)) {
    const issue = clientIssue(field, view.values[field.blockId]?.[field.actionId]);
    if (issue !== undefined) view.errors[field.blockId] = issue;
  }
  if (Object.keys(view.errors).length > 0) return undefined;
  const triggerId = context.triggers.issue(view.userId, view.channelId);
  return { view, payload: structuredClone(toViewSubmission(sender, view, { triggerId })) };
}

/** Applies the app's answer to the modal: its `response_action`, or closing it (docs/slack.md 4). */
export function applyResponseAction(context: PersonContext, view: OpenView, reply: Reply): void {
  const { modals } = context;
  if (modals.find(view.id, undefined) === undefined) return;
  if (reply.failed !== undefined) {
    view.failureNotice = failureText;
    return;
  }
  const answer = isJsonObject(reply.body) ? reply.body : {};
  try {
    if (answer.response_action === undefined) modals.close(view);
    else if (answer.response_action === 'clear') modals.clear(view.userId);
    else if (answer.response_action === 'update') modals.update({ viewId: view.id }, answer.view);
    else if (answer.response_action === 'push') modals.push(view.userId, answer.view);
    else if (answer.response_action === 'errors') view.errors = toErrors(view, answer.errors);
    else throw new SlackError('invalid_response_action');
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    view.failureNotice = `${failureText} (${error.code} ${JSON.stringify(error.details)})`;
  }
}

/** Only input blocks can carry errors (docs/slack.md 4). */
function toErrors(view: OpenView, errors: unknown): Record<string, string> {
  const inputs = new Set(fieldsOf(view.blocks).flatMap(field => (field.isInput ? [field.blockId] : [])));
  const given = Object.entries(isJsonObject(errors) ? errors : {});
  const unknown = given.map(([blockId]) => blockId).filter(blockId => !inputs.has(blockId));
  if (given.length === 0 || unknown.length > 0) throw new SlackError('invalid_errors', { unknown });
  return Object.fromEntries(given.map(([blockId, text]) => [blockId, toText(text)]));
}
