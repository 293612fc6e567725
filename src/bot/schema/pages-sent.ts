import type { Migration } from '../../db/migrate.ts';

/** How far a page is: from one that no pager has taken yet to one that is over there. */
export type PageState = 'begun' | 'waiting' | 'failed' | 'sent' | 'acknowledged' | 'resolved';

/** A page to a pager of the team. Times are epoch milliseconds. */
export type PageTable = {
  /** The intent that sends it. The pager knows the page by it. */
  id: string;
  /** By its provisional id until it is registered. */
  incident_id: string;
  /** The pager's name in the settings. */
  pager: string;
  /** What the person said who asked for it; `""` for nothing. */
  why: string;
  /** Who asked for it, as `team/user`; `""` for Muster itself. */
  actor: string;
  /** `waiting`: the pager could not take it yet. `failed`: it never will. */
  state: PageState;
  /** Who acknowledged it, by their name in the pager; `""` for nobody. */
  acknowledged_by: string;
  /** Why it failed; `""` where it did not. */
  trouble: string;
  asked_at: number;
  changed_at: number;
};

/** Makes the table of pages. */
export const createPagesSent: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_page')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('pager', 'text', column => column.notNull())
    .addColumn('why', 'text', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('acknowledged_by', 'text', column => column.notNull())
    .addColumn('trouble', 'text', column => column.notNull())
    .addColumn('asked_at', 'integer', column => column.notNull())
    .addColumn('changed_at', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_page_incident').on('bot_page').column('incident_id').execute();
  await db.schema.createIndex('bot_page_open').on('bot_page').columns(['state', 'asked_at']).execute();
};
