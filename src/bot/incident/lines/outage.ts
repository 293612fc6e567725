import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { decodeError, laneLock, requestOf } from '../../journal/rows.ts';
import { userOf } from '../../people/person.ts';
import { type IntentTable, isUnfinished } from '../../schema/intents.ts';
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
/** How the id of a line begins that tells of a change which fails while the API answers. */
const stuckMark = 'stuck/';

/** Tells rooms of outages of the API, in lines of the bot's database. */
export class Outages {
  readonly #deps: OutageDeps;
  /** Since when the API has answered while a change failed, by incident, in epoch milliseconds. */
  readonly #answering = new Map<string, number>();

  constructor(deps: OutageDeps) {
    this.#deps = deps;
  }

  /** The API did not answer. True when the incident's room has something to read: work waits there, or more of it than the line says. */
  async goesOn(incidentID: string): Promise<boolean> {
    this.#answering.delete(incidentID);
    // Its card says so (board/unregistered-card.ts).
    if (isProvisional(incidentID)) return false;
    const { isKnown, isHeld } = await this.#find(incidentID);
    if (!isKnown && !isHeld) return false;
    return await this.#locked(incidentID, async plain => {
      const { saved, rows } = await findWaiting(plain, incidentID);
      const known = await readOutage(plain, incidentID);
      if (saved === (known?.saved ?? 0)) return false;
      const since = known?.since ?? Date.parse(rows[0]?.created_at ?? '');
      const words = outageWords(this.#deps.api, since, saved);
      await store(plain, known, { incidentID, mark: 'outage/', since, saved, words });
      return true;
    });
  }

  /**
   * The API answered. The words that are new to the room, which reads them where it has a channel: a change fails all the same. `""` for none.
   */
  async answers(incidentID: string): Promise<string> {
    const { api, clock, database } = this.#deps;
    const { isKnown, isHeld: isBegun } = await this.#find(incidentID);
    const now = clock().getTime();
    const waiting = isBegun ? await findWaiting(database.as<NoTables>(), incidentID) : undefined;
    const isHeld = waiting?.rows.some(each => this.#fails(each, now)) ?? false;
    const from = this.#answering.get(incidentID) ?? now;
    if (isHeld) this.#answering.set(incidentID, from);
    else this.#answering.delete(incidentID);
    const isPatient = !isHeld || now - from < patience;
    if (!isKnown && isPatient) return '';
    return await this.#locked(incidentID, async plain => {
      const { saved, rows } = await findWaiting(plain, incidentID);
      const before = await readOutage(plain, incidentID);
      // A change that was put off counts where it has failed since then.
      const hasFailed = (row: IntentTable) => row.next_at > 0 && Date.parse(row.changed_at) >= from;
      const stuck = saved === 0 || isPatient ? undefined : rows.find(each => this.#fails(each, now) && hasFailed(each));
      const known = stuck && before && !isStuck(before) ? undefined : before;
      if (before && (saved === 0 || !known)) {
        await rewordLine(plain, before.line_id, overWords(api, before, now));
        const outages = plain.withTables<BotTables>().deleteFrom('bot_outage');
        await outages.where('incident_id', '=', incidentID).execute();
      }
      if (!stuck || known?.saved === saved) return '';
      const since = Date.parse(stuck.created_at);
      const words = stuckWords(api, stuck, saved);
      await store(plain, known, { incidentID, mark: stuckMark, since, saved, words });
      return words;
    });
  }

  /** Whether a change fails, and does not merely wait until a request whose answer was lost can take effect no more. */
  #fails(row: IntentTable, now: number): boolean {
    if (row.attempts === 0) return false;
    const sentAt = row.ambiguous === 1 ? requestOf(row).sentAt : 0;
    // A clock that was set back does not silence it.
    return now < sentAt || now >= sentAt + this.#deps.landing;
  }

  // Lines are made under this lock.
  #locked<T>(incidentID: string, work: (trx: Kysely<NoTables>) => Promise<T>): Promise<T> {
    return this.#deps.database.withLock<NoTables, T>(laneLock([incidentID]), work);
  }

  /** Whether the room was told of work that waits, and whether work waits there since an attempt failed. */
  async #find(incidentID: string): Promise<{ isKnown: boolean; isHeld: boolean }> {
    const [found] = await findOutage(this.#deps.database.as<BotTables>(), { incidentID });
    return { isKnown: Boolean(found?.known), isHeld: Boolean(found?.held) };
  }
}

