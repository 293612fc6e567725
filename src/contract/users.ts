import { z } from 'zod';
import { defineMethod } from './define.ts';
import { count, cursor, lenient, list, requiredText, response, text, wholeNumber } from './fields.ts';

/** A person the API knows, with their accounts elsewhere (docs/incident-api.md, UsersService). */
export const User = z.object({
  userID: text(),
  internalUserID: text(),
  email: text(),
  modifiedTime: text(),
  name: text(),
  photoURL: text(),
  grafanaUserID: text(),
  grafanaLogin: text(),
  slackUserID: text(),
  slackTeamID: text(),
  msTeamsUserID: text(),
});
/** A person the API knows. */
export type User = z.output<typeof User>;

/** The people an organisation has. */
export const UsersService = {
  GetUser: defineMethod({
    summary: 'Get one person.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ userID: requiredText() }),
    output: response({ user: User }),
    errors: ['not_found'],
  }),
  QueryUsers: defineMethod({
    summary: 'List people, a page at a time.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({
      query: lenient(z.object({ limit: wholeNumber() }), () => ({ limit: 0 })),
      cursor: cursor(),
    }),
    output: response({ users: list(User), query: z.object({ limit: count() }), cursor: cursor() }),
    errors: [],
  }),
} as const;
