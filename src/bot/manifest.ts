import { allShortcuts, type Feature, slashCommands } from './dispatch/feature.ts';

/** What the app's manifest depends on besides the features. */
export interface ManifestOptions {
  readonly commandRoot: string;
  /** Where Slack reaches Muster, without a trailing slash; `""` for Socket Mode, which needs no address. */
  readonly publicUrl: string;
}

/** Permissions the bot asks for, each with what it is for (docs/slack.md 7). */
export const scopes = [
  { scope: 'app_mentions:read', why: 'verbs by mentioning the bot, also in threads' },
  { scope: 'bookmarks:read', why: 'whether the incident’s page is a bookmark already' },
  { scope: 'bookmarks:write', why: 'a bookmark of the incident’s page' },
  {
    scope: 'channels:history',
    why: 'threads that go to the timeline, and whether a message of ours was posted',
  },
  { scope: 'channels:manage', why: 'incident channels: make, invite, topic' },
  { scope: 'channels:read', why: 'whether a channel is private, and whether one of ours was made' },
  { scope: 'chat:write', why: 'cards, announcements, receipts' },
  { scope: 'chat:write.public', why: 'announcing in channels nobody invited the bot to' },
  { scope: 'commands', why: 'slash commands and shortcuts' },
  { scope: 'groups:history', why: 'the same in private channels' },
  { scope: 'groups:read', why: 'whether a channel is private, and whether one of ours was made' },
  { scope: 'groups:write', why: 'private incident channels' },
  { scope: 'pins:write', why: 'pinning the card' },
  { scope: 'reactions:write', why: 'the receipt on a message that went to the timeline' },
  { scope: 'users:read', why: 'names, time zones, and who may act' },
  { scope: 'users:read.email', why: 'matching people with the incident API by e-mail' },
] as const;

/** Slack events the bot listens to. */
export const botEvents = ['app_mention'] as const;

/** The app's manifest, as Slack's schema has it (docs/slack.md 7), made from the features themselves. */
export function toManifest(features: readonly Feature[], options: ManifestOptions): Readonly<Record<string, unknown>> {
  const socket = options.publicUrl === '';
  const address = socket ? {} : { url: `${options.publicUrl}/slack/events` };
  const requests = socket ? {} : { request_url: `${options.publicUrl}/slack/events` };
  return {
    _metadata: { major_version: 1, minor_version: 1 },
    display_information: {
      name: 'Muster',
      description: 'Run incidents from Slack: declare, assign, note, link dashboards, resolve.',
    },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: 'Muster', always_online: true },
      shortcuts: allShortcuts(features).map(each => ({
        name: each.name,
        type: each.kind,
        callback_id: each.id,
        description: each.description,
      })),
      slash_commands: slashCommands(features, options).map(name => ({
        command: `/${name}`,
        ...address,
        description: describe(features, name),
        usage_hint: 'help',
        should_escape: true,
      })),
    },
    oauth_config: { scopes: { bot: scopes.map(each => each.scope) } },
    settings: {
      event_subscriptions: { ...requests, bot_events: [...botEvents] },
      interactivity: { is_enabled: true, ...requests },
      org_deploy_enabled: false,
      socket_mode_enabled: socket,
      token_rotation_enabled: false,
    },
  };
}

function describe(features: readonly Feature[], noun: string): string {
  const verbs = features.flatMap(feature => feature.verbs).filter(verb => verb.noun === noun);
  return verbs.length === 0
    ? 'Everything Muster does, in one command'
    : verbs
        .map(verb => verb.verb)
        .join(', ')
        .slice(0, 100);
}
