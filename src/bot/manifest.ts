import { Document, isSeq, type Node } from 'yaml';
import { type Feature, menuEntries, slashCommands } from './dispatch/feature/feature.ts';
import { events, ofTier, type Scope, scopes, type Tier } from './slack/permissions.ts';

/** What the app's manifest depends on besides the features. */
export interface ManifestOptions {
  readonly commandRoot: string;
  /** Where Slack reaches Muster, without a trailing slash; `""` for Socket Mode, which needs no address. */
  readonly publicUrl: string;
  /** Which permissions it asks for; all of them unless set. */
  readonly tier?: Tier;
}

/** The slash commands of the manifest, with their slashes. */
export function commandsOf(features: readonly Feature[], commandRoot: string): readonly string[] {
  return slashCommands(features, commandRoot).map(name => `/${name}`);
}

/** The app's manifest, as Slack's schema has it (docs/slack.md 7), made from the features themselves. */
export function toManifest(features: readonly Feature[], options: ManifestOptions): Readonly<Record<string, unknown>> {
  const { publicUrl, tier = 'full' } = options;
  const socket = publicUrl === '';
  const address = socket ? {} : { url: `${publicUrl}/slack/events` };
  const requests = socket ? {} : { request_url: `${publicUrl}/slack/events` };
  return {
    _metadata: { major_version: 1, minor_version: 1 },
    display_information: {
      name: 'Muster',
      description: 'Run incidents from Slack: declare, assign, note, link dashboards, resolve.',
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: 'Muster', always_online: true },
      shortcuts: menuEntries(features).map(each => ({
        name: each.name,
        type: each.kind,
        callback_id: each.id,
        description: each.description,
      })),
      slash_commands: commandsOf(features, options.commandRoot).map(command => ({
        command,
        ...address,
        ...(faces[command.slice(1)] ?? rootFace),
        should_escape: true,
      })),
    },
    oauth_config: { scopes: { bot: ofTier(scopes, tier).map(each => each.name) } },
    settings: {
      event_subscriptions: { ...requests, bot_events: ofTier(events, tier).map(each => each.name) },
      interactivity: { is_enabled: true, ...requests },
      // Only an organisation of several workspaces can make use of it; any other installs the app as before.
      org_deploy_enabled: true,
      socket_mode_enabled: socket,
      token_rotation_enabled: false,
    },
  };
}

/** The manifest as YAML, with a comment on the purpose of each scope and event. */
export function writeManifest(features: readonly Feature[], options: ManifestOptions): string {
  const document = new Document(toManifest(features, options));
  explain(document.getIn(['oauth_config', 'scopes', 'bot']), scopes);
  explain(document.getIn(['settings', 'event_subscriptions', 'bot_events']), events);
  return document.toString({ lineWidth: 0 });
}

function explain(list: unknown, permissions: readonly Scope[]): void {
  if (!isSeq<Node & { value?: unknown }>(list)) return;
  for (const item of list.items) item.comment = ` ${permissions.find(each => each.name === item.value)?.use}`;
}

/** What Slack's list of commands shows of one of them: what it is for, and what to type behind it. */
interface Face {
  readonly description: string;
  readonly usage_hint: string;
}

/** Those of the nouns, by noun. */
const faces: Readonly<Record<string, Face>> = {
  incident: { description: 'Run an incident', usage_hint: '[declare what is down | update | resolve]' },
  task: { description: 'Give out work and tick it off', usage_hint: '[add call legal @bob | done 2 | list]' },
  role: { description: 'Say who does what', usage_hint: '[assign @bob commander | handover @bob | list]' },
  dash: { description: 'Link dashboards', usage_hint: '[link checkout overview last 3h | manage]' },
  note: { description: 'Put a note on the timeline', usage_hint: '[rolled back to v41 | list]' },
};

/** That of the root, which takes them all. */
const rootFace: Face = {
  description: 'Everything Muster does, in one command',
  usage_hint: '[help | whoami | task add call legal]',
};
