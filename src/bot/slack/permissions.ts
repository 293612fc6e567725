/**
 * How much of Slack an installation grants: `base` is what Muster cannot run incidents without, `full` is everything it can use.
 * Without a permission of the full tier alone, the thing it is for is left out and everything else works.
 */
const tiers = ['base', 'full'] as const;
/** One of {@link tiers}. */
export type Tier = (typeof tiers)[number];

/** A scope of the bot's token. */
export interface Scope {
  readonly name: string;
  readonly tier: Tier;
  /** What Muster does with it, as a noun phrase: it follows “for” and “What stops working:”. */
  readonly use: string;
}

/** An event that the app subscribes to, named as in the manifest. */
interface EventSubscription extends Scope {
  /** Scopes without which Slack does not send it. */
  readonly needs: readonly string[];
}

/** Every scope that the bot uses, in alphabetical order (docs/slack.md 7). The manifest, the doctor and the docs read this table. */
export const scopes: readonly Scope[] = [
  scope('base', 'app_mentions:read', 'commands by mentioning the bot, also in threads'),
  scope('full', 'bookmarks:read', 'making the bookmark of an incident’s page only once'),
  scope('full', 'bookmarks:write', 'the bookmark of an incident’s page in its channel'),
  scope(
    'full',
    'channels:history',
    'whole threads on the timeline, messages that people react to, and finding a message again whose posting was unsure',
  ),
  scope('full', 'channels:join', 'joining the public channel of an incident again once it is no longer archived'),
  scope('base', 'channels:manage', 'incident channels: making and archiving them, inviting people, the topic'),
  scope('base', 'channels:read', 'telling public channels from private ones, and finding a channel of ours again'),
  scope('base', 'chat:write', 'cards, announcements and private answers'),
  scope('full', 'chat:write.public', 'announcements and cards in public channels that nobody invited the bot to'),
  scope('base', 'commands', 'slash commands and shortcuts'),
  scope(
    'full',
    'files:read',
    'saving a dashboard from a file, and keeping what a small text file of a noted message says',
  ),
  scope('full', 'files:write', 'the record of an incident as a file'),
  scope(
    'full',
    'groups:history',
    'whole threads of private channels on the timeline, and finding a message again there',
  ),
  scope('full', 'groups:read', 'facts about private channels, such as whether one of ours was made'),
  scope('full', 'groups:write', 'private incident channels: making and archiving them, inviting people, the topic'),
  scope('full', 'im:history', 'commands in direct messages to the bot'),
  scope('full', 'im:write', 'asking somebody whom a call reaches only once, also after a crash'),
  scope('full', 'pins:write', 'the pinned card'),
  scope('full', 'reactions:read', 'putting a message on the timeline by a reaction'),
  scope('full', 'reactions:write', 'the mark on a message that went to the timeline'),
  scope(
    'full',
    'usergroups:read',
    'calling a group of people, the names of user groups in notes, tasks and titles, and who is in a group that an update names',
  ),
  scope('base', 'users:read', 'names, time zones, who may act, and who is a guest'),
  scope('full', 'users:read.email', 'finding people in the incident API by their e-mail address'),
];

/** Every event that the bot listens to (docs/slack.md 7). The manifest, the doctor and the docs read this table. */
export const events: readonly EventSubscription[] = [
  event('full', 'app_home_opened', [], 'the home tab: what a person needs now'),
  event('base', 'app_mention', ['app_mentions:read'], 'commands by mentioning the bot, also in threads'),
  event('base', 'channel_archive', ['channels:read'], 'noticing that an incident’s channel was archived'),
  event('base', 'channel_deleted', ['channels:read'], 'noticing that an incident’s channel was deleted'),
  event('base', 'channel_id_changed', ['channels:read'], 'an incident’s channel that has another id'),
  event('base', 'channel_left', ['channels:read'], 'noticing that somebody took Muster out of a channel'),
  event('base', 'channel_rename', ['channels:read'], 'the present name of an incident’s channel'),
  event(
    'base',
    'channel_shared',
    ['channels:read'],
    'showing nothing to other organisations in a channel shared later',
  ),
  event('base', 'channel_unarchive', ['channels:read'], 'noticing that an incident’s channel is back'),
  event('base', 'channel_unshared', ['channels:read'], 'showing incidents again in a channel that is no longer shared'),
  event('full', 'group_archive', ['groups:read'], 'noticing that a private incident’s channel was archived'),
  event('full', 'group_deleted', ['groups:read'], 'noticing that a private incident’s channel was deleted'),
  event('full', 'group_left', ['groups:read'], 'noticing that somebody took Muster out of a private channel'),
  event('full', 'group_rename', ['groups:read'], 'the present name of a private incident’s channel'),
  event('full', 'group_unarchive', ['groups:read'], 'noticing that a private incident’s channel is back'),
  event('base', 'member_joined_channel', ['channels:read'], 'who sees a private incident: its channel’s new members'),
  event('base', 'member_left_channel', ['channels:read'], 'who sees a private incident no longer'),
  event('full', 'message.channels', ['channels:history'], 'notes that follow an edited or deleted message'),
  event(
    'full',
    'message.groups',
    ['groups:history'],
    'the same in private channels, and hiding an incident at once whose channel is made private',
  ),
  event('full', 'message.im', ['im:history'], 'commands in direct messages to the bot'),
  event('full', 'reaction_added', ['reactions:read'], 'putting a message on the timeline by a reaction'),
  event('full', 'reaction_removed', ['reactions:read'], 'taking it off again'),
  event('full', 'team_join', ['users:read'], 'knowing new people before Slack is asked about them'),
  event(
    'full',
    'user_change',
    ['users:read'],
    'taking rights at once, not within a minute, when somebody becomes a guest or leaves',
  ),
  event('base', 'app_uninstalled', [], 'noticing at once that the app was removed'),
  event('base', 'tokens_revoked', [], 'noticing at once that its token was revoked'),
];

/** The permissions of a tier: those of the base are part of the full one. */
export function ofTier<T extends Scope>(permissions: readonly T[], tier: Tier): readonly T[] {
  return tier === 'full' ? permissions : permissions.filter(each => each.tier === tier);
}

/** The table's entry of a scope; undefined for one that Muster does not ask for. */
export function findScope(name: string): Scope | undefined {
  return scopes.find(each => each.name === name);
}

function scope(tier: Tier, name: string, use: string): Scope {
  return { name, tier, use };
}

function event(tier: Tier, name: string, needs: readonly string[], use: string): EventSubscription {
  return { name, tier, use, needs };
}
