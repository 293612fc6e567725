import { post } from '../channel-log.ts';
import { isJsonObject, toObjects, toText } from '../json.ts';
import { toDirectory } from '../render/directory.ts';
import { renderMessageText } from '../render/render.ts';
import type { Reply } from '../to-app/deliveries.ts';
import { SlackRefusal } from '../web-api/slack-error.ts';
import { type StoredChannel, type StoredMessage, slackbotId } from '../workspace.ts';
import type { Answer, Surroundings } from './person-context.ts';

/** A command that has been sent: who typed it where, and the address its answers may be sent to. */
export interface SentCommand {
  readonly name: string;
  readonly userId: string;
  readonly channel: StoredChannel;
  readonly responseUrl: string;
}

/** Shows what a command was answered with: the app's message, or Slack's own words when the app failed. */
export function showAcknowledgement(around: Surroundings, command: SentCommand, reply: Reply): Answer {
  const shown = reply.failed === undefined ? showBody(around, command, reply.body) : reply.failed;
  const failed = typeof shown === 'string' ? shown : undefined;
  const message = typeof shown === 'string' ? showFailure(around, command, shown) : shown;
  around.onChange();
  if (message === undefined) return { ...reply, failed };
  return { ...reply, failed, text: renderMessageText(toDirectory(around.workspace), message), message };
}

/** The message of the acknowledgement itself, nothing when it was empty, or the name of what is wrong with it. */
function showBody(around: Surroundings, command: SentCommand, body: unknown): StoredMessage | string | undefined {
  const content = typeof body === 'string' ? { text: body } : isJsonObject(body) ? body : {};
  if (toText(content.text) === '' && toObjects(content.blocks).length === 0) return undefined;
  try {
    return around.responseUrls.showAcknowledgement(command.responseUrl, content);
  } catch (error) {
    if (error instanceof SlackRefusal) return 'invalid_command_response';
    throw error;
  }
}

function showFailure(around: Surroundings, command: SentCommand, failed: string): StoredMessage {
  return post(around.workspace, command.channel, {
    userId: slackbotId,
    text: `${command.name} failed with the error "${failed}"`,
    ephemeralTo: command.userId,
  });
}
