import { z } from 'zod';
import { defineMethod } from './define.ts';
import { count, cursor, lenient, list, means, requiredText, response, text, time, wholeNumber } from './fields.ts';

/** A person the API knows, with their accounts elsewhere (docs/incident-api.md, UsersService). */
export const User = z.object({
  userID: means(text(), 'Their id, `provider:id`, such as `slack:U012AB3CD`.'),
  internalUserID: means(text(), 'Their id within the service.'),
  email: means(text(), 'Their e-mail address. Empty: it is not known.'),
  modifiedTime: means(time(), 'When what is known of them last changed.'),
  name: means(text(), 'Their name.'),
  photoURL: means(text(), 'The address of their picture. Empty: there is none.'),
  grafanaUserID: means(text(), 'Their number in Grafana. Empty: they have none.'),
  grafanaLogin: means(text(), 'Their login in Grafana. Empty: they have none.'),
  slackUserID: means(text(), 'Their id in Slack. Empty: it is not known.'),
  slackTeamID: means(text(), 'The id of their workspace in Slack. Empty: it is not known.'),
  msTeamsUserID: means(text(), 'Their id in Microsoft Teams. Empty: it is not known.'),
});
means(User, 'A person, with their accounts elsewhere.');
export type User = z.output<typeof User>;

/** The people an organisation has. */
export const UsersService = {
  GetUser: defineMethod({
    summary: 'Get one person.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ userID: means(requiredText(), 'The id of the person.') }),
    output: response({ user: User }),
    errors: ['not_found'],
  }),
  QueryUsers: defineMethod({
    summary: 'List people, a page at a time.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({
      query: means(
        lenient(
          z.object({ limit: means(wholeNumber(), 'The most people of a page: 0 means 100, the most is 1000.') }),
          () => ({ limit: 0 }),
        ),
        'Which people to list.',
      ),
      cursor: cursor(),
    }),
    output: response({
      users: means(list(User), 'The people of this page.'),
      query: means(
        z.object({ limit: means(count(), 'The limit that took effect.') }),
        'The query as the service understood it.',
      ),
      cursor: cursor(),
    }),
    errors: [],
  }),
} as const;
