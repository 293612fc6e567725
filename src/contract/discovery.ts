import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { count, flag, ifSet, list, text } from './fields.ts';

/** A query parameter that may be repeated. */
const words = () =>
  z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .transform(value => (value ? [value].flat() : []).filter(each => each !== ''));

/** A query parameter that is a whole number; absent or empty is `usual`. */
const whole = (usual: number) =>
  z
    .string()
    .regex(/^\d{0,9}$/, 'must be a whole number')
    .nullish()
    .transform(value => Number(value || usual));

/** The page of a list, from 1, and how much it holds: query parameters. */
export const pageOfList = { limit: whole(1000), page: whole(1) };

/** A dashboard or folder that a search found. The members of its folder are absent at the root level. */
const SearchHit = z.object({
  id: count(),
  uid: text(),
  orgId: count(),
  title: text(),
  uri: text(),
  url: text(),
  slug: text(),
  type: text(),
  tags: list(z.string()),
  isStarred: flag(),
  sortMeta: count(),
  isDeleted: flag(),
  folderId: ifSet(z.number().optional()),
  folderUid: ifSet(z.string().optional()),
  folderTitle: ifSet(z.string().optional()),
  folderUrl: ifSet(z.string().optional()),
});
/** A dashboard or folder that a search found. */
export type SearchHit = z.output<typeof SearchHit>;

/** Finding dashboards by their titles. The API documents name it and leave its shape out (docs/api-rules.md C6). */
export const Search = {
  find: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/search',
    summary: 'Find dashboards and folders by words of their title, by tags, folders and ids.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({
      query: ifSet(text()),
      type: words(),
      tag: words(),
      folderUIDs: words(),
      folderIds: words(),
      dashboardUIDs: words(),
      dashboardUID: words(),
      dashboardIds: words(),
      starred: ifSet(text()),
      deleted: ifSet(text()),
      sort: ifSet(text()),
      ...pageOfList,
    }),
    output: list(SearchHit),
    errors: [],
  }),
} as const;

/** What tools ask before they work with dashboards. The API documents leave it out (docs/api-rules.md C6). */
export const Discovery = {
  health: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/health',
    summary: 'The version of the dashboard API, and whether the database answers.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({}),
    output: z.object({ commit: text(), database: text(), version: text() }),
    errors: [],
  }),
  settings: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/frontend/settings',
    summary: 'The version of the dashboard API, and the address of the service.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({}),
    output: z.object({
      appUrl: text(),
      appSubUrl: text(),
      buildInfo: z.object({ version: text(), commit: text(), edition: text(), env: text(), hideVersion: flag() }),
    }),
    errors: [],
  }),
} as const;
