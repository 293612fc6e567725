import type { Database } from '../../db/database.ts';
import type { BotTables } from '../schema/tables.ts';

/** The name of the one row. */
const name = 'incidents';

/** The row that all processes share to poll for changes made elsewhere. */
export type PollStore = ReturnType<typeof openPollStore>;

/** Opens the row in the bot's database. */
export function openPollStore(database: Database, clock: () => Date) {
  const db = database.as<BotTables>();
  const find = () => db.selectFrom('bot_poll').selectAll().where('name', '=', name).executeTakeFirst();
  return {
    /** The row, made at the first start. */
    read: async () => {
      const known = await find();
      if (known) return known;
      const counts = { turns: 0, version: -1, heard: 0, heard_before: 0, is_rare: 0 };
      const row = { name, since: clock().toISOString(), modified_time: '', ...counts };
      await database.single<BotTables, unknown>(some =>
        some
          .insertInto('bot_poll')
          .values(row)
          .onConflict(conflict => conflict.column('name').doNothing())
          .execute(),
      );
      return (await find()) ?? row;
    },
    /**
     * Begins a poll, unless another process has begun one since the row was read. Nothing has to end it, so a process that dies holds up no
     * other one.
     */
    begin: async ({ turns }: BotTables['bot_poll']) => {
      const { numUpdatedRows } = await database.single<BotTables, { numUpdatedRows: bigint }>(some =>
        some
          .updateTable('bot_poll')
          .set({ turns: turns + 1 })
          .where('name', '=', name)
          .where('turns', '=', turns)
          .executeTakeFirst(),
      );
      return numUpdatedRows > 0n;
    },
    /** Stores the result of a poll. */
    end: async (brought: Pick<BotTables['bot_poll'], 'version' | 'modified_time' | 'heard_before' | 'is_rare'>) => {
      await database.single<BotTables, unknown>(some =>
        some.updateTable('bot_poll').set(brought).where('name', '=', name).execute(),
      );
    },
    /** Webhooks came. */
    hear: async () => {
      await database.single<BotTables, unknown>(some =>
        some
          .updateTable('bot_poll')
          .set(({ eb }) => ({ heard: eb('heard', '+', 1) }))
          .where('name', '=', name)
          .execute(),
      );
    },
  };
}
