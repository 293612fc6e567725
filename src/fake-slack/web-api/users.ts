import { SlackError } from '../protocol/slack-error.ts';
import { serializeUser } from '../workspace/serialize.ts';
import { anyOf, hasScope, type Methods, toPage } from './method.ts';

/** Looking up people and user groups. */
export const userMethods: Methods = {
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
