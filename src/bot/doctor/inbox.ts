import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { isOpen } from '../schema/deliveries.ts';
import type { BotTables } from '../schema/tables.ts';
import { type Finding, failing, ok } from './finding.ts';

/** A delivery that is not done after so long tells that something is wrong, in milliseconds. The rule MusterInboxStuck says the same. */
const longest = 60_000;

/**
 * Counts the deliveries that are stored and not done: all (`waiting`), with the time of the oldest (RFC 3339; absent where there is none), and
 * those that no process has (`waiting` among the `states`) or one has (`running`, also one that died, until another takes them; `since` may be
 * `""`). `isStuck`: the oldest has waited for so long that an operator should look.
 */
export async function countDeliveries(database: Database, now: Date) {
  const rows = await database
    .as<BotTables>()
    .selectFrom('bot_delivery')
    .select(sql<string>`case when lease_owner = '' then 'waiting' else 'running' end`.as('state'))
    .select(({ fn }) => [fn.countAll().as('count'), fn.min('received_at').as('since')])
    .where(isOpen)
    .groupBy(sql`1`)
    .execute();
  const states = ['waiting', 'running'].map(state => {
    const { count = 0, since } = rows.find(each => each.state === state) ?? {};
    return { state, count: Number(count), since: since === undefined ? '' : new Date(Number(since)).toISOString() };
  });
  const waiting = states.reduce((sum, each) => sum + each.count, 0);
  const since = states.flatMap(each => each.since || []).toSorted()[0];
  const isStuck = since !== undefined && now.getTime() - Date.parse(since) > longest;
  return { waiting, ...(since === undefined ? {} : { since }), states, isStuck };
}

/** What people did in Slack, was acknowledged and is not done yet. */
export async function checkInbox(database: Database, now: Date): Promise<Finding> {
  const { waiting, since, isStuck } = await countDeliveries(database, now);
  if (since === undefined) return ok('inbox', 'Nothing waits.');
  const seconds = Math.floor((now.getTime() - Date.parse(since)) / 1000);
  const found = `${waiting} wait${waiting === 1 ? 's' : ''}, the oldest for ${seconds} s.`;
  if (!isStuck) return ok('inbox', found);
  const fix = 'See whether Muster runs and Slack takes messages: docs/operating.md, MusterInboxStuck.';
  return failing('inbox', found, 'what people typed and pressed: it is stored, and done late', fix);
}
