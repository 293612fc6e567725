/**
 * The arguments that Slack documents for each method, the token aside (docs.slack.dev/reference/methods, read on 2026-11-25). Slack lets
 * others pass without a word, and may read one some day. The fake refuses them, so that the bot sends none.
 */
export const documentedArguments: Readonly<Record<string, readonly string[]>> = {
  'apps.connections.open': [],
  'apps.manifest.export': ['app_id'],
  'auth.teams.list': ['cursor', 'limit', 'include_icon'],
  'auth.test': [],
  'bookmarks.add': ['channel_id', 'title', 'type', 'link', 'emoji', 'entity_id', 'access_level', 'parent_id'],
  'bookmarks.list': ['channel_id'],
  'bots.info': ['bot', 'team_id'],
  'chat.delete': ['channel', 'ts', 'as_user'],
  'chat.getPermalink': ['channel', 'message_ts'],
  'chat.postEphemeral': [
    ...['channel', 'user', 'text', 'blocks', 'attachments', 'markdown_text', 'thread_ts', 'parse', 'link_names'],
    ...['as_user', 'icon_emoji', 'icon_url', 'username'],
  ],
  'chat.postMessage': [
    ...['channel', 'text', 'blocks', 'attachments', 'markdown_text', 'metadata', 'mrkdwn', 'parse', 'link_names'],
    ...['thread_ts', 'reply_broadcast', 'unfurl_links', 'unfurl_media'],
    ...['as_user', 'icon_emoji', 'icon_url', 'username'],
  ],
  'chat.update': [
    ...['channel', 'ts', 'text', 'blocks', 'attachments', 'markdown_text', 'metadata', 'parse', 'link_names'],
    ...['as_user', 'file_ids', 'reply_broadcast'],
  ],
  'conversations.archive': ['channel'],
  'conversations.create': ['name', 'is_private', 'team_id'],
  'conversations.history': ['channel', 'cursor', 'limit', 'oldest', 'latest', 'inclusive', 'include_all_metadata'],
  'conversations.info': ['channel', 'include_locale', 'include_num_members'],
  'conversations.invite': ['channel', 'users', 'force'],
  'conversations.join': ['channel'],
  'conversations.members': ['channel', 'cursor', 'limit'],
  'conversations.open': ['channel', 'users', 'return_im', 'prevent_creation'],
  'conversations.replies': [
    'channel',
    'ts',
    'cursor',
    'limit',
    'oldest',
    'latest',
    'inclusive',
    'include_all_metadata',
  ],
  'conversations.setTopic': ['channel', 'topic'],
  'files.completeUploadExternal': ['files', 'channel_id', 'channels', 'thread_ts', 'initial_comment', 'blocks'],
  'files.getUploadURLExternal': ['filename', 'length', 'alt_text', 'snippet_type'],
  'files.info': ['file', 'count', 'cursor', 'limit', 'page'],
  'pins.add': ['channel', 'timestamp'],
  'pins.remove': ['channel', 'timestamp'],
  'reactions.add': ['channel', 'timestamp', 'name'],
  'reactions.get': ['channel', 'timestamp', 'full', 'file', 'file_comment'],
  'reactions.remove': ['channel', 'timestamp', 'name', 'file', 'file_comment'],
  'usergroups.list': ['include_count', 'include_disabled', 'include_users', 'team_id'],
  'usergroups.users.list': ['usergroup', 'include_disabled', 'team_id'],
  'users.conversations': ['user', 'types', 'exclude_archived', 'cursor', 'limit', 'team_id'],
  'users.info': ['user', 'include_locale'],
  'users.list': ['cursor', 'limit', 'include_locale', 'team_id'],
  'views.open': ['view', 'trigger_id', 'interactivity_pointer'],
  'views.publish': ['view', 'user_id', 'hash'],
  'views.push': ['view', 'trigger_id', 'interactivity_pointer'],
  'views.update': ['view', 'view_id', 'external_id', 'hash'],
};

/**
 * The methods that act on one workspace, which a token of an organisation has to name by `team_id`; a token of one workspace need not, and
 * Slack ignores it there (docs.slack.dev/enterprise/apps/changes-apis, read on 2026-11-25). `bots.info` takes the organisation too.
 */
export const methodsOfOneTeam: ReadonlySet<string> = new Set(
  Object.keys(documentedArguments).filter(method => documentedArguments[method]?.includes('team_id')),
);
