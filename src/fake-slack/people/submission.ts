import { isJsonObject, type JsonObject, toText } from '../json.ts';
import type { Reply } from '../to-app/deliveries.ts';
import { type Actor, toViewSubmission } from '../to-app/payloads.ts';
import type { OpenView } from '../web-api/modals.ts';
import { SlackRefusal } from '../web-api/slack-error.ts';
import { clientComplaint, fieldsOf, filledIn } from './form.ts';
import type { Surroundings } from './person-context.ts';

/** What Slack shows when an app answers a submission with nothing it understands. */
const troubleText = 'We had some trouble connecting. Try again?';

/** A modal on its way to the app, with the payload as it was when it was sent. */
export interface Submission {
  readonly view: OpenView;
  readonly payload: JsonObject;
}

/** Checks a modal as Slack's client does; `undefined` when it may not be sent, and `view.errors` says why. */
export function toSubmission(around: Surroundings, actor: Actor, view: OpenView): Submission | undefined {
  if (!isJsonObject(view.payload.submit)) throw new Error(`The modal "${view.title}" has no submit button.`);
  view.errors = {};
  view.trouble = undefined;
  for (const field of fieldsOf(view.blocks)) {
    const complaint = clientComplaint(field, view.values[field.blockId]?.[field.actionId]);
    if (complaint !== undefined) view.errors[field.blockId] = complaint;
  }
  if (Object.keys(view.errors).length > 0) return undefined;
  const responseUrls = toResponseUrls(around, view);
  const triggerId = around.triggers.issue(view.userId, view.channelId);
  return { view, payload: structuredClone(toViewSubmission(actor, view, { triggerId, responseUrls })) };
}

/** Does to the modal what the app answered: close it, or the `response_action` (docs/slack.md 4). */
export function applyResponseAction(around: Surroundings, view: OpenView, reply: Reply): void {
  const { modals } = around;
  if (modals.find(view.id, undefined) === undefined) return;
  if (reply.failed !== undefined) {
    view.trouble = troubleText;
    return;
  }
  const answer = isJsonObject(reply.body) ? reply.body : {};
  try {
    if (answer.response_action === undefined) modals.close(view);
    else if (answer.response_action === 'clear') modals.clear(view.userId);
    else if (answer.response_action === 'update') modals.update({ viewId: view.id }, answer.view);
    else if (answer.response_action === 'push') modals.push(view.userId, answer.view);
    else if (answer.response_action === 'errors') view.errors = toErrors(view, answer.errors);
    else throw new SlackRefusal('invalid_response_action');
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    view.trouble = `${troubleText} (${error.code} ${JSON.stringify(error.details)})`;
  }
}

/** Only input blocks can carry errors (docs/slack.md 4). */
function toErrors(view: OpenView, errors: unknown): Record<string, string> {
  const inputs = new Set(fieldsOf(view.blocks).flatMap(field => (field.isInput ? [field.blockId] : [])));
  const given = Object.entries(isJsonObject(errors) ? errors : {});
  const unknown = given.map(([blockId]) => blockId).filter(blockId => !inputs.has(blockId));
  if (given.length === 0 || unknown.length > 0) throw new SlackRefusal('invalid_errors', { unknown });
  return Object.fromEntries(given.map(([blockId, text]) => [blockId, toText(text)]));
}

/** One address for each select with `response_url_enabled`, into the channel that was chosen there. */
function toResponseUrls(around: Surroundings, view: OpenView): JsonObject[] {
  return fieldsOf(view.blocks).flatMap(field => {
    const chosen = filledIn(view.values[field.blockId]?.[field.actionId]);
    if (field.element.response_url_enabled !== true || typeof chosen !== 'string') return [];
    const responseUrl = around.responseUrls.issue(view.userId, chosen);
    return [{ block_id: field.blockId, action_id: field.actionId, channel_id: chosen, response_url: responseUrl }];
  });
}
