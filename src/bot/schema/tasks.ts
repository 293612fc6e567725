import { integer, table, text } from '../../db/tables.ts';

/** The number that people use for a task. It stays when the task is deleted, so that no other task gets it. */
export const taskNumbers = table({
  name: 'bot_task',
  columns: {
    incident_id: text(),
    task_id: text(),
    number: integer(),
  },
  key: ['incident_id', 'task_id'],
  keyName: 'bot_task_id',
});
