import { integer, table, text } from '../../db/tables.ts';

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
