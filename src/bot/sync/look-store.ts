import type { Database } from '../../db/database.ts';
import type { LookTable } from '../schema/sync.ts';
import type { BotTables } from '../schema/tables.ts';

/** The name of the one row. */
const name = 'incidents';

/** The result of a look. */
export type Brought = Pick<LookTable, 'version' | 'modified_time' | 'heard_before' | 'is_rare'>;

/** The row that all processes share to look for changes made elsewhere. */
export interface LookStore {
  /** The row, made at the first start. */
  read(): Promise<LookTable>;
  /**
   * Begins a look, unless another process has begun one since the row was read. Nothing has to end it, so a process that dies holds up no
   * other one.
   */
  begin(row: LookTable): Promise<boolean>;
  /** Stores the result of a look. */
  end(brought: Brought): Promise<void>;
  /** Webhooks came. */
  hear(): Promise<void>;
}

/** Opens the row in the bot's database. */
export function openLookStore(database: Database, clock: () => Date): LookStore {
  const db = database.as<BotTables>();
  const find = () => db.selectFrom('bot_look').selectAll().where('name', '=', name).executeTakeFirst();
  return {
    read: async () => {
      const known = await find();
      if (known) return known;
      const counts = { turns: 0, version: -1, heard: 0, heard_before: 0, is_rare: 0 };
      const row = { name, since: clock().toISOString(), modified_time: '', ...counts };
      await database.single<BotTables, unknown>(some =>
        some
          .insertInto('bot_look')
          .values(row)
          .onConflict(conflict => conflict.column('name').doNothing())
          .execute(),
      );
      return (await find()) ?? row;
    },
    begin: async ({ turns }) => {
      const { numUpdatedRows } = await database.single<BotTables, { numUpdatedRows: bigint }>(some =>
        some
          .updateTable('bot_look')
          .set({ turns: turns + 1 })
          .where('name', '=', name)
          .where('turns', '=', turns)
          .executeTakeFirst(),
      );
      return numUpdatedRows > 0n;
    },
    end: async brought => {
      await database.single<BotTables, unknown>(some =>
        some.updateTable('bot_look').set(brought).where('name', '=', name).execute(),
      );
    },
    hear: async () => {
      await database.single<BotTables, unknown>(some =>
        some
          .updateTable('bot_look')
          .set(({ eb }) => ({ heard: eb('heard', '+', 1) }))
          .where('name', '=', name)
          .execute(),
      );
    },
  };
}
