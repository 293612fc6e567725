import type { Task, TaskList } from '../../contract/tasks.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { PersonOf } from './people.ts';
import type { Db, TaskRow } from './tables.ts';
import { formatTime } from './time.ts';

/** A task as it is sent; author and assignee are null when there is none (docs/api-rules.md A9). */
function toTask(row: TaskRow, personOf: PersonOf): Task {
  return {
    taskID: row.id,
    text: row.text,
    status: row.status,
    authorUser: row.author_user_id === '' ? null : personOf(row.author_user_id),
    assignedUser: row.assigned_user_id === '' ? null : personOf(row.assigned_user_id),
    createdTime: formatTime(row.created_at),
    modifiedTime: formatTime(row.modified_at),
    immutable: row.immutable === 1,
  };
}

const readRows = definePrepared((db: Db, value: Params<{ ids: readonly number[] }>) =>
  db.selectFrom('task').selectAll().where('incident_id', 'in', value.ids).orderBy('incident_id').orderBy('position'),
);

/** The tasks of the incidents, each incident's in order of creation. */
export async function readTasks(db: Db, incidentIDs: readonly number[]): Promise<readonly TaskRow[]> {
  return incidentIDs.length === 0 ? [] : await readRows(db, { ids: incidentIDs });
}

/** The people whom tasks name. */
export function peopleOfTasks(rows: readonly TaskRow[]): string[] {
  return rows.flatMap(each => [each.author_user_id, each.assigned_user_id]);
}

/** The list of one incident's tasks. */
export function toTaskList(rows: readonly TaskRow[], personOf: PersonOf): TaskList {
  const doneCount = rows.filter(each => each.status === 'done').length;
  return { tasks: rows.map(row => toTask(row, personOf)), todoCount: rows.length - doneCount, doneCount };
}
