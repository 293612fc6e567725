import { sql } from 'kysely';
import { integer, type RowOf, table, text } from '../../db/tables.ts';

/** People called to an incident: by a person, or by a chain of the settings, target after target. Times are epoch milliseconds. */
export const calls = table({
  name: 'bot_call',
  columns: {
    id: text({ key: true }),
    /** Its incident, by its provisional id until it is registered. */
    incident_id: text(),
    /** The chain that it follows: `severity critical`; `""` for a call by a person. */
    chain: text(),
    /** JSON of the targets of the chain, in their order (`incident/state/call-store.ts`); of a person's call, of those they named. */
    targets: text(),
    /** The place of the target that was called last; -1 before the first. */
    step: integer(),
    /** When the next target is due; 0 for never. */
    next_at: integer(),
    /** `open`: people are asked. `answered`: a person comes. `ended`: nobody of its chain does. `over`: no one is needed any more. `withdrawn`. */
    state: text<'open' | 'answered' | 'ended' | 'over' | 'withdrawn'>(),
    /** Slack id of the caller; `""` for Muster. */
    caller: text(),
    /** The caller's reason; `""` for none. */
    why: text(),
    /** The line in the room that shows who comes; `""` before it has one. */
    line: text(),
    begun_at: integer(),
  },
  indexes: {
    bot_call_incident: ['incident_id'],
    bot_call_next: ['next_at'],
    bot_call_age: { on: ['begun_at'], since: '036-outdated' },
  },
});
/** A row of {@link calls}. */
export type CallTable = RowOf<typeof calls>;

/** A person who was called. */
export const calledPeople = table({
  name: 'bot_called',
  columns: {
    call_id: text(),
    /** Slack id. */
    user_id: text(),
    /** The order within the call. */
    seq: integer(),
    /** The place of the target that they belong to, and its name: `@sre`; `""` for a person who was named. */
    step: integer(),
    target: text(),
    answer: text<'none' | 'coming' | 'cannot' | 'there'>(),
    /** Within how many minutes they come. */
    minutes: integer(),
    /** They are asked in a direct message; 0 for those who were mentioned alone. */
    is_asked: integer(),
    asked_at: integer(),
    /** The direct message; `""` before it is sent. */
    channel: text(),
    ts: text(),
    /** 1: that message says that the incident is over. */
    is_over: integer({ default: 0, since: '044-told' }),
  },
  key: ['call_id', 'user_id'],
  indexes: {
    bot_called_user: ['user_id'],
    bot_called_asking: { on: ['call_id'], where: sql`ts <> '' and is_over = 0`, since: '044-told' },
  },
});
/** A row of {@link calledPeople}. */
export type CalledTable = RowOf<typeof calledPeople>;
