import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { heldBack } from '../../../contract/errors.ts';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { decodeError } from '../../journal/entry.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { laneLock } from '../../journal/rows.ts';
import { userOf } from '../../people/person.ts';
import { type IntentTable, isPostponed, isUnfinished } from '../../schema/intents.ts';
import type { OutageTable } from '../../schema/outages.ts';
import type { BotTables } from '../../schema/tables.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { addLine, rewordLine } from './outbox.ts';

/*
 * An outage of the API is one line in each room where work waits for its end. The line counts the work, and says at last that it is over.
 * A change that goes on failing while the API answers holds up those behind it: the room reads that too, with the reason and who can end it.
 */

/** How long a change may fail while the API answers before its room reads of it, in milliseconds. */
const patience = 20_000;

/** Tells rooms of outages of the API. */
export interface Outages {
  /** The API did not answer. True when the incident's room has something to read: work waits there, or more of it than the line says. */
  goesOn(incidentID: string): Promise<boolean>;
  /** The API answered. True when the room has something new to read: a change fails all the same. */
  answers(incidentID: string): Promise<boolean>;
}

/** Opens the outages in the bot's database. `api` is the API's name. */
export function openOutages(database: Database, clock: () => Date, api: string): Outages {
  const db = database.as<BotTables>();
  // Lines are made under this lock.
  const locked = <T>(incidentID: string, work: (trx: Kysely<NoTables>) => Promise<T>) =>
    database.withLock<NoTables, T>(laneLock([incidentID]), work);
  const find = (some: Kysely<BotTables>, incidentID: string): Promise<OutageTable | undefined> =>
    some.selectFrom('bot_outage').selectAll().where('incident_id', '=', incidentID).executeTakeFirst();

  /** Since when the API has answered while work waited, by incident, in epoch milliseconds. */
  const answering = new Map<string, number>();

  return {
    goesOn: async incidentID => {
      answering.delete(incidentID);
      // Its card says so (board/unregistered-card.ts).
      if (isProvisional(incidentID)) return false;
      if (!(await find(db, incidentID)) && !(await isHeldUp(db, incidentID))) return false;
      return await locked(incidentID, async plain => {
        const trx = plain.withTables<BotTables>();
        const waiting = await findWaiting(trx, incidentID);
        const known = await find(trx, incidentID);
        const saved = waiting.length;
        if (saved === (known?.saved ?? 0)) return false;
        const since = known?.since ?? Date.parse(waiting[0] ?? '');
        await tell(
          plain,
          known,
          { incident_id: incidentID, line_id: '', since, saved },
          outageWords(api, since, saved),
        );
        return true;
      });
    },
    answers: async incidentID => {
      const { isKnown, isHeld } = await look(db, incidentID);
      const now = clock().getTime();
      const from = answering.get(incidentID) ?? now;
      if (isHeld) answering.set(incidentID, from);
      else answering.delete(incidentID);
      if (!isKnown && !(isHeld && now - from >= patience)) return false;
      return await locked(incidentID, async plain => {
        const trx = plain.withTables<BotTables>();
        const known = await find(trx, incidentID);
        const waiting = await findWaiting(trx, incidentID);
        const saved = waiting.length;
        if (known && saved === 0) {
          await rewordLine(plain, known.line_id, overWords(api, known, now));
          await trx.deleteFrom('bot_outage').where('incident_id', '=', incidentID).execute();
        }
        const stuck = saved > 0 && now - from >= patience ? await findStuck(trx, incidentID, from) : undefined;
        if (!stuck || (known && isStuck(known) && known.saved === saved)) return false;
        const since = Date.parse(stuck.created_at);
        const told = known && isStuck(known) ? known : undefined;
        if (known && !told) {
          await rewordLine(plain, known.line_id, overWords(api, known, now));
          await trx.deleteFrom('bot_outage').where('incident_id', '=', incidentID).execute();
        }
        const line = { incident_id: incidentID, line_id: stuckMark, since, saved };
        await tell(plain, told, line, stuckWords(api, stuck, saved));
        return told === undefined;
      });
    },
  };
}

/** How the id of a line begins that tells of a change which fails while the API answers. */
const stuckMark = 'stuck/';
const isStuck = ({ line_id }: OutageTable) => line_id.startsWith(stuckMark);

/** Stores the line of a room, or its new words. `line_id` of a new one is how its id begins. */
async function tell(plain: Kysely<NoTables>, known: OutageTable | undefined, line: OutageTable, words: string) {
  const trx = plain.withTables<BotTables>();
  const { incident_id: incidentID, since, saved } = line;
  if (known !== undefined) {
    await rewordLine(plain, known.line_id, words);
    await trx.updateTable('bot_outage').set({ saved }).where('incident_id', '=', incidentID).execute();
    return;
  }
  const id = `${line.line_id || 'outage/'}${randomUUID()}`;
  const at = new Date(since);
  await addLine(plain, { id, incidentID, actor: '', askedAt: at, doneAt: at, words, isAlone: true });
  await trx
    .insertInto('bot_outage')
    .values({ ...line, line_id: id })
    .execute();
}

/** Whether the room was told of something that waits, and whether work waits there since an attempt failed. */
async function look(db: Kysely<BotTables>, incidentID: string): Promise<{ isKnown: boolean; isHeld: boolean }> {
  const { known, held } = await db
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('bot_outage').select('since').where('incident_id', '=', incidentID)).as('known'),
      exists(
        selectFrom('bot_intent')
          .select('id')
          .where('subject', '=', incidentID)
          .where(isUnfinished)
          .where('attempts', '>', 0),
      ).as('held'),
    ])
    .executeTakeFirstOrThrow();
  return { isKnown: Boolean(known), isHeld: Boolean(held) };
}

/** The change that holds up the others: it has failed itself, and since the API answers. */
async function findStuck(db: Kysely<BotTables>, incidentID: string, from: number) {
  const rows = await db
    .selectFrom('bot_intent')
    .select(['created_at', 'changed_at', 'owner', 'outcome'])
    .where('subject', '=', incidentID)
    .where(isPostponed)
    .orderBy('created_at')
    .execute();
  return rows.find(each => Date.parse(each.changed_at) >= from && decodeError(each.outcome).reason !== heldBack);
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

function outageWords(api: string, since: number, saved: number): string {
  const changes = saved === 0 ? 'What you do here is' : saved === 1 ? '1 change is' : `${saved} changes are`;
  return `${incidentSigns.waiting} ${api} has not answered since ${when(new Date(since).toISOString())}. ${changes} saved, and made as soon as it does.`;
}

function stuckWords(api: string, stuck: Pick<IntentTable, 'created_at' | 'owner' | 'outcome'>, saved: number): string {
  const who = userOf(stuck.owner);
  const by = who === '' ? '' : ` by ${mention(who)}`;
  const behind = saved <= 1 ? '' : ` ${saved - 1} more ${saved === 2 ? 'waits' : 'wait'} behind it.`;
  const end =
    who === ''
      ? 'Your Muster administrator can end it: `muster journal discard`.'
      : `${mention(who)} can end it with *Discard* on its receipt.`;
  return `${incidentSigns.waiting} ${api} answers, but a change${by} has failed since ${when(stuck.created_at)}: “${toMrkdwn(decodeError(stuck.outcome).message, 200)}”. It is tried again and again.${behind} ${end}`;
}

function overWords(api: string, outage: OutageTable, now: number): string {
  if (isStuck(outage)) return `${signs.done} Nothing waits here any more.`;
  const away = formatDuration((now - outage.since) / 1000);
  return `${signs.done} ${api} answers again after ${away}, and what was saved is done.`;
}
