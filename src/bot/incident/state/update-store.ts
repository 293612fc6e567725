import { type Kysely, sql } from 'kysely';
import type { Incident } from '../../../contract/incidents.ts';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { Known } from '../../../db/known.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { laneLock } from '../../journal/rows.ts';
import type { BotTables } from '../../schema/tables.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toSlackAge } from '../../text/shown-times.ts';
import { incidentSigns } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import { toLines } from '../../text/words.ts';
import { countChange } from './room-store.ts';

/*
 * The lead of an incident, its first words: its summary until the first update, the last update after that, and the words about its end.
 * Each is a note on the timeline. It is remembered here in the transaction that stores its intent as done, so that the card needs no search.
 */

/** An update as card, status and announcement show it. */
export interface Update {
  readonly activityItemID: string;
  /** As typed, to be escaped. */
  readonly text: string;
  /** The person who gave it, as mrkdwn. */
  readonly by: string;
  readonly at: Date;
  /** When the next one is due; undefined when none was promised. */
  readonly nextAt: Date | undefined;
  /** The next one is due, and was not given. */
  readonly isOverdue: boolean;
}

/** The first words about an incident. */
export interface Lead {
  readonly kind: 'update' | 'summary' | 'outcome';
  /** As typed, to be escaped. */
  readonly text: string;
  /** The person, as mrkdwn; `""` when that is not known. */
  readonly by: string;
  /** Undefined when that is not known. */
  readonly at: Date | undefined;
}

/** The last words of each kind, and the lead among them. */
export interface Latest {
  readonly lead: Lead | undefined;
  readonly summary: Lead | undefined;
  readonly update: Update | undefined;
}

/** The effect of a write on the updates, the summary and the outcome of an incident. */
export type UpdateChange =
  | {
      readonly kind: 'given';
      readonly as: Lead['kind'];
      /** The summary that the API itself had then; absent for none. */
      readonly apiSummary?: string;
      readonly activityItemID: string;
      readonly text: string;
      readonly at: Date;
      readonly nextAt: Date | undefined;
      /** The severity that it set; absent when it set none. */
      readonly severity?: string;
    }
  | { readonly kind: 'removed'; readonly activityItemID: string }
  | { readonly kind: 'reworded'; readonly activityItemID: string; readonly text: string };

/** A note on the timeline that may be the lead of its incident. */
export interface TimelineNote {
  readonly activityItemID: string;
  readonly kind: Lead['kind'];
  /** As typed, to be escaped. */
  readonly text: string;
  /** The author, as mrkdwn; `""` when that is not known. */
  readonly by: string;
  readonly at: Date;
}

interface TimelineReading {
  /** The notes that were remembered before it was read. */
  readonly known: readonly TimelineNote[];
  /** `isNow` is false for an outcome of an earlier end. */
  readonly found: readonly (TimelineNote & { readonly isNow: boolean })[];
  /** The time from which on it was read; undefined for all of it. */
  readonly since: Date | undefined;
}

type TellNote = (trx: Kysely<NoTables>, note: TimelineNote) => Promise<void>;

/** Due updates that are marked together. */
const markedTogether = 100;

/** Reads the updates of incidents, and learns those that Muster did not write. */
export type Updates = ReturnType<typeof openUpdates>;

const readUpdates = definePrepared<BotTables, { incidentID: string }, BotTables['bot_update']>((db, { incidentID }) =>
  db.selectFrom('bot_update').selectAll().where('incident_id', '=', incidentID),
);

const findDue = definePrepared<BotTables, { now: number }, { activity_item_id: string; incident_id: string }>(
  (db, { now }) =>
    db
      .selectFrom('bot_update')
      .select(['activity_item_id', 'incident_id'])
      .where('is_overdue', '=', sql.lit(0))
      .where('next_at', '>', sql.lit(0))
      .where('next_at', '<=', now)
      .limit(sql.lit(markedTogether)),
);

