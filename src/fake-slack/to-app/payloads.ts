import type { JsonObject } from '../json.ts';
import type { StateValues } from '../people/form.ts';
import type { Modals, OpenView } from '../web-api/modals.ts';
import { toChannelReference, toWireMessage } from '../web-api/serialize.ts';
import type { PersonRecord, StoredChannel, StoredMessage, Workspace } from '../workspace.ts';

/** What builds payloads: who acts, in which workspace, with which modals. */
export interface Actor {
  readonly workspace: Workspace;
  readonly modals: Modals;
  readonly person: PersonRecord;
}

/** A slash command's fields (docs/slack.md 4); `is_enterprise_install` is a string there. */
export function toCommandPayload(
  { workspace, person }: Actor,
  channel: StoredChannel,
  command: { name: string; text: string; triggerId: string; responseUrl: string },
): JsonObject {
  return {
    token: 'verification-token',
    team_id: workspace.teamId,
    team_domain: workspace.teamDomain,
    channel_id: channel.id,
    channel_name: toChannelReference(channel).name,
    user_id: person.id,
    user_name: person.name,
    command: command.name,
    text: command.text,
    api_app_id: workspace.appId,
    is_enterprise_install: 'false',
    response_url: command.responseUrl,
    trigger_id: command.triggerId,
  };
}

/** A click or choice in a message. */
export function toMessageActions(
  actor: Actor,
  message: StoredMessage,
  channel: StoredChannel,
  sent: { action: JsonObject; state: StateValues; triggerId: string; responseUrl: string },
): JsonObject {
  const isEphemeral = message.ephemeralTo !== undefined;
  return {
    type: 'block_actions',
    ...toCommon(actor),
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: isEphemeral,
      ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    },
    trigger_id: sent.triggerId,
    channel: toChannelReference(channel),
    ...(isEphemeral ? {} : { message: toWireMessage(actor.workspace, message) }),
    state: { values: sent.state },
    response_url: sent.responseUrl,
    actions: [sent.action],
  };
}

/** A click or choice in a modal or on the home tab. */
export function toViewActions(
  actor: Actor,
  view: OpenView,
  sent: { action: JsonObject; triggerId: string },
): JsonObject {
  return {
    type: 'block_actions',
    ...toCommon(actor),
    container: { type: 'view', view_id: view.id },
    trigger_id: sent.triggerId,
    view: actor.modals.toWire(view),
    actions: [sent.action],
  };
}

/** A modal sent off. */
export function toViewSubmission(
  actor: Actor,
  view: OpenView,
  sent: { triggerId: string; responseUrls: readonly JsonObject[] },
): JsonObject {
  return {
    type: 'view_submission',
    ...toCommon(actor),
    trigger_id: sent.triggerId,
    view: actor.modals.toWire(view),
    response_urls: sent.responseUrls,
  };
}

/** A modal closed without sending it. */
export function toViewClosed(actor: Actor, view: OpenView, isCleared: boolean): JsonObject {
  return { type: 'view_closed', ...toCommon(actor), view: actor.modals.toWire(view), is_cleared: isCleared };
}

/** A global shortcut: no channel, no `response_url` (docs/slack.md 4). */
export function toGlobalShortcut(actor: Actor, callbackId: string, triggerId: string): JsonObject {
  return {
    type: 'shortcut',
    ...toCommon(actor),
    action_ts: actor.workspace.nextTs(),
    callback_id: callbackId,
    trigger_id: triggerId,
  };
}

/** A shortcut on a message, in channels without the bot too (docs/slack.md 4). */
export function toMessageShortcut(
  actor: Actor,
  message: StoredMessage,
  channel: StoredChannel,
  sent: { callbackId: string; triggerId: string; responseUrl: string },
): JsonObject {
  return {
    type: 'message_action',
    ...toCommon(actor),
    action_ts: actor.workspace.nextTs(),
    channel: toChannelReference(channel),
    callback_id: sent.callbackId,
    trigger_id: sent.triggerId,
    response_url: sent.responseUrl,
    message_ts: message.ts,
    message: toWireMessage(actor.workspace, message),
  };
}

/** Asks the app for the options of an external select. */
export function toSuggestionRequest(
  actor: Actor,
  view: OpenView,
  sent: { actionId: string; blockId: string; typed: string },
): JsonObject {
  return {
    type: 'block_suggestion',
    ...toCommon(actor),
    container: { type: 'view', view_id: view.id },
    view: actor.modals.toWire(view),
    action_id: sent.actionId,
    block_id: sent.blockId,
    value: sent.typed,
  };
}

function toCommon({ workspace, person }: Actor): JsonObject {
  return {
    user: { id: person.id, username: person.name, name: person.name, team_id: person.teamId },
    api_app_id: workspace.appId,
    token: 'verification-token',
    team: { id: workspace.teamId, domain: workspace.teamDomain },
    enterprise: null,
    is_enterprise_install: false,
  };
}
