import { setTimeout as wait } from 'node:timers/promises';
import { query } from '../chaos/query.ts';

/** How many intents of a database have not ended. */
export async function countOpen(databaseUrl: string): Promise<number> {
  const [row] = await query(
    databaseUrl,
    "select count(*) as open from bot_intent where state in ('pending', 'running')",
  );
  return Number(row?.open);
}

/** Resolves when so many intents of a database are open: on a busy machine people are slow to ask. */
export async function untilOpen(databaseUrl: string, count: number): Promise<void> {
  while ((await countOpen(databaseUrl)) < count) await wait(100);
}