/** Opens the updates in the bot's database. With `known`, those of an incident are read once. */
export function openUpdates(database: Database, known?: Known) {
  const db = database.as<BotTables>();
  const read = (incidentID: string) => readUpdates(db, { incidentID });
  /** All that is remembered of an incident, newest first. */
  const rowsOf = async (incidentID: string) => {
    const rows = await (known
      ? known.once(`updates ${incidentID}`, ['bot_update'], () => read(incidentID))
      : read(incidentID));
    const name = (each: BotTables['bot_update']) => each.activity_item_id;
    return rows.toSorted((one, other) => other.given_at - one.given_at || (name(one) < name(other) ? 1 : -1));
  };
  return {
    /** The notes on its timeline that are remembered of an incident. */
    notes: async (incidentID: string) =>
      (await rowsOf(incidentID))
        .filter(row => !row.activity_item_id.includes('/'))
        .map((row): TimelineNote => {
          const { activity_item_id: activityItemID, text, given_by: by } = row;
          return { activityItemID, kind: row.kind as Lead['kind'], text, by, at: new Date(row.given_at) };
        }),
    /**
     * Remembers the notes that others wrote, reworded and removed. Muster's own changes since `known` was read stay. `tell` is called
     * with each note that was not known, in the transaction that stores it.
     */
    learn: (incident: Pick<Incident, 'incidentID' | 'summary'>, seen: TimelineReading, tell: TellNote) =>
      learn(database, incident, seen, tell),
    /** The last words about an incident. */
    latest: async ({ incidentID, status, summary: shown }: Pick<Incident, 'incidentID' | 'status' | 'summary'>) => {
      const rows = await rowsOf(incidentID);
      const [update, own] = [rows.find(each => each.kind === 'update'), rows.find(each => each.kind === 'summary')];
      const outcome = status === 'resolved' ? rows.find(each => each.kind === 'outcome') : undefined;
      // The API's own summary is newer when it was another one at the time.
      const isNewer = shown !== '' && shown !== own?.api_summary;
      const foreign: Lead = { kind: 'summary', text: shown, by: '', at: undefined };
      const summary = isNewer ? foreign : own && toLead(own, 'summary');
      const last = (outcome && toLead(outcome, 'outcome')) ?? (update && toLead(update, 'update'));
      const nextAt = update && update.next_at > 0 ? new Date(update.next_at) : undefined;
      const latest: Update | undefined = update && {
        ...{ activityItemID: update.activity_item_id, text: update.text, by: update.given_by },
        ...{ at: new Date(update.given_at), nextAt, isOverdue: update.is_overdue === 1 },
      };
      return { lead: last ?? summary, summary, update: latest };
    },
    /** Marks the promised updates that are due and were not given; each changes the card of its incident. */
    markOverdue: async (now: Date) => {
      const rows = await findDue(db, { now: now.getTime() });
      if (rows.length === 0) return;
      const ids = rows.map(row => row.activity_item_id);
      const incidentIDs = [...new Set(rows.map(row => row.incident_id))];
      await database.withLock<NoTables, void>(laneLock(incidentIDs), async plain => {
        const trx = plain.withTables<BotTables>();
        await trx.updateTable('bot_update').set({ is_overdue: 1 }).where('activity_item_id', 'in', ids).execute();
        for (const incidentID of incidentIDs) await countChange(plain, incidentID);
      });
    },
  };
}

async function learn(
  database: Database,
  { incidentID, summary }: Pick<Incident, 'incidentID' | 'summary'>,
  { known, found, since }: TimelineReading,
  tell: TellNote,
): Promise<void> {
  const before = new Map(known.map(each => [each.activityItemID, each]));
  const isFound = new Set(found.map(each => each.activityItemID));
  const given = found.filter(each => each.isNow && !before.has(each.activityItemID));
  const reworded = found.flatMap(now => {
    const was = before.get(now.activityItemID);
    return was && (was.text !== now.text || was.at.getTime() !== now.at.getTime()) ? [{ was, now }] : [];
  });
  const removed = known.filter(each => !isFound.has(each.activityItemID) && (!since || each.at > since));
  if (given.length + reworded.length + removed.length === 0) return;
  await database.withLock<NoTables, void>(laneLock([incidentID]), async plain => {
    const trx = plain.withTables<BotTables>();
    for (const each of given) {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('bot_update')
        .values({ ...toRow(incidentID, each), api_summary: summary })
        .onConflict(conflict => conflict.column('activity_item_id').doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows) await tell(plain, each);
    }
    for (const { was, now } of reworded)
      await trx
        .updateTable('bot_update')
        .set({ text: now.text, given_at: now.at.getTime() })
        .where('activity_item_id', '=', was.activityItemID)
        .where('text', '=', was.text)
        .where('given_at', '=', was.at.getTime())
        .execute();
    const gone = removed.map(each => each.activityItemID);
    if (gone.length > 0) await trx.deleteFrom('bot_update').where('activity_item_id', 'in', gone).execute();
  });
}

