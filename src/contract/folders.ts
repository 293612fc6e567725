import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { pageOfList } from './discovery.ts';
import { count, flag, ifSet, list, means, requiredText, text, time } from './fields.ts';

/** A folder that dashboards can be in. Times are RFC 3339. */
export const Folder = z.object({
  id: means(count(), 'Its number in this installation.'),
  uid: means(text(), 'Its uid.'),
  title: means(text(), 'Its title.'),
  url: means(text(), 'The path of its page.'),
  canSave: means(flag(), 'Whether the caller may save dashboards in it.'),
  canEdit: means(flag(), 'Whether the caller may change it.'),
  canAdmin: means(flag(), 'Whether the caller is an Admin.'),
  created: means(time(), 'When it was made.'),
  createdBy: means(text(), 'The name of the person who made it.'),
  updated: means(time(), 'When its title last changed.'),
  updatedBy: means(text(), 'The name of the person who changed it last.'),
  version: means(count(), 'How often it got a title.'),
});
means(Folder, 'A folder that dashboards can be in.');
export type Folder = z.output<typeof Folder>;

/** Members of Grafana's requests that mean something that folders do not have here: they are refused. */
const refused = {
  parentUid: means(ifSet(text()), 'Refused unless it is empty or `general`: folders do not lie in folders.'),
  description: means(ifSet(text()), 'Refused unless it is empty: folders have no description.'),
};

/**
 * The folder endpoints. The API documents name them and leave their shape open (docs/api-rules.md C5). We describe and serve
 * them; clients of other servers must not count on them.
 */
export const Folders = {
  create: defineEndpoint({
    httpMethod: 'POST',
    path: '/api/folders',
    summary: 'Create a folder.',
    effect: 'create',
    access: 'Editor',
    input: z.object({
      uid: means(text(), 'The uid to give it. Empty: one is made.'),
      title: means(text(), 'Its title. No other folder may have it.'),
      ...refused,
    }),
    output: Folder,
    errors: ['conflict'],
  }),
  list: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/folders',
    summary: 'List the folders by title.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({
      parentUid: means(
        ifSet(text()),
        'The folder to look in. Empty or `general`: the root level, where all folders lie.',
      ),
      ...pageOfList,
    }),
    output: list(Folder.pick({ id: true, uid: true, title: true })),
    errors: ['not_found'],
  }),
  get: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/folders/:uid',
    summary: 'Get a folder.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ uid: means(requiredText(), 'The uid of the folder; `general` is the root level.') }),
    output: Folder,
    errors: ['not_found'],
  }),
  rename: defineEndpoint({
    httpMethod: 'PUT',
    path: '/api/folders/:uid',
    summary: 'Give a folder another title.',
    effect: 'create',
    access: 'Editor',
    input: z.object({
      uid: means(requiredText(), 'The uid of the folder.'),
      title: means(text(), 'Its new title.'),
      version: means(ifSet(count()), 'The version that the change builds on. Another one is there: 412.'),
      overwrite: means(flag(), 'Whether to change it whatever its version is.'),
      ...refused,
    }),
    output: Folder,
    errors: ['not_found', 'conflict', 'failed_precondition'],
  }),
  delete: defineEndpoint({
    httpMethod: 'DELETE',
    path: '/api/folders/:uid',
    summary: 'Delete a folder, and move its dashboards into the trash where there is one.',
    effect: 'create',
    access: 'Editor',
    input: z.object({ uid: means(requiredText(), 'The uid of the folder.') }),
    output: z.object({
      id: means(count(), 'Its number in this installation.'),
      title: means(text(), 'Its title.'),
      message: means(text(), 'What was done, in words.'),
    }),
    errors: ['not_found'],
  }),
} as const;
