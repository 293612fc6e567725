import type { Migration } from '../../db/migrate.ts';

/** The number that people use for a task. It stays when the task is deleted, so that no other task gets it. */
export type TaskTable = {
  incident_id: string;
  task_id: string;
  number: number;
};

/** Makes the table of task numbers. */
export const createTasks: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_task')
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('task_id', 'text', column => column.notNull())
    .addColumn('number', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('bot_task_id', ['incident_id', 'task_id'])
    .execute();
};
