import type { Generated, Kysely, Selectable } from 'kysely';
import type { Migration } from '../../db/migrate.ts';
import type { Flag, Tables } from './tables.ts';

/**
 * The tables of dashboards, folders and short URLs. Ids of dashboards and folders come from one counter and their uids
 * share one space; folder 0 is the root level (docs/api-rules.md C2).
 */
export type DashboardTables = {
  folder: {
    id: number;
    uid: string;
    title: string;
    slug: string;
    created_at: number;
    updated_at: number;
    created_by: string;
    updated_by: string;
    /** Rises with each new title. */
    version: Generated<number>;
  };
  dashboard: {
    id: number;
    uid: string;
    folder_id: number;
    title: string;
    slug: string;
    /** JSON object: the model as saved, with its id, uid, version and title. */
    model: string;
    version: number;
    /** Empty when it belongs to no plugin. */
    plugin_id: string;
    plugin_name: string;
    provisioned: Flag;
    created_at: number;
    updated_at: number;
    created_by: string;
    updated_by: string;
    /** When it went into the trash; null while it is live. */
    deleted_at: number | null;
  };
  /** Each tag of a dashboard once. */
  dashboard_tag: { dashboard_id: number; term: string };
  /** Every version of a dashboard as it was saved. */
  dashboard_version: {
    dashboard_id: number;
    version: number;
    /** 0 for the first. */
    parent_version: number;
    message: string;
    model: string;
    created_at: number;
    created_by: string;
  };
  /** `path` is relative to the root URL and has no leading slash. */
  short_url: {
    uid: string;
    path: string;
    created_at: number;
    created_by: string;
    /** When it was first seen to be in use: followed, or named by a timeline; null until then. */
    last_seen_at: number | null;
  };
};

/** The database as the service's dashboard side sees it. */
export type DashboardDb = Kysely<Tables & DashboardTables>;
/** One row of `folder`. */
export type FolderRow = Selectable<DashboardTables['folder']>;
/** One row of `dashboard`. */
export type DashboardRow = Selectable<DashboardTables['dashboard']>;

/** Dashboards with their versions and tags, folders, and short URLs. */
export const dashboards: Migration = {
  name: '002-dashboards',
  async up(db) {
    await db.schema
      .createTable('folder')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('uid', 'text', column => column.notNull().unique())
      .addColumn('title', 'text', column => column.notNull())
      .addColumn('slug', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('updated_at', 'bigint', column => column.notNull())
      .addColumn('created_by', 'text', column => column.notNull())
      .addColumn('updated_by', 'text', column => column.notNull())
      .execute();
    await db.schema.createIndex('folder_by_slug').on('folder').column('slug').execute();

    await db.schema
      .createTable('dashboard')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('uid', 'text', column => column.notNull().unique())
      .addColumn('folder_id', 'integer', column => column.notNull())
      .addColumn('title', 'text', column => column.notNull())
      .addColumn('slug', 'text', column => column.notNull())
      .addColumn('model', 'text', column => column.notNull())
      .addColumn('version', 'integer', column => column.notNull())
      .addColumn('plugin_id', 'text', column => column.notNull())
      .addColumn('plugin_name', 'text', column => column.notNull())
      .addColumn('provisioned', 'integer', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('updated_at', 'bigint', column => column.notNull())
      .addColumn('created_by', 'text', column => column.notNull())
      .addColumn('updated_by', 'text', column => column.notNull())
      .addColumn('deleted_at', 'bigint')
      .execute();
    // Titles are found by slug first: a title may be longer than an index takes, and equal titles have equal slugs.
    await db.schema.createIndex('dashboard_by_slug').on('dashboard').columns(['folder_id', 'slug']).execute();
    await db.schema.createIndex('dashboard_by_deletion').on('dashboard').column('deleted_at').execute();

    await db.schema
      .createTable('dashboard_tag')
      .addColumn('dashboard_id', 'integer', column => column.notNull())
      .addColumn('term', 'text', column => column.notNull())
      .execute();
    await db.schema.createIndex('dashboard_tag_by_dashboard').on('dashboard_tag').column('dashboard_id').execute();

    await db.schema
      .createTable('dashboard_version')
      .addColumn('dashboard_id', 'integer', column => column.notNull())
      .addColumn('version', 'integer', column => column.notNull())
      .addColumn('parent_version', 'integer', column => column.notNull())
      .addColumn('message', 'text', column => column.notNull())
      .addColumn('model', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('created_by', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('dashboard_version_pk', ['dashboard_id', 'version'])
      .execute();

    await db.schema
      .createTable('short_url')
      .addColumn('uid', 'text', column => column.primaryKey())
      .addColumn('path', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('created_by', 'text', column => column.notNull())
      .addColumn('last_seen_at', 'bigint')
      .execute();
    await db.schema.createIndex('short_url_by_visit').on('short_url').columns(['last_seen_at', 'created_at']).execute();

    await db.withTables<Tables>().insertInto('counter').values({ name: 'dashboard', value: 0 }).execute();
  },
};
