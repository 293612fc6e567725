import type { Context } from '../call/context.ts';
import { takeNumber } from '../store/counters.ts';
import { fold, type RoleRow } from '../store/tables.ts';
import { modifiedNow, toMicros } from '../store/time.ts';
import type { NewTimelineItem } from './record-event.ts';

/** Id of the task that asks for a severity. */
export const severityTask = 'must-choose-severity';

/** Id of the task that asks for a person in a role. */
export function toRoleTask(role: RoleRow): string {
  return `assign-role-${fold(role.name)}`;
}

/** The system's tasks (docs/api-rules.md A9). */
const systemTasks = [
  { id: 'assign-role-investigator', text: 'Assign INVESTIGATOR role' },
  { id: 'assign-role-commander', text: 'Assign COMMANDER role' },
  { id: severityTask, text: 'Specify incident severity' },
] as const;

/** Gives a new incident the system's tasks. Those in `done` begin done. */
export async function addSystemTasks(context: Context, incidentID: number, done: readonly string[]): Promise<void> {
  const position = await takeNumber(context.db, 'position', systemTasks.length);
  const now = toMicros(context.now);
  await context.db
    .insertInto('task')
    .values(
      systemTasks.map(({ id, text }, index) => ({
        incident_id: incidentID,
        id,
        position: position + index,
        text,
        status: done.includes(id) ? ('done' as const) : ('todo' as const),
        author_user_id: '',
        assigned_user_id: '',
        created_at: now,
        modified_at: now,
        immutable: 1,
      })),
    )
    .execute();
}

/** Completes a task of the system, if the incident has it and it is open; gives the items for the timeline. */
export async function completeSystemTask(
  context: Context,
  incidentID: number,
  taskID: string,
): Promise<NewTimelineItem[]> {
  const task = await context.db
    .updateTable('task')
    .set({ status: 'done', modified_at: modifiedNow(toMicros(context.now)) })
    .where('incident_id', '=', incidentID)
    .where('id', '=', taskID)
    .where('immutable', '=', 1)
    .where('status', '!=', 'done')
    .returning(['id', 'text'])
    .executeTakeFirst();
  if (!task) return [];
  const fieldValues = { taskID: task.id, text: task.text, status: 'done' };
  return [{ kind: 'taskCompleted', body: `Task completed: ${task.text}`, fieldValues }];
}
