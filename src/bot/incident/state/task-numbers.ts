import type { Kysely } from 'kysely';
import type { Task } from '../../../contract/tasks.ts';
import type { Database } from '../../../db/database.ts';
import type { BotTables } from '../../schema/tables.ts';

/** The numbers that people use for an incident's tasks: in the order in which they were added, and never used again. */
export type TaskNumbers = ReturnType<typeof createTaskNumbers>;

/** Opens the task numbers in the bot's database. */
export function createTaskNumbers(database: Database) {
  const db = database.as<BotTables>();
  return {
    /** The number of each of these tasks, by its id. A task that has none yet gets the next one. */
    of: async (
      incidentID: string,
      tasks: readonly Pick<Task, 'taskID' | 'createdTime'>[],
    ): Promise<ReadonlyMap<string, number>> => {
      const known = await read(db, incidentID);
      if (tasks.every(each => known.has(each.taskID))) return known;
      return await locked(database, incidentID, async trx => {
        const numbers = new Map(await read(trx, incidentID));
        const added = tasks
          .filter(each => !numbers.has(each.taskID))
          .toSorted((one, other) => Date.parse(one.createdTime) - Date.parse(other.createdTime));
        let last = Math.max(0, ...numbers.values());
        for (const { taskID } of added) numbers.set(taskID, ++last);
        const rows = added.map(({ taskID }) => toRow(incidentID, taskID, numbers.get(taskID) ?? 0));
        if (rows.length > 0) await trx.insertInto('bot_task').values(rows).execute();
        return numbers;
      });
    },
    /** Gives a task the number of a deleted one, whose place it takes. */
    inherit: (incidentID: string, taskID: string, number: number): Promise<void> =>
      locked(database, incidentID, async trx => {
        await trx
          .insertInto('bot_task')
          .values(toRow(incidentID, taskID, number))
          .onConflict(conflict => conflict.columns(['incident_id', 'task_id']).doUpdateSet({ number }))
          .execute();
      }),
  };
}

function locked<T>(database: Database, incidentID: string, work: (trx: Kysely<BotTables>) => Promise<T>): Promise<T> {
  return database.withLock<BotTables, T>(`tasks ${incidentID}`, work);
}

async function read(db: Kysely<BotTables>, incidentID: string): Promise<ReadonlyMap<string, number>> {
  const rows = db.selectFrom('bot_task').select(['task_id', 'number']).where('incident_id', '=', incidentID);
  return new Map((await rows.execute()).map(row => [row.task_id, row.number]));
}

function toRow(incident_id: string, task_id: string, number: number) {
  return { incident_id, task_id, number };
}
