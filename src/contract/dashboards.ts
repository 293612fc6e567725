import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import {
  count,
  flag,
  freeObject,
  ifSet,
  lenient,
  list,
  means,
  orNull,
  requiredText,
  text,
  tolerant,
} from './fields.ts';

/** The most characters of a dashboard's uid (docs/short-url-api.md, Limits). */
export const maxDashboardUid = 40;

const looseText = () => tolerant(z.string(), () => '');
const looseFlag = () => tolerant(z.boolean(), () => false);
const looseCount = () => tolerant(z.number(), () => 0);

/**
 * A dashboard model: the members this API gives a meaning; all others are carried as they are. Servers store what they are given, so
 * one of another type reads as if it were not there.
 */
export const DashboardModel = z.looseObject({
  id: means(
    orNull(z.number().nullable().catch(null)),
    'Its number in this installation; null for one that is not saved yet.',
  ),
  uid: means(
    orNull(z.string().nullable().catch(null)),
    'Its id in every installation, of at most 40 characters; null: one is made. It stays when the title changes.',
  ),
  title: means(looseText(), 'Its title, of at most 5000 characters.'),
  tags: means(
    tolerant(
      z.array(z.string()),
      () => [],
      tags => (Array.isArray(tags) ? tags.filter(each => typeof each === 'string') : []),
    ),
    'Its tags.',
  ),
  timezone: means(looseText(), 'The time zone in which it shows times.'),
  schemaVersion: means(looseCount(), 'The version of the model’s form.'),
  version: means(looseCount(), 'How often it was saved. An update names the version that it builds on.'),
  refresh: means(
    tolerant(z.union([z.string(), z.boolean()]), () => ''),
    'How often it reloads, such as `5s`. A value below the minimum becomes the minimum.',
  ),
});
means(DashboardModel, 'The model of a dashboard. Members that are not described here are kept as they came.');
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

export const DashboardMeta = z.looseObject({
  isStarred: means(looseFlag(), 'Whether the caller marked it. This service has no such marks.'),
  isHome: means(looseFlag(), 'Whether it is the home dashboard.'),
  canSave: means(looseFlag(), 'Whether the caller may save it.'),
  canEdit: means(looseFlag(), 'Whether the caller may change it.'),
  canStar: means(looseFlag(), 'Whether the caller may mark it.'),
  canDelete: means(looseFlag(), 'Whether the caller may delete it.'),
  /** It comes from files on the server, which alone change it. */
  provisioned: means(looseFlag(), 'Whether it comes from files on the server, which alone change it.'),
  url: means(looseText(), 'The path of its page, `/d/<uid>/<slug>`.'),
  slug: means(looseText(), 'The title as a part of an address.'),
  folderId: means(looseCount(), 'The number of its folder; 0 is the root level.'),
  folderUid: means(looseText(), 'The uid of its folder. Empty: the root level.'),
  folderTitle: means(looseText(), 'The title of its folder; `General` at the root level.'),
  expires: means(looseText(), 'Always `0001-01-01T00:00:00Z`: it does not expire.'),
  created: means(looseText(), 'When it was first saved.'),
  updated: means(looseText(), 'When it was last saved.'),
  updatedBy: means(looseText(), 'The name of the person who saved it last.'),
});
means(DashboardMeta, 'What is known about a dashboard beside its model.');
export type DashboardMeta = z.output<typeof DashboardMeta>;

/** Answers of `POST /api/dashboards/db` with 412 (docs/short-url-api.md, Errors); they are `RpcError.reason`. */
export const preconditionReasons = ['version-mismatch', 'name-exists', 'plugin-dashboard'] as const;

/** The home dashboard, or the address of the one chosen instead (docs/api-rules.md C4). */
export const HomeDashboard = z.object({
  dashboard: means(freeObject(), 'The model of an empty dashboard, when none is chosen.'),
  meta: means(
    lenient(DashboardMeta, () => DashboardMeta.parse({})),
    'What is known about it.',
  ),
  redirectUri: means(text(), 'The path of the dashboard that was chosen. Only it is answered when there is one.'),
});

export const TagCount = z.object({
  term: means(text(), 'The tag.'),
  count: means(count(), 'How many dashboards carry it.'),
});
means(TagCount, 'How often a tag is used.');
export type TagCount = z.output<typeof TagCount>;

/**
 * Whether the answer of a delete says that the dashboard is in the trash and can be restored. The published description leaves it
 * open whether there is a trash; where there is one, the message ends so (docs/api-rules.md C3).
 */
export function isInTrash({ message }: { readonly message: string }): boolean {
  return message.endsWith(' moved to Recently deleted');
}

const byUid = z.object({ uid: means(requiredText(), 'The uid of the dashboard.') });
const removed = z.object({
  title: means(text(), 'The title of the dashboard.'),
  message: means(text(), 'What was done, in words.'),
  uid: means(text(), 'Its uid.'),
  id: means(count(), 'Its number in this installation.'),
});

/** Dashboards (docs/short-url-api.md). */
export const Dashboards = {
  save: defineEndpoint({
    httpMethod: 'POST',
    path: '/api/dashboards/db',
    summary: 'Create or update a dashboard.',
    effect: 'create',
    access: 'Editor',
    input: z.object({
      dashboard: means(
        z.record(z.string(), z.unknown()),
        'The whole model. Its `id` and `uid` say whether one is made or updated.',
      ),
      folderId: means(
        ifSet(count()),
        'The number of the folder to save in. Neither this nor `folderUid`: the root level, also for an update.',
      ),
      folderUid: means(ifSet(text()), 'The uid of the folder to save in; it counts before `folderId`.'),
      overwrite: means(flag(), 'Whether to save over a newer version, the same title in the folder, or the same uid.'),
      message: means(ifSet(text()), 'What changed, for the list of versions; at most 500 characters.'),
      isFolder: means(ifSet(flag()), 'Refused when it is true: folders have endpoints of their own.'),
    }),
    output: z.object({
      id: means(count(), 'Its number in this installation.'),
      uid: means(text(), 'Its uid.'),
      url: means(text(), 'The path of its page, `/d/<uid>/<slug>`.'),
      status: means(text(), '`success`.'),
      version: means(count(), 'The version that was saved.'),
      slug: means(text(), 'The title as a part of an address.'),
      folderUid: means(text(), 'The uid of its folder. Empty: the root level.'),
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
    input: byUid.extend({
      folderUid: means(ifSet(text()), 'The uid of the folder to put it in. Empty: the root level.'),
    }),
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
