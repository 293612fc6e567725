import { type JsonObject, toText } from '../protocol/json.ts';

/** Message events as manifests name them, by the event's `channel_type` (docs/slack.md 7). */
const manifestNames: Readonly<Record<string, string>> = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
};

/** Scopes of which an app needs one to be sent an event, by the event's name in a manifest (docs/slack.md 7). */
const scopesOf: Readonly<Record<string, readonly string[]>> = {
  app_mention: ['app_mentions:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  member_joined_channel: ['channels:read', 'groups:read'],
  member_left_channel: ['channels:read', 'groups:read'],
  pin_added: ['pins:read'],
  pin_removed: ['pins:read'],
  reaction_added: ['reactions:read'],
  reaction_removed: ['reactions:read'],
  user_change: ['users:read'],
};

/** The names by which an app may have subscribed to an event: its type, and that of a manifest. */
export function namesOfEvent(event: JsonObject): readonly string[] {
  const type = toText(event.type);
  const name = type === 'message' ? manifestNames[toText(event.channel_type)] : undefined;
  return name === undefined ? [type] : [type, name];
}

/** Whether the bot's scopes let Slack send it an event. `undefined` grants everything. */
export function mayHear(event: JsonObject, scopes: readonly string[] | undefined): boolean {
  const needed = namesOfEvent(event).flatMap(name => scopesOf[name] ?? scopesOfEvents(name));
  return scopes === undefined || needed.length === 0 || needed.some(scope => scopes.includes(scope));
}

/** Events that tell facts about channels need the scope that reads them. */
function scopesOfEvents(name: string): readonly string[] {
  if (name.startsWith('channel_')) return ['channels:read'];
  return name.startsWith('group_') ? ['groups:read'] : [];
}
