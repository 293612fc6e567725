import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { count, flag, ifSet, list, means, text } from './fields.ts';

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
export const pageOfList = {
  limit: means(whole(1000), 'The most hits of a page: 1000 unless given, at most 5000.'),
  page: means(whole(1), 'The page, from 1.'),
};

/** A dashboard or folder that a search found. The members of its folder are absent at the root level. */
const SearchHit = z.object({
  id: means(count(), 'Its number in this installation.'),
  uid: means(text(), 'Its uid.'),
  orgId: means(count(), 'The organisation it belongs to: 1.'),
  title: means(text(), 'Its title.'),
  uri: means(text(), '`db/` and the slug.'),
  url: means(text(), 'The path of its page.'),
  slug: means(text(), 'Always empty here.'),
  type: means(text(), '`dash-folder` for a folder, `dash-db` for a dashboard.'),
  tags: means(list(z.string()), 'Its tags.'),
  isStarred: means(flag(), 'Always false here.'),
  sortMeta: means(count(), 'Always 0 here.'),
  isDeleted: means(flag(), 'Whether it lies in the trash.'),
  folderId: means(ifSet(z.number().optional()), 'The number of its folder; absent at the root level.'),
  folderUid: means(ifSet(z.string().optional()), 'The uid of its folder; absent at the root level.'),
  folderTitle: means(ifSet(z.string().optional()), 'The title of its folder; absent at the root level.'),
  folderUrl: means(ifSet(z.string().optional()), 'The path of its folder’s page; absent at the root level.'),
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
      query: means(ifSet(text()), 'A part of the title, whatever its case.'),
      type: means(words(), '`dash-db` or `dash-folder`; none means both.'),
      tag: means(words(), 'A tag that it must have. It may be repeated; then all must be there.'),
      folderUIDs: means(words(), 'The uid of a folder it may lie in. It may be repeated.'),
      folderIds: means(words(), 'The number of a folder it may lie in. It may be repeated.'),
      dashboardUIDs: means(words(), 'A uid that it may have. It may be repeated.'),
      dashboardUID: means(words(), 'The same as `dashboardUIDs`.'),
      dashboardIds: means(words(), 'A number that it may have. It may be repeated.'),
      starred: means(ifSet(text()), '`true` finds nothing: this service has no such marks.'),
      deleted: means(ifSet(text()), '`true` looks in the trash.'),
      sort: means(ifSet(text()), '`alpha-asc`, which is also meant when it is empty, or `alpha-desc`.'),
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
    output: z.object({
      commit: means(text(), 'Always empty here.'),
      database: means(text(), '`ok`: the database answers.'),
      version: means(text(), 'The version of Grafana whose dashboard API this is most like: `11.0.0`.'),
    }),
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
      appUrl: means(text(), 'The address of the service, with a slash at its end.'),
      appSubUrl: means(text(), 'The path of that address. Empty: none.'),
      buildInfo: means(
        z.object({
          version: means(text(), 'The version of Grafana whose dashboard API this is most like: `11.0.0`.'),
          commit: means(text(), 'Always empty here.'),
          edition: means(text(), 'Always `Open Source`.'),
          env: means(text(), 'Always `production`.'),
          hideVersion: means(flag(), 'Always false here.'),
        }),
        'The version of the dashboard API.',
      ),
    }),
    errors: [],
  }),
} as const;
