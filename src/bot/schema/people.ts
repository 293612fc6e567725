import { integer, table, text } from '../../db/tables.ts';

/**
 * What Slack last said of a person, for when it cannot be asked. There is no e-mail address: nobody is judged by it. Flags are 0 or
 * 1.
 */
export const people = table({
  name: 'bot_person',
  columns: {
    /** The workspace that sees the person. */
    team_id: text(),
    user_id: text(),
    /** The workspace that they belong to: another one for people of shared channels. */
    home_team_id: text(),
    /** `""` when it is not known, as the next one. */
    name: text(),
    time_zone: text(),
    is_guest: integer(),
    is_bot: integer(),
    is_deleted: integer(),
    is_stranger: integer(),
    /** Slack's own number of this state, in seconds; 0 when Slack gave none. An event with a smaller one is old. */
    updated: integer(),
    /** When Slack said so, in epoch milliseconds. */
    seen_at: integer(),
    /** An administrator or owner of the workspace. */
    is_admin: integer({ default: 0 }),
  },
  key: ['team_id', 'user_id'],
  indexes: { bot_person_seen: ['seen_at'] },
});

/** Whom the API takes a person for. Moments are epoch milliseconds. */
export const accounts = table({
  name: 'bot_account',
  columns: {
    team_id: text(),
    user_id: text(),
    /** The user whom the API's list names for them; `""` for none. */
    match_user_id: text(),
    /** What they were matched by. */
    matched_by: text<'slack' | 'email' | 'answer' | ''>(),
    matched_at: integer(),
    /** The user whom the person says to be; `""` for none. */
    claimed_user_id: text(),
    claimed_name: text(),
    claimed_at: integer(),
  },
  key: ['team_id', 'user_id'],
  indexes: { bot_account_match: ['team_id', 'match_user_id'] },
});

/** A person whom the bot has greeted in a direct message. Times are RFC 3339. */
export const greetings = table({
  name: 'bot_greeting',
  columns: { team_id: text(), user_id: text(), greeted_at: text() },
  key: ['team_id', 'user_id'],
  keyName: 'bot_greeting_person',
});