interface OutageDeps {
  readonly database: Database;
  readonly clock: () => Date;
  /** The API's name. */
  readonly api: string;
  /** How long a request whose answer was lost may still take effect, in milliseconds. */
  readonly landing: number;
}

function isStuck({ line_id }: BotTables['bot_outage']): boolean {
  return line_id.startsWith(stuckMark);
}

/** The line of a room. `mark`: how the id of a new line begins; `since`: in epoch milliseconds. */
interface OutageLine {
  readonly incidentID: string;
  readonly mark: string;
  readonly since: number;
  readonly saved: number;
  readonly words: string;
}

/** Stores the line of a room, or the new words of the one that is known. */
async function store(
  plain: Kysely<NoTables>,
  known: BotTables['bot_outage'] | undefined,
  { incidentID, mark, since, saved, words }: OutageLine,
): Promise<void> {
  const trx = plain.withTables<BotTables>();
  if (known !== undefined) {
    await rewordLine(plain, known.line_id, words);
    await trx.updateTable('bot_outage').set({ saved }).where('incident_id', '=', incidentID).execute();
    return;
  }
  const id = `${mark}${randomUUID()}`;
  const at = new Date(since);
  await addLine(plain, { id, incidentID, actor: '', askedAt: at, doneAt: at, words, isOwnMessage: true });
  await trx.insertInto('bot_outage').values({ incident_id: incidentID, line_id: id, since, saved }).execute();
}

function readOutage(plain: Kysely<NoTables>, incidentID: string): Promise<BotTables['bot_outage'] | undefined> {
  const outages = plain.withTables<BotTables>().selectFrom('bot_outage').selectAll();
  return outages.where('incident_id', '=', incidentID).executeTakeFirst();
}

const findOutage = definePrepared<BotTables, { incidentID: string }, { known: unknown; held: unknown }>(
  (db, { incidentID }) => {
    const told = db.selectFrom('bot_outage').select('since').where('incident_id', '=', incidentID);
    const work = db.selectFrom('bot_intent').select('id').where('subject', '=', incidentID).where(isUnfinished);
    const failed = work.where('attempts', '>', sql.lit(0));
    return db.selectNoFrom(({ exists }) => [exists(told).as('known'), exists(failed).as('held')]);
  },
);

/** The work that waits, oldest first, and how much of it people asked for: they hear of its end, and not of what follows from it. */
async function findWaiting(plain: Kysely<NoTables>, incidentID: string) {
  const all = plain.withTables<BotTables>().selectFrom('bot_intent').selectAll().where('subject', '=', incidentID);
  const unfinished = await all.where(isUnfinished).orderBy('created_at').execute();
  const asked = unfinished.filter(({ tell }) => tell === 'caller' || tell === 'message');
  return { saved: asked.length, rows: unfinished };
}

function outageWords(api: string, since: number, saved: number): string {
  const changes = saved === 0 ? 'What you do here is' : saved === 1 ? '1 change is' : `${saved} changes are`;
  return `${incidentSigns.waiting} ${api} has not answered since ${when(new Date(since).toISOString())}. ${changes} saved, and made as soon as it does.`;
}

function stuckWords(api: string, stuck: IntentTable, saved: number): string {
  const who = userOf(stuck.owner);
  const by = who === '' ? '' : ` by ${mention(who)}`;
  const behind = saved <= 1 ? '' : ` ${saved - 1} more ${saved === 2 ? 'waits' : 'wait'} behind it.`;
  const end =
    who === ''
      ? 'Your Muster administrator can end it: `muster journal discard`.'
      : `${mention(who)} can end it with *Discard* on its receipt.`;
  return `${incidentSigns.waiting} ${api} answers, but a change${by} has failed since ${when(stuck.created_at)}: “${toMrkdwn(decodeError(stuck.outcome).message, 200)}”. It is tried again and again.${behind} ${end}`;
}

function overWords(api: string, outage: BotTables['bot_outage'], now: number): string {
  if (isStuck(outage)) return `${signs.done} Nothing waits here any more.`;
  const away = formatDuration((now - outage.since) / 1000);
  return `${signs.done} ${api} answers again after ${away}, and what was saved is done.`;
}
