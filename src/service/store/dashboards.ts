import type { Kysely } from 'kysely';
import { bigint, integer, nullable, type TablesOf, table, text } from '../../db/tables.ts';
import type { Tables } from './tables.ts';

/**
 * The tables of dashboards, folders and short URLs. Ids of dashboards and folders come from one counter and their uids
 * share one space; folder 0 is the root level (docs/api-rules.md C2).
 */
export const dashboardTables = [
  table({
    name: 'folder',
    columns: {
      id: integer({ key: true }),
      uid: text({ unique: true }),
      title: text(),
      slug: text(),
      created_at: bigint(),
      updated_at: bigint(),
      created_by: text(),
      updated_by: text(),
      /** Rises with each new title. */
      version: integer({ default: 1 }),
    },
    indexes: { folder_by_slug: ['slug'] },
  }),
  table({
    name: 'dashboard',
    columns: {
      id: integer({ key: true }),
      uid: text({ unique: true }),
      folder_id: integer(),
      title: text(),
      slug: text(),
      /** JSON object: the model as saved, with its id, uid, version and title. */
      model: text(),
      version: integer(),
      /** Empty when it belongs to no plugin. */
      plugin_id: text(),
      plugin_name: text(),
      provisioned: integer(),
      created_at: bigint(),
      updated_at: bigint(),
      created_by: text(),
      updated_by: text(),
      /** When it went into the trash; null while it is live. */
      deleted_at: nullable(bigint()),
    },
    indexes: {
      // Titles are found by slug first: a title may be longer than an index takes, and equal titles have equal slugs.
      dashboard_by_slug: ['folder_id', 'slug'],
      dashboard_by_deletion: ['deleted_at'],
    },
  }),
  /** Each tag of a dashboard once. */
  table({
    name: 'dashboard_tag',
    columns: { dashboard_id: integer(), term: text() },
    indexes: { dashboard_tag_by_dashboard: ['dashboard_id'] },
  }),
  /** Every version of a dashboard as it was saved. */
  table({
    name: 'dashboard_version',
    columns: {
      dashboard_id: integer(),
      version: integer(),
      /** 0 for the first. */
      parent_version: integer(),
      message: text(),
      model: text(),
      created_at: bigint(),
      created_by: text(),
    },
    key: ['dashboard_id', 'version'],
  }),
  /** `path` is relative to the root URL and has no leading slash. */
  table({
    name: 'short_url',
    columns: {
      uid: text({ key: true }),
      path: text(),
      created_at: bigint(),
      created_by: text(),
      /** When it was first seen to be in use: followed, or named by a timeline; null until then. */
      last_seen_at: nullable(bigint()),
    },
    indexes: { short_url_by_visit: ['last_seen_at', 'created_at'] },
  }),
] as const;

/** {@link dashboardTables}, as Kysely sees them. */
export type DashboardTables = TablesOf<typeof dashboardTables>;

/** The database as the service's dashboard side sees it. */
export type DashboardDb = Kysely<Tables & DashboardTables>;
/** One row of `folder`. */
export type FolderRow = DashboardTables['folder'];
/** One row of `dashboard`. */
export type DashboardRow = DashboardTables['dashboard'];
