import type { StateValues } from '../block-kit/fields.ts';
import { type JsonObject, toObjects } from '../protocol/json.ts';
import { isOrgInstall, organisation, teamOf, toEnterprise } from '../workspace/grid.ts';
import type { Modals, OpenView } from '../workspace/modals.ts';
import type { PersonRecord, StoredChannel, StoredMessage } from '../workspace/records.ts';
import { serializeMessage, toChannelReference } from '../workspace/serialize.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Who acts, in which workspace. Every payload begins with it. */
export interface Sender {
  readonly workspace: Workspace;
  readonly modals: Modals;
  readonly person: PersonRecord;
}

/** A slash command's fields (docs/slack.md 4); `is_enterprise_install` is a string there. */
export function toCommandPayload(
  { workspace, person }: Sender,
  channel: StoredChannel,
  command: { name: string; text: string; triggerId: string; responseUrl: string },
): JsonObject {
  const team = teamOf(workspace.teamOfView(person, channel));
  return {
    token: 'verification-token',
    team_id: team.id,
    team_domain: team.domain,
    ...(workspace.grid ? { enterprise_id: organisation.id, enterprise_name: organisation.name } : {}),
    channel_id: channel.id,
    channel_name: toChannelReference(channel).name,
    user_id: person.id,
    user_name: person.name,
    command: command.name,
    text: command.text,
    api_app_id: workspace.appId,
    is_enterprise_install: String(isOrgInstall(workspace.grid)),
    response_url: command.responseUrl,
    trigger_id: command.triggerId,
  };
}

/** A click or choice in a message. */
export function toMessageActions(
  sender: Sender,
  message: StoredMessage,
  channel: StoredChannel,
  sent: { action: JsonObject; state: StateValues; triggerId: string; responseUrl: string },
): JsonObject {
  return {
    type: 'block_actions',
    ...toCommon(sender, channel),
    ...toMessageContainer(sender, message, sent.action.block_id),
    trigger_id: sent.triggerId,
    channel: toChannelReference(channel),
    state: { values: sent.state },
    response_url: sent.responseUrl,
    actions: [sent.action],
  };
}

/** A click or choice in a modal or on the home tab. */
export function toViewActions(
  sender: Sender,
  view: OpenView,
  sent: { action: JsonObject; triggerId: string },
): JsonObject {
  return {
    type: 'block_actions',
    ...toCommon(sender),
    ...toViewContainer(sender, view),
    trigger_id: sent.triggerId,
    actions: [sent.action],
  };
}

/** A submitted modal. */
export function toViewSubmission(sender: Sender, view: OpenView, sent: { triggerId: string }): JsonObject {
  return {
    type: 'view_submission',
    ...toCommon(sender),
    trigger_id: sent.triggerId,
    view: sender.modals.serialize(view),
    response_urls: [],
  };
}

/** A modal that a person closed without submitting it. */
export function toViewClosed(sender: Sender, view: OpenView, isCleared: boolean): JsonObject {
  return { type: 'view_closed', ...toCommon(sender), view: sender.modals.serialize(view), is_cleared: isCleared };
}

/** A global shortcut: no channel, no `response_url` (docs/slack.md 4). */
export function toGlobalShortcut(sender: Sender, callbackId: string, triggerId: string): JsonObject {
  return {
    type: 'shortcut',
    ...toCommon(sender),
    action_ts: sender.workspace.nextTs(),
    callback_id: callbackId,
    trigger_id: triggerId,
  };
}

/** A shortcut on a message, in channels without the bot too (docs/slack.md 4). */
export function toMessageShortcut(
  sender: Sender,
  message: StoredMessage,
  channel: StoredChannel,
  sent: { callbackId: string; triggerId: string; responseUrl: string },
): JsonObject {
  return {
    type: 'message_action',
    ...toCommon(sender, channel),
    action_ts: sender.workspace.nextTs(),
    channel: toChannelReference(channel),
    callback_id: sent.callbackId,
    trigger_id: sent.triggerId,
    response_url: sent.responseUrl,
    message_ts: message.ts,
    message: serializeMessage(sender.workspace, message),
  };
}

/** Where a click in a message was made, in its own blocks or in those of an attachment. An ephemeral message is not sent along (docs/slack.md 4). */
function toMessageContainer({ workspace }: Sender, message: StoredMessage, blockId: unknown): JsonObject {
  const isEphemeral = message.ephemeralTo !== undefined;
  const attachment = message.attachments.findIndex(each => toObjects(each.blocks).some(at => at.block_id === blockId));
  return {
    container: {
      ...(attachment < 0
        ? { type: 'message' }
        : { type: 'message_attachment', attachment_id: attachment + 1, is_app_unfurl: false }),
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: isEphemeral,
      ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    },
    ...(isEphemeral ? {} : { message: serializeMessage(workspace, message) }),
  };
}

/** Where a click in a view was made. */
function toViewContainer({ modals }: Sender, view: OpenView): JsonObject {
  return { container: { type: 'view', view_id: view.id }, view: modals.serialize(view) };
}

/** Who acts, and in which workspace: an app of an organisation is not told that where there is no channel (docs/slack.md 3). */
function toCommon({ workspace, person }: Sender, channel?: StoredChannel): JsonObject {
  const { grid } = workspace;
  const { id, domain } = teamOf(channel ? workspace.teamOfView(person, channel) : workspace.teamId);
  const enterprise = grid ? { enterprise_id: organisation.id, enterprise_name: organisation.name } : {};
  return {
    user: { id: person.id, username: person.name, name: person.name, team_id: person.teamId },
    api_app_id: workspace.appId,
    token: 'verification-token',
    team: isOrgInstall(grid) && !channel ? null : { id, domain, ...enterprise },
    ...toEnterprise(grid),
  };
}
