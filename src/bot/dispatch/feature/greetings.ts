import type { Database } from '../../../db/database.ts';
import type { BotTables } from '../../schema/tables.ts';

/** Remembers who was greeted. */
export type Greetings = ReturnType<typeof createGreetings>;

/** Opens the greetings in the bot's database. */
export function createGreetings(database: Database) {
  return {
    /** Whether the person writes to the bot for the first time. A second call says no. */
    isFirst: async ({ teamId, userId }: { readonly teamId: string; readonly userId: string }, now: Date) => {
      const greeted = await database.single<BotTables, object | undefined>(some =>
        some
          .insertInto('bot_greeting')
          .values({ team_id: teamId, user_id: userId, greeted_at: now.toISOString() })
          .onConflict(conflict => conflict.columns(['team_id', 'user_id']).doNothing())
          .returning('user_id')
          .executeTakeFirst(),
      );
      return greeted !== undefined;
    },
  };
}
