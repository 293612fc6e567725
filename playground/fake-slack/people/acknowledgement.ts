import { isJsonObject, toObjects, toText } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { toDirectory } from '../render/mrkdwn.ts';
import { renderMessageText } from '../render/render.ts';
import type { Reply } from '../to-app/deliveries.ts';
import { post } from '../workspace/channel-log.ts';
import type { StoredChannel, StoredMessage } from '../workspace/records.ts';
import { slackbotId } from '../workspace/workspace.ts';
import type { AppAnswer, PersonContext } from './person-context.ts';

/** A command that a person sent: who typed it in which channel, and its `response_url`. */
export interface SentCommand {
  readonly name: string;
  readonly userId: string;
  readonly channel: StoredChannel;
  readonly responseUrl: string;
}

/** Shows the app's answer to a command: its message, or Slack's own error when the app failed. */
export function showAcknowledgement(context: PersonContext, command: SentCommand, reply: Reply): AppAnswer {
  const shown = reply.failed === undefined ? showBody(context, command, reply.body) : reply.failed;
  const failed = typeof shown === 'string' ? shown : undefined;
  const message = typeof shown === 'string' ? showFailure(context, command, shown) : shown;
  context.onChange();
  if (message === undefined) return { ...reply, failed };
  return { ...reply, failed, text: renderMessageText(toDirectory(context.workspace), message), message };
}

/** Posts the message in an acknowledgement. Returns it, `undefined` for an empty one, or Slack's error name for a bad one. */
function showBody(context: PersonContext, command: SentCommand, body: unknown): StoredMessage | string | undefined {
  const content = typeof body === 'string' ? { text: body } : isJsonObject(body) ? body : {};
  if (toText(content.text) === '' && toObjects(content.blocks).length === 0) return undefined;
  try {
    return context.responseUrls.showAcknowledgement(command.responseUrl, content);
  } catch (error) {
    if (error instanceof SlackError) return 'invalid_command_response';
    throw error;
  }
}

function showFailure(context: PersonContext, command: SentCommand, failed: string): StoredMessage {
  return post(context.workspace, command.channel, {
    userId: slackbotId,
    text: `${command.name} failed with the error "${failed}"`,
    ephemeralTo: command.userId,
  });
}
