import type { JsonObject } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { isOrgInstall, organisation, teamOf } from '../workspace/grid.ts';
import type { UserGroup } from '../workspace/records.ts';
import { serializeUser } from '../workspace/serialize.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Arguments } from './arguments.ts';
import { anyOf, type Backend, hasScope, type Methods, toPage } from './method.ts';

/** The app and its connection, the workspace, its people and their groups. */
export const teamMethods: Methods = {
  'auth.test': {
    run: ({ workspace }) => ({
      url: `https://${workspace.teamDomain}.slack.com/`,
      user: workspace.people.get(workspace.botUserId)?.name,
      ...toInstallation(workspace),
      user_id: workspace.botUserId,
      bot_id: workspace.botId,
    }),
  },
  'auth.teams.list': {
    run({ workspace }, args) {
      const { grid, teamId } = workspace;
      const ids = isOrgInstall(grid) ? (grid?.granted ?? []) : [teamId];
      const page = toPage(ids, args, 100);
      const named = page.items.map(id => ({ id, name: teamOf(id).name }));
      return { teams: named, response_metadata: page.metadata };
    },
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
      return { user: serializeUser(backend.workspace, person, hasScope(backend, 'users:read.email')) };
    },
  },
  'users.list': {
    scopes: anyOf('users:read'),
    run(backend, args) {
      const { people, grid } = backend.workspace;
      const teamId = args.text('team_id');
      const ofTeam = [...people.values()].filter(each => !isOrgInstall(grid) || each.teamId === teamId);
      const page = toPage(ofTeam, args, 1000);
      return {
        members: page.items.map(person =>
          serializeUser(backend.workspace, person, hasScope(backend, 'users:read.email')),
        ),
        cache_ts: backend.workspace.seconds(),
        response_metadata: page.metadata,
      };
    },
  },
  'usergroups.list': {
    scopes: anyOf('usergroups:read'),
    run: (backend, args) => ({
      usergroups: [...backend.workspace.userGroups.values()]
        .filter(isOf(backend, args))
        .filter(group => !group.isDisabled || args.flag('include_disabled'))
        .map(group => ({
          id: group.id,
          team_id: group.teamId,
          is_usergroup: true,
          name: group.name,
          handle: group.handle,
          date_delete: group.isDisabled ? 1 : 0,
          user_count: group.users.length,
          ...(args.flag('include_users') ? { users: group.users } : {}),
        })),
    }),
  },
  'usergroups.users.list': {
    scopes: anyOf('usergroups:read'),
    run(backend, args) {
      const wanted = args.required('usergroup');
      const group = [...backend.workspace.userGroups.values()]
        .filter(isOf(backend, args))
        .find(each => each.id === wanted);
      if (group === undefined || (group.isDisabled && !args.flag('include_disabled')))
        throw new SlackError('no_such_subteam');
      return { users: group.users };
    },
  },
};

/** Where the app is installed, as `auth.test` tells: a token of an organisation has the organisation's id in place of a workspace's. */
function toInstallation({ grid, teamId, teamName }: Workspace): JsonObject {
  const { id, name } = organisation;
  if (isOrgInstall(grid)) return { team: name, team_id: id, enterprise_id: id, is_enterprise_install: true };
  const enterprise = grid ? { enterprise_id: id } : {};
  return { team: teamName, team_id: teamId, ...enterprise, is_enterprise_install: false };
}

function isOf({ workspace }: Backend, args: Arguments): (group: UserGroup) => boolean {
  return group => !isOrgInstall(workspace.grid) || group.teamId === args.text('team_id');
}
