import type { Task, TaskList } from '../../contract/tasks.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import { findPeople, type PersonOf } from './people.ts';
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

/** The tasks of each of the incidents in order of creation; an incident without tasks is not in the map. */
export async function findTaskLists(db: Db, incidentIDs: readonly number[]): Promise<Map<number, TaskList>> {
  const found = new Map<number, TaskList>();
  if (incidentIDs.length === 0) return found;
  const rows = await readRows(db, { ids: incidentIDs });
  const personOf = await findPeople(
    db,
    rows.flatMap(each => [each.author_user_id, each.assigned_user_id]),
  );
  for (const row of rows) {
    const list = found.get(row.incident_id) ?? noTasks();
    list.tasks.push(toTask(row, personOf));
    if (row.status === 'done') list.doneCount += 1;
    else list.todoCount += 1;
    found.set(row.incident_id, list);
  }
  return found;
}

/** The task list of an incident without tasks. */
export function noTasks(): TaskList {
  return { tasks: [], todoCount: 0, doneCount: 0 };
}
