import { table, text } from '../../db/tables.ts';

/** What a person typed and could not finish. Times are RFC 3339. */
export const drafts = table({
  name: 'bot_draft',
  columns: {
    id: text({ key: true }),
    team_id: text(),
    user_id: text(),
    /** JSON. */
    content: text(),
    created_at: text(),
  },
  indexes: {
    bot_draft_age: ['created_at'],
  },
});
