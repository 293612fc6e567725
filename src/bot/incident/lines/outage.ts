import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { laneLock } from '../../journal/rows.ts';
import { isPostponed, isUnfinished } from '../../schema/intents.ts';
import type { OutageTable } from '../../schema/outages.ts';
import type { BotTables } from '../../schema/tables.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { addLine, rewordLine } from './outbox.ts';

/*
 * An outage of the API is one line in each room where work waits for its end. The line counts the work, and says at last that it is over.
 */

/** Tells rooms of outages of the API. */
export interface Outages {
  /** The API did not answer. True when the incident's room has something to read: work waits there, or more of it than the line says. */
  goesOn(incidentID: string): Promise<boolean>;
  /** The API answered. The room has to read that when nothing waits there any more. */
  isOver(incidentID: string): Promise<void>;
}

/** Opens the outages in the bot's database. `api` is the API's name. */
export function openOutages(database: Database, clock: () => Date, api: string): Outages {
  const db = database.as<BotTables>();
  // Lines are made under this lock.
  const locked = <T>(incidentID: string, work: (trx: Kysely<NoTables>) => Promise<T>) =>
    database.withLock<NoTables, T>(laneLock([incidentID]), work);
  const find = (some: Kysely<BotTables>, incidentID: string): Promise<OutageTable | undefined> =>
    some.selectFrom('bot_outage').selectAll().where('incident_id', '=', incidentID).executeTakeFirst();

  return {
    goesOn: async incidentID => {
      // Its card says so (board/unregistered-card.ts).
      if (isProvisional(incidentID)) return false;
      if (!(await find(db, incidentID)) && !(await isHeldUp(db, incidentID))) return false;
      return await locked(incidentID, async plain => {
        const trx = plain.withTables<BotTables>();
        const waiting = await findWaiting(trx, incidentID);
        const known = await find(trx, incidentID);
        const saved = waiting.length;
        if (saved === (known?.saved ?? 0)) return false;
        const begins = { line_id: `outage/${randomUUID()}`, since: Date.parse(waiting[0] ?? '') };
        const { line_id: id, since } = known ?? begins;
        const words = outageWords(api, new Date(since), saved);
        if (known === undefined) {
          const at = new Date(since);
          await addLine(plain, { id, incidentID, actor: '', askedAt: at, doneAt: at, words, isAlone: true });
          await trx.insertInto('bot_outage').values({ incident_id: incidentID, line_id: id, since, saved }).execute();
        } else {
          await rewordLine(plain, id, words);
          await trx.updateTable('bot_outage').set({ saved }).where('incident_id', '=', incidentID).execute();
        }
        return true;
      });
    },
    isOver: async incidentID => {
      if (!(await find(db, incidentID))) return;
      await locked(incidentID, async plain => {
        const trx = plain.withTables<BotTables>();
        const known = await find(trx, incidentID);
        if (!known || (await findWaiting(trx, incidentID)).length > 0) return;
        await rewordLine(plain, known.line_id, overWords(api, new Date(known.since), clock()));
        await trx.deleteFrom('bot_outage').where('incident_id', '=', incidentID).execute();
      });
    },
  };
}

/** Whether the API held up work on the incident: an attempt failed, and is repeated later. */
async function isHeldUp(db: Kysely<BotTables>, incidentID: string): Promise<boolean> {
  const postponed = db.selectFrom('bot_intent').select('id').where('subject', '=', incidentID).where(isPostponed);
  return (await postponed.limit(1).executeTakeFirst()) !== undefined;
}

/** When people asked for the work that waits, oldest first. They hear of its end, and not of what follows from it. */
async function findWaiting(db: Kysely<BotTables>, incidentID: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('bot_intent')
    .select('created_at')
    .where('subject', '=', incidentID)
    .where(isUnfinished)
    .where('tell', 'in', ['caller', 'message'])
    .orderBy('created_at')
    .execute();
  return rows.map(row => row.created_at);
}

function outageWords(api: string, since: Date, saved: number): string {
  const changes = saved === 0 ? 'What you do here is' : saved === 1 ? '1 change is' : `${saved} changes are`;
  return `${incidentSigns.waiting} ${api} has not answered since ${when(since.toISOString())}. ${changes} saved, and made as soon as it does.`;
}

function overWords(api: string, since: Date, now: Date): string {
  const away = formatDuration((now.getTime() - since.getTime()) / 1000);
  return `${signs.done} ${api} answers again after ${away}, and what was saved is done.`;
}
