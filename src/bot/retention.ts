import type { DeleteResult } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { BotTables } from './schema/tables.ts';

/** How often old rows are deleted, in milliseconds. */
const every = 3_600_000;

/** Deletes old rows once an hour, and gives their room back. Nothing waits for it. */
export function startRetention(deps: {
  /** `purge` deletes some of the old rows; returns how many. */
  stores: readonly { purge(now: Date): Promise<number> }[];
  database: Pick<Database, 'shrink'>;
  clock: () => Date;
  log: Logger;
}): Disposable {
  let stopped = false;

  async function removeOld(): Promise<void> {
    try {
      for (const store of deps.stores) {
        while (!stopped && (await store.purge(deps.clock())) > 0);
      }
      if (!stopped) await deps.database.shrink('some');
    } catch (error) {
      deps.log.warn({ err: error }, 'retention: could not delete old rows');
    }
  }

  const timer = setInterval(() => void removeOld(), every).unref();
  return {
    [Symbol.dispose]: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}

/** Deletes all drafts of a Slack user at once; returns how many. */
export async function deleteDraftsOf(database: Database, userId: string): Promise<number> {
  const { numDeletedRows } = await database.single<BotTables, DeleteResult>(db =>
    db.deleteFrom('bot_draft').where('user_id', '=', userId).executeTakeFirstOrThrow(),
  );
  return Number(numDeletedRows);
}
