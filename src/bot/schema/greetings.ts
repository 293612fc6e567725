import { table, text } from '../../db/tables.ts';

/** A person whom the bot has greeted in a direct message. Times are RFC 3339. */
export const greetings = table({
  name: 'bot_greeting',
  columns: {
    team_id: text(),
    user_id: text(),
    greeted_at: text(),
  },
  key: ['team_id', 'user_id'],
  keyName: 'bot_greeting_person',
});
