import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { pageOfList } from './discovery.ts';
import { count, flag, ifSet, list, requiredText, text } from './fields.ts';

/** A folder that dashboards can be in. Times are RFC 3339. */
export const Folder = z.object({
  id: count(),
  uid: text(),
  title: text(),
  url: text(),
  canSave: flag(),
  canEdit: flag(),
  canAdmin: flag(),
  created: text(),
  createdBy: text(),
  updated: text(),
  updatedBy: text(),
  version: count(),
});
/** A folder that dashboards can be in. */
export type Folder = z.output<typeof Folder>;

/** Members of Grafana's requests that mean something that folders do not have here: they are refused. */
const refused = { parentUid: ifSet(text()), description: ifSet(text()) };

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
    input: z.object({ uid: text(), title: text(), ...refused }),
    output: Folder,
    errors: ['conflict'],
  }),
  list: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/folders',
    summary: 'List the folders by title.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ parentUid: ifSet(text()), ...pageOfList }),
    output: list(Folder.pick({ id: true, uid: true, title: true })),
    errors: ['not_found'],
  }),
  get: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/folders/:uid',
    summary: 'Get a folder.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ uid: requiredText() }),
    output: Folder,
    errors: ['not_found'],
  }),
  rename: defineEndpoint({
    httpMethod: 'PUT',
    path: '/api/folders/:uid',
    summary: 'Give a folder another title.',
    effect: 'create',
    access: 'Editor',
    input: z.object({ uid: requiredText(), title: text(), version: ifSet(count()), overwrite: flag(), ...refused }),
    output: Folder,
    errors: ['not_found', 'conflict', 'failed_precondition'],
  }),
  delete: defineEndpoint({
    httpMethod: 'DELETE',
    path: '/api/folders/:uid',
    summary: 'Delete a folder, and move its dashboards into the trash where there is one.',
    effect: 'create',
    access: 'Editor',
    input: z.object({ uid: requiredText() }),
    output: z.object({ id: count(), title: text(), message: text() }),
    errors: ['not_found'],
  }),
} as const;
