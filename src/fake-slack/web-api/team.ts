import { SlackError } from '../protocol/slack-error.ts';
import { serializeUser } from '../workspace/serialize.ts';
import { anyOf, hasScope, type Methods, toPage } from './method.ts';

/** The app and its connection, the workspace, its people and their groups. */
export const teamMethods: Methods = {
  'auth.test': {
    run: ({ workspace }) => ({
      url: `https://${workspace.teamDomain}.slack.com/`,
      team: workspace.teamName,
      user: workspace.people.get(workspace.botUserId)?.name,
      team_id: workspace.teamId,
      user_id: workspace.botUserId,
      bot_id: workspace.botId,
      is_enterprise_install: false,
    }),
  },
  'bots.info': {
    scopes: anyOf('users:read'),
    run: ({ workspace }, args) => {
      if (args.text('bot') !== workspace.botId) throw new SlackError('bot_not_found');
      const { botId: id, botUserId, appId } = workspace;
      return { bot: { id, deleted: false, name: 'Muster', updated: 0, app_id: appId, user_id: botUserId } };
    },
  },
  'apps.manifest.export': {
    token: 'config',
    run: ({ workspace, manifest }, args) => {
      if (args.required('app_id') !== workspace.appId) throw new SlackError('app_not_found');
      if (manifest === undefined) throw new SlackError('failed_export');
      return { manifest };
    },
  },
  'apps.connections.open': {
    token: 'app',
    run: backend => ({ url: backend.openSocketUrl() }),
  },
  'users.info': {
    scopes: anyOf('users:read'),
    run(backend, args) {
      const person = backend.workspace.people.get(args.required('user'));
      if (person === undefined) throw new SlackError('user_not_found');
      return { user: serializeUser(person, hasScope(backend, 'users:read.email')) };
    },
  },
  'users.list': {
    scopes: anyOf('users:read'),
    run(backend, args) {
      const page = toPage([...backend.workspace.people.values()], args, 1000);
      return {
        members: page.items.map(person => serializeUser(person, hasScope(backend, 'users:read.email'))),
        cache_ts: backend.workspace.seconds(),
        response_metadata: page.metadata,
      };
    },
  },
  'usergroups.list': {
    scopes: anyOf('usergroups:read'),
    run: (backend, args) => ({
      usergroups: [...backend.workspace.userGroups.values()].map(group => ({
        id: group.id,
        team_id: backend.workspace.teamId,
        is_usergroup: true,
        name: group.name,
        handle: group.handle,
        date_delete: 0,
        user_count: group.users.length,
        ...(args.flag('include_users') ? { users: group.users } : {}),
      })),
    }),
  },
};
