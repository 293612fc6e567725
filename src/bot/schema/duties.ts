import type { Migration } from '../../db/migrate.ts';

/**
 * What is owed: an update that was promised, somebody who leads, news, an answer to a call, a move of a task, a look back.
 * `DutyTable.about` names the update, the call or the task.
 */
export const dutyKinds = ['update', 'lead', 'news', 'call', 'task', 'review'] as const;
/** One of {@link dutyKinds}. */
type DutyKind = (typeof dutyKinds)[number];

/** Something that is owed at a time, and who is reminded of it. Times are epoch milliseconds; 0 for never. */
export type DutyTable = {
  id: string;
  incident_id: string;
  kind: DutyKind;
  /** The note of the update, the call, or the task; `""` for the incident itself. */
  about: string;
  /** One person alone, or the room. */
  audience: 'owner' | 'room';
  /** Slack id of the person; `""` for the room. */
  user_id: string;
  /** The moment from which it counts, and when it is due. */
  since: number;
  due: number;
  /** The place in its plan: so many of its times have passed with a reminder. */
  step: number;
  /** Reminders that were sent; they have this number as their key. */
  said: number;
  snoozed_until: number;
  /**
   * `owed`. `stopped`: nobody is reminded any more. `settled`: it was done, and its last message is yet to say so. `over`: nothing is left to
   * do.
   */
  state: 'owed' | 'stopped' | 'settled' | 'over';
  /** When it is looked at next. */
  look_at: number;
  /** When people last talked in the room, as far as that ends a silence. */
  talked_at: number;
  /** The last message to the person; `""` for none. */
  channel: string;
  ts: string;
  changed_at: number;
};

/** Makes the table of duties, and what a room says of reminders. */
export const createDuties: Migration['up'] = async db => {
  let table = db.schema.createTable('bot_duty').addColumn('id', 'text', column => column.notNull().primaryKey());
  for (const name of ['incident_id', 'kind', 'about', 'audience', 'user_id', 'state', 'channel', 'ts'])
    table = table.addColumn(name, 'text', column => column.notNull());
  for (const name of ['since', 'due', 'step', 'said', 'snoozed_until', 'look_at', 'talked_at', 'changed_at'])
    table = table.addColumn(name, 'integer', column => column.notNull());
  await table.execute();
  await db.schema.createIndex('bot_duty_incident').on('bot_duty').columns(['incident_id', 'state']).execute();
  await db.schema.createIndex('bot_duty_look').on('bot_duty').column('look_at').execute();
  await db.schema.createIndex('bot_duty_user').on('bot_duty').columns(['user_id', 'changed_at']).execute();
  await db.schema
    .alterTable('bot_room')
    .addColumn('reminders', 'text', column => column.notNull().defaultTo(''))
    .execute();
};
