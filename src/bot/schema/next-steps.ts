import { integer, table, text } from '../../db/tables.ts';

/** What comes next in the room of an incident that is over. Flags are 0 or 1; times are epoch milliseconds. */
export const nextSteps = table({
  name: 'bot_next_steps',
  columns: {
    incident_id: text({ key: true }),
    /** When the incident was closed, as the API says it: names the resolution; `""` before that is known. */
    resolution: text(),
    /** The incident was over before Muster told rooms of what comes next, or may have been. */
    is_silent: integer(),
    /** When the present message was begun; while the resolution is not known, when Muster began to tell rooms. */
    begun_at: integer(),
    /** Slack's time of the message; `""` when it has none, `gone` when somebody deleted it. */
    ts: text(),
    /** Digest of what the message shows; `""` when that is not known. */
    shown: text(),
    /** When the channel is archived; 0 for never. */
    archive_at: integer(),
    /** The present message is the one that warns of it. */
    is_warned: integer(),
    /** A process archives the channel. */
    is_archiving: integer(),
    /** When Muster archived the channel; 0 when it did not. */
    archived_at: integer(),
    /** Why Muster could not archive it, as mrkdwn; `""` when nothing was wrong. */
    problem: text(),
    /** When the room must be looked at next; 0 for never. */
    look_at: integer(),
  },
  indexes: {
    bot_next_steps_look: ['look_at'],
  },
});
