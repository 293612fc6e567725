import { integer, table, text } from '../../db/tables.ts';

/** An incident as the API last showed it. Moments are epoch milliseconds, so that they compare. */
export const snapshots = table({
  name: 'bot_incident',
  columns: {
    incident_id: text({ key: true }),
    /** JSON. */
    snapshot: text(),
    /** When the incident was declared; 0 when that is not known. */
    created_at: integer(),
    seen_at: integer(),
  },
  indexes: { bot_incident_created: ['created_at'], bot_incident_seen: ['seen_at'] },
});

/** The state of an incident that its readers know. */
export const knownStates = table({
  name: 'bot_known_state',
  columns: {
    incident_id: text({ key: true }),
    /** JSON of the state that they know; `""` when none is known yet. */
    state: text(),
  },
  keyName: 'bot_told_pkey',
});

/** The row that all processes share to look for changes made elsewhere. Flags are 0 or 1. */
export const polls = table({
  name: 'bot_poll',
  columns: {
    name: text({ key: true }),
    /** RFC 3339: when Muster first started. Incidents from before are history. */
    since: text(),
    /** The number of polls begun. A process begins one only if the number is still the one it read. */
    turns: integer(),
    /** The home screen's version that the last poll brought over; -1 before the first. */
    version: integer(),
    /** The newest change that the last poll brought over, as the API wrote its time; `""` before the first. */
    modified_time: text(),
    /** Batches of webhooks that came, and their number at the last poll that found a change. */
    heard: integer(),
    heard_before: integer(),
    /** Webhooks tell of changes, so that polls may be rarer. */
    is_rare: integer(),
  },
  keyName: 'bot_look_pkey',
});

/** The number that people use for a task. It stays when the task is deleted, so that no other task gets it. */
export const taskNumbers = table({
  name: 'bot_task',
  columns: { incident_id: text(), task_id: text(), number: integer() },
  key: ['incident_id', 'task_id'],
  keyName: 'bot_task_id',
});

/**
 * Words that stand first of an incident: an update, a note that says how it stands; its summary; or what ended it. Flags are 0 or 1; times
 * are epoch milliseconds.
 */
export const updates = table({
  name: 'bot_update',
  columns: {
    /** Its note on the timeline. */
    activity_item_id: text({ key: true }),
    incident_id: text(),
    /** Its words, without sign and foot. */
    text: text(),
    /** Who gave it, as mrkdwn. */
    given_by: text(),
    given_at: integer(),
    /** When the next one is due; 0 when none was promised. */
    next_at: integer(),
    /** The card counts the promised one as overdue. */
    is_overdue: integer(),
    /** `update`, `summary` or `outcome`. */
    kind: text({ default: 'update' }),
    /** The summary that the API itself had when this one was written; `""` for none. */
    api_summary: text({ default: '' }),
  },
  indexes: { bot_update_incident: ['incident_id', 'given_at'], bot_update_next: ['is_overdue', 'next_at'] },
});

/** What a person has seen of an incident. Times are epoch milliseconds; 0 for never. */
export const visits = table({
  name: 'bot_visit',
  columns: {
    incident_id: text(),
    /** Slack id of the person. */
    user_id: text(),
    /** When they last looked at it or acted in it. */
    seen_at: integer(),
    /** When they were offered to be caught up, since they joined its room late. */
    offered_at: integer(),
  },
  key: ['incident_id', 'user_id'],
  keyName: 'bot_visit_person',
  indexes: { bot_visit_seen: ['seen_at'] },
});
