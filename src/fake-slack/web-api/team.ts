import { SlackError } from '../protocol/slack-error.ts';
import { anyOf, type Methods } from './method.ts';

/** The app, its workspace and its connection. */
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
};
