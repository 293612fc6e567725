import { integer, type RowOf, table, text } from '../../db/tables.ts';

/**
 * How far a page is on its way to its pager, or what the pager said of it last. `unacknowledged`: the acknowledgement ran out. `escalated`,
 * `reassigned`: another person has it, who has acknowledged nothing.
 */
export type PageState =
  | ('begun' | 'waiting' | 'failed' | 'sent')
  | ('acknowledged' | 'unacknowledged' | 'escalated' | 'reassigned' | 'reopened' | 'resolved');

/** A page to a pager of the team. Times are epoch milliseconds. */
export const pages = table({
  name: 'bot_page',
  columns: {
    /** The intent that sends it. The pager knows the page by it. */
    id: text({ key: true }),
    /** By its provisional id until it is registered. */
    incident_id: text(),
    /** The pager's name in the settings. */
    pager: text(),
    /** What the person said who asked for it; `""` for nothing. */
    why: text(),
    /** Who asked for it, as `team/user`; `""` for Muster itself. */
    actor: text(),
    /** `waiting`: the pager could not take it yet. `failed`: it never will. */
    state: text<PageState>(),
    /** The person whose acknowledgement holds, by their name in the pager; `""` for nobody. */
    acknowledged_by: text(),
    /** Who or what made the last news of it there, or has it now that it was passed on; `""` where that is not known. */
    who: text({ default: '', since: '042-news-of-pages' }),
    /** When the last news of it happened there; 0 for none. */
    news_at: integer({ default: 0, since: '042-news-of-pages' }),
    /** Why it failed; `""` where it did not. */
    trouble: text(),
    asked_at: integer(),
    changed_at: integer(),
  },
  indexes: {
    bot_page_incident: ['incident_id'],
    bot_page_open: ['state', 'asked_at'],
    bot_page_age: { on: ['changed_at'], since: '036-outdated' },
  },
});
/** A row of {@link pages}. */
export type PageTable = RowOf<typeof pages>;
