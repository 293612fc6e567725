import { setTimeout as wait } from 'node:timers/promises';
import { query } from './query.ts';

/** How long it may take until nothing is unfinished, where nobody says more, in milliseconds. */
const patience = 900_000;

/**
 * Waits until nothing in the bots' database is unfinished. Yields how much is unfinished at `due` on the clock of `performance`, how
 * much still is when that takes too long, and when the last intent ended.
 */
export async function settle(databaseUrl: string, due: number, longest = patience) {
  const until = performance.now() + longest;
  let late: number | undefined;
  let drained = performance.now();
  for (;;) {
    const [row] = await query(
      databaseUrl,
      `select (select count(*) from bot_intent where state in ('pending', 'running')) as intents,
              (select count(*) from bot_intent where state in ('done', 'failed') and tell <> 'nobody')
            + (select count(*) from bot_delivery where state = 'open') as others`,
    );
    const intents = Number(row?.intents);
    if (intents > 0) drained = performance.now();
    const unfinished = intents + Number(row?.others);
    if (performance.now() >= due) late ??= unfinished;
    if (unfinished === 0 || performance.now() > until) return { late: late ?? 0, unfinished, drained };
    await wait(250);
  }
}
