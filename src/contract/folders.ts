import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { count, flag, requiredText, text } from './fields.ts';

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
    input: z.object({ uid: text(), title: text() }),
    output: Folder,
    errors: ['conflict'],
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
} as const;
