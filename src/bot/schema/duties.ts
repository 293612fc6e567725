import { sql } from 'kysely';
import { integer, type RowOf, table, text } from '../../db/tables.ts';

/**
 * The thing that is owed: an update that was promised, a leader, news, an answer to a call, a move of a task, a look back.
 * `DutyTable.about` names the update, the call or the task.
 */
export const dutyKinds = ['update', 'lead', 'news', 'call', 'task', 'review'] as const;
/** Something that is owed at a time, and who is reminded of it. Times are epoch milliseconds; 0 for never. */
export const duties = table({
  name: 'bot_duty',
  columns: {
    id: text({ key: true }),
    incident_id: text(),
    kind: text<(typeof dutyKinds)[number]>(),
    /** The note of the update, the call, or the task; `""` for the incident itself. */
    about: text(),
    /** One person alone, or the room. */
    audience: text<'owner' | 'room'>(),
    /** Slack id of the person; `""` for the room. */
    user_id: text(),
    /**
     * `owed`. `stopped`: nobody is reminded any more. `settled`: it was done, and its last message is yet to say so. `over`: nothing is left to
     * do.
     */
    state: text<'owed' | 'stopped' | 'settled' | 'over'>(),
    /** The last message to the person; `""` for none. */
    channel: text(),
    ts: text(),
    /** The moment from which it counts, and when it is due. */
    since: integer(),
    due: integer(),
    /** The place in its plan: so many of its times have passed with a reminder. */
    step: integer(),
    /** Reminders that were sent; they have this number as their key. */
    said: integer(),
    snoozed_until: integer(),
    /** When it is looked at next. */
    look_at: integer(),
    /** When people last talked in the room, as far as that ends a silence. */
    talked_at: integer(),
    changed_at: integer(),
    /**
     * Who is reminded in place of those it is for: `room` where Slack takes no message to the person, `readers` of the announcement where it
     * takes none in the room; `""`: nobody.
     */
    passed_to: text<'' | 'room' | 'readers'>({ default: '', since: '044-told' }),
  },
  indexes: {
    bot_duty_incident: ['incident_id', 'state'],
    bot_duty_look: ['look_at'],
    bot_duty_user: ['user_id', 'changed_at'],
    // Without a condition it would be taken for all that is over of an incident.
    bot_duty_age: { on: ['changed_at'], where: sql`state = 'over'`, since: '036-outdated' },
  },
});
/** A row of {@link duties}. */
export type DutyTable = RowOf<typeof duties>;
