import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { count, flag, freeObject, ifSet, lenient, list, orNull, requiredText, text, tolerant } from './fields.ts';

/** The most characters of a dashboard's uid (docs/short-url-api.md, Limits). */
export const maxDashboardUid = 40;

const looseText = () => tolerant(z.string(), () => '');
const looseFlag = () => tolerant(z.boolean(), () => false);
const looseCount = () => tolerant(z.number(), () => 0);
const isText = (value: unknown) => typeof value === 'string';

/**
 * A dashboard model: the members this API gives a meaning; all others are carried as they are. Servers store what they are given, so
 * one of another type reads as if it were not there.
 */
export const DashboardModel = z.looseObject({
  id: orNull(z.number().nullable().catch(null)),
  uid: orNull(z.string().nullable().catch(null)),
  title: looseText(),
  tags: tolerant(
    z.array(z.string()),
    () => [],
    tags => (Array.isArray(tags) ? tags.filter(isText) : []),
  ),
  timezone: looseText(),
  schemaVersion: looseCount(),
  version: looseCount(),
  refresh: tolerant(z.union([z.string(), z.boolean()]), () => ''),
});
/** A dashboard model. */
export type DashboardModel = z.output<typeof DashboardModel>;

/**
 * What to do with a whole exported file of a newer Grafana, `{apiVersion, kind, metadata, spec}`, in place of a model, in plain text;
 * undefined when it is none.
 */
export function findExportProblem(given: Readonly<Record<string, unknown>>): string | undefined {
  const { apiVersion, kind, metadata, spec } = given;
  const isWhole = typeof apiVersion === 'string' || (typeof kind === 'string' && typeof metadata === 'object');
  if (typeof spec !== 'object' || spec === null || !isWhole) return undefined;
  return 'This is a whole exported file (apiVersion, kind, metadata, spec), and not a dashboard. Give what is in its “spec”, with the “name” of its “metadata” as “uid”.';
}

/** What is known about a dashboard beside its model. */
export const DashboardMeta = z.looseObject({
  isStarred: looseFlag(),
  isHome: looseFlag(),
  canSave: looseFlag(),
  canEdit: looseFlag(),
  canStar: looseFlag(),
  canDelete: looseFlag(),
  /** It comes from files on the server, which alone change it. */
  provisioned: looseFlag(),
  url: looseText(),
  slug: looseText(),
  folderId: looseCount(),
  folderUid: looseText(),
  folderTitle: looseText(),
  expires: looseText(),
  created: looseText(),
  updated: looseText(),
  updatedBy: looseText(),
});
/** What is known about a dashboard beside its model. */
export type DashboardMeta = z.output<typeof DashboardMeta>;

/** Answers of `POST /api/dashboards/db` with 412 (docs/short-url-api.md, Errors); they are `RpcError.reason`. */
export const preconditionReasons = ['version-mismatch', 'name-exists', 'plugin-dashboard'] as const;

/** The home dashboard, or the address of the one chosen instead (docs/api-rules.md C4). */
export const HomeDashboard = z.object({
  dashboard: freeObject(),
  meta: lenient(DashboardMeta, () => DashboardMeta.parse({})),
  redirectUri: text(),
});

/** How often a tag is used. */
export const TagCount = z.object({ term: text(), count: count() });
/** How often a tag is used. */
export type TagCount = z.output<typeof TagCount>;

/**
 * Whether the answer of a delete says that the dashboard is in the trash and can be restored. The published description leaves it
 * open whether there is a trash; where there is one, the message ends so (docs/api-rules.md C3).
 */
export function isInTrash({ message }: { readonly message: string }): boolean {
  return message.endsWith(' moved to Recently deleted');
}

const byUid = z.object({ uid: requiredText() });
const removed = z.object({ title: text(), message: text(), uid: text(), id: count() });

/** Dashboards (docs/short-url-api.md). */
export const Dashboards = {
  save: defineEndpoint({
    httpMethod: 'POST',
    path: '/api/dashboards/db',
    summary: 'Create or update a dashboard.',
    effect: 'create',
    access: 'Editor',
    input: z.object({
      dashboard: z.record(z.string(), z.unknown()),
      folderId: ifSet(count()),
      folderUid: ifSet(text()),
      overwrite: flag(),
      message: ifSet(text()),
      isFolder: ifSet(flag()),
    }),
    output: z.object({
      id: count(),
      uid: text(),
      url: text(),
      status: text(),
      version: count(),
      slug: text(),
      folderUid: text(),
    }),
    errors: ['not_found', 'failed_precondition'],
  }),
  get: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/dashboards/uid/:uid',
    summary: 'Get a dashboard.',
    effect: 'read',
    access: 'Viewer',
    input: byUid,
    output: z.object({ dashboard: DashboardModel, meta: DashboardMeta }),
    errors: ['not_found'],
  }),
  delete: defineEndpoint({
    httpMethod: 'DELETE',
    path: '/api/dashboards/uid/:uid',
    summary: 'Delete a dashboard, into the trash where there is one.',
    effect: 'create',
    access: 'Editor',
    input: byUid,
    output: removed,
    errors: ['not_found'],
  }),
  hardDelete: defineEndpoint({
    httpMethod: 'DELETE',
    path: '/api/dashboards/uid/:uid/trash',
    summary: 'Delete a dashboard in the trash for good.',
    effect: 'create',
    access: 'Editor',
    input: byUid,
    output: removed,
    errors: ['not_found'],
  }),
  restore: defineEndpoint({
    httpMethod: 'PATCH',
    path: '/api/dashboards/uid/:uid/trash',
    summary: 'Take a dashboard out of the trash.',
    effect: 'create',
    access: 'Editor',
    input: byUid.extend({ folderUid: ifSet(text()) }),
    output: removed,
    errors: ['not_found', 'failed_precondition'],
  }),
  home: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/dashboards/home',
    summary: 'Get the home dashboard.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({}),
    output: HomeDashboard,
    errors: [],
  }),
  tags: defineEndpoint({
    httpMethod: 'GET',
    path: '/api/dashboards/tags',
    summary: 'List all tags with the number of dashboards that carry each.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({}),
    output: list(TagCount),
    errors: [],
  }),
} as const;