function toRow(incidentID: string, { activityItemID, kind, text, by, at }: TimelineNote): BotTables['bot_update'] {
  const row = { activity_item_id: activityItemID, incident_id: incidentID, text, given_by: by, given_at: at.getTime() };
  return { ...row, next_at: 0, is_overdue: 0, kind, api_summary: '' };
}

function toLead({ text, given_by: by, given_at }: BotTables['bot_update'], kind: Lead['kind']): Lead {
  return { kind, text, by, at: new Date(given_at) };
}

/** The id of the summary that came with a declaration, until its note is written. */
export function declaredSummary(incidentID: string): string {
  return `declared/${incidentID}`;
}

/** Forgets the outcome of an earlier end. Called in the transaction that stores the change. */
export async function forgetOutcome(plain: Kysely<NoTables>, incidentID: string): Promise<void> {
  const trx = plain.withTables<BotTables>();
  await trx.deleteFrom('bot_update').where('incident_id', '=', incidentID).where('kind', '=', 'outcome').execute();
}

/** Records the effect of a write on the updates. Called in the transaction that stores it as done. */
export async function recordUpdate(
  plain: Kysely<NoTables>,
  incidentID: string,
  by: string,
  change: UpdateChange,
): Promise<void> {
  const trx = plain.withTables<BotTables>();
  const { activityItemID } = change;
  if (change.kind === 'removed') {
    await trx.deleteFrom('bot_update').where('activity_item_id', '=', activityItemID).execute();
    return;
  }
  if (change.kind === 'reworded') {
    const { text } = change;
    await trx.updateTable('bot_update').set({ text }).where('activity_item_id', '=', activityItemID).execute();
    return;
  }
  if (change.as === 'summary') {
    const declared = declaredSummary(incidentID);
    await trx.deleteFrom('bot_update').where('activity_item_id', '=', declared).execute();
  }
  const { as: kind, text, at, nextAt, apiSummary = '' } = change;
  const row = toRow(incidentID, { activityItemID, kind, text, by, at });
  const known = {
    text,
    given_by: by,
    given_at: row.given_at,
    next_at: nextAt?.getTime() ?? 0,
    api_summary: apiSummary,
  };
  await trx
    .insertInto('bot_update')
    .values({ ...row, ...known })
    // Its note may have been seen on the timeline before.
    .onConflict(conflict => conflict.column('activity_item_id').doUpdateSet(known))
    .execute();
}

/** Most characters of the lead on a card. */
const maxShown = 700;

/** The lead of an incident (mrkdwn). An update says its age and its author; `""` for none. */
export function leadLine(lead: Lead | undefined): string {
  if (!lead) return '';
  const { kind, text, by, at } = lead;
  const words = toMrkdwn(toLines(text), maxShown);
  return kind === 'update' && at
    ? `${incidentSigns.update} *Latest update* ${toSlackAge(at)}${by === '' ? '' : `, by ${by}`}: ${words}`
    : words;
}

/** When the next update is due, or was; `""` when none was promised. */
export function nextLine({ nextAt, isOverdue }: Pick<Update, 'nextAt' | 'isOverdue'>): string {
  if (!nextAt) return '';
  const when = toSlackDate(nextAt, 'time');
  return `${isOverdue ? 'was ' : ''}due at ${when}`;
}
