import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Incident } from '../../../contract/incidents.ts';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { JournalTables } from '../../journal/rows.ts';
import type { ToldTable } from '../../schema/sync.ts';
import type { BotTables } from '../../schema/tables.ts';
import {
  type Differences,
  differencesOf,
  isSameState,
  type OwnChange,
  StoredFields,
  toFacts,
  withOwnChange,
} from './own-change.ts';

/*
 * Remembers the state of each incident that its room knows. The transaction that stores one of Muster's own changes as done notes it here
 * too. Any other difference from the API's state was made elsewhere, however late and however often Muster hears of it.
 */

/** How long a line takes up further changes after it began, in milliseconds. */
const gathered = 60_000;

/** A line about changes made elsewhere, for the room. */
export interface ElsewhereLine {
  readonly id: string;
  readonly differences: Differences;
  /** When it was begun. */
  readonly since: Date;
  /** Slack's time of its message; `""` when it has none. */
  readonly ts: string;
  /** It may stand in Slack although its time is not known. */
  readonly mayStand: boolean;
}

/** Remembers the state that each room knows, and finds changes made elsewhere. */
export interface Told {
  /**
   * Compares the state that the API shows with the state that the room knows. Returns the line to post or edit, or undefined when they
   * are the same. `version` is the card's, from before the incident was read. `unsettled`: the API may already show a write of Muster's
   * own that has yet to end.
   */
  compare(incident: Incident, version: number): Promise<ElsewhereLine | 'unsettled' | undefined>;
  /** The line stands in Slack, or may not be posted there. */
  said(incidentID: string, line: ElsewhereLine, ts: string): Promise<void>;
}

/** The row of a room that knows no state yet. */
const nothing: Omit<ToldTable, 'incident_id'> = {
  facts: '',
  line_id: '',
  line_from: '',
  line_at: 0,
  line_ts: '',
  is_said: 1,
};

/** Opens the store. `kinds` are the kinds of intents that change the facts of an incident. */
export function openTold(deps: {
  readonly database: Database;
  readonly clock: () => Date;
  readonly kinds: readonly string[];
}): Told {
  const { database, clock, kinds } = deps;
  const db = database.as<BotTables>();

  async function isUnsettled(plain: Kysely<NoTables>, incidentID: string): Promise<boolean> {
    const row = await plain
      .withTables<JournalTables>()
      .selectFrom('bot_intent')
      .select('id')
      .where('subject', '=', incidentID)
      .where('kind', 'in', [...kinds])
      .where(({ or, and, eb }) =>
        or([eb('state', '=', 'running'), and([eb('state', '=', 'pending'), eb('ambiguous', '=', 1)])]),
      )
      .executeTakeFirst();
    return row !== undefined;
  }

  return {
    compare: async (incident, version) => {
      const { incidentID } = incident;
      const known = await find(db, incidentID);
      const before = known && parse(known.facts);
      const facts = toKnownFacts(incident, before);
      if (known && before && isSameState(before, facts)) return known.is_said === 1 ? undefined : toLine(known, before);
      return await database.withLock<NoTables, ElsewhereLine | 'unsettled' | undefined>('journal', async plain => {
        const trx = plain.withTables<BotTables>();
        if (await isUnsettled(plain, incidentID)) return 'unsettled';
        const room = trx.selectFrom('bot_room').select('version').where('incident_id', '=', incidentID);
        // It was changed since it was read: another round follows.
        if ((await room.executeTakeFirst())?.version !== version) return undefined;
        const row = (await find(trx, incidentID)) ?? { incident_id: incidentID, ...nothing };
        const told = parse(row.facts);
        const next = told ? withDifference(row, told, facts, clock()) : { ...row, facts: JSON.stringify(facts) };
        await write(trx, next);
        return next.is_said === 1 ? undefined : toLine(next, facts, next.line_id !== row.line_id);
      });
    },
    said: async (incidentID, { id }, ts) => {
      await database.withLock<BotTables, unknown>('journal', trx =>
        trx
          .updateTable('bot_told')
          .set({ is_said: 1, line_ts: ts })
          .where('incident_id', '=', incidentID)
          .where('line_id', '=', id)
          .execute(),
      );
    },
  };
}

/** The facts of an incident. When the API names only some holders of roles, the roles stay as they were. */
function toKnownFacts(incident: Incident, before: StoredFields | undefined): StoredFields {
  const { assignments, totalAssignments } = incident.incidentMembership;
  const facts = toFacts(incident);
  return before && assignments.length < totalAssignments ? { ...facts, roles: before.roles } : facts;
}

/** Adds a difference: within a minute to the same line, so that a burst becomes one line with the end state; else to a new one. */
function withDifference(row: ToldTable, told: StoredFields, facts: StoredFields, now: Date): ToldTable {
  const age = now.getTime() - row.line_at;
  const changed = { ...row, facts: JSON.stringify(facts), is_said: 0 };
  if (row.line_id !== '' && (row.is_said === 0 || (age >= 0 && age < gathered))) return changed;
  const line = { line_id: randomUUID(), line_from: JSON.stringify(told), line_at: now.getTime(), line_ts: '?' };
  return { ...changed, ...line };
}

/**
 * Begins to compare an incident that has a room, or will have one. The room first knows the state that was `declared`, or else the one that
 * its card shows.
 */
export async function beginTelling(trx: Kysely<NoTables>, incidentID: string, declared?: Incident): Promise<void> {
  const facts = declared ? JSON.stringify(toFacts(declared)) : '';
  await trx
    .withTables<BotTables>()
    .insertInto('bot_told')
    .values({ incident_id: incidentID, ...nothing, facts })
    .onConflict(conflict => conflict.column('incident_id').doNothing())
    .execute();
}

/** Whether Muster knows an incident: it was declared through Muster, has a room, or was offered one. */
export async function isKnown(database: Database, incidentID: string): Promise<boolean> {
  return (await find(database.as<BotTables>(), incidentID)) !== undefined;
}

/**
 * Notes a change of Muster's own. Called in the transaction that stores the intent as done. False when the room knows that state already;
 * true also when it is not known what the room knows.
 */
export async function noteOwnChange(trx: Kysely<NoTables>, incidentID: string, own: OwnChange): Promise<boolean> {
  const db = trx.withTables<BotTables>();
  const row = await find(db, incidentID);
  const facts = row && parse(row.facts);
  if (!row || !facts) return true;
  const from = row.is_said === 1 ? undefined : parse(row.line_from);
  const after = withOwnChange(facts, own);
  await write(db, {
    ...row,
    facts: JSON.stringify(after),
    ...(from ? { line_from: JSON.stringify(withOwnChange(from, own)) } : {}),
    // What comes later is said after this change.
    line_at: 0,
  });
  return !isSameState(facts, after);
}

function find(db: Kysely<BotTables>, incidentID: string): Promise<ToldTable | undefined> {
  return db.selectFrom('bot_told').selectAll().where('incident_id', '=', incidentID).executeTakeFirst();
}

async function write(db: Kysely<BotTables>, { incident_id, ...row }: ToldTable): Promise<void> {
  await db
    .insertInto('bot_told')
    .values({ incident_id, ...row })
    .onConflict(conflict => conflict.column('incident_id').doUpdateSet(row))
    .execute();
}

/** Stored facts; undefined when there are none, or another version of Muster stored another shape. */
function parse(stored: string): StoredFields | undefined {
  return stored === '' ? undefined : StoredFields.safeParse(JSON.parse(stored)).data;
}

function toLine(row: ToldTable, facts: StoredFields, isNew = false): ElsewhereLine {
  return {
    id: row.line_id,
    differences: differencesOf(parse(row.line_from) ?? facts, facts),
    since: new Date(row.line_at),
    ts: row.line_ts === '?' ? '' : row.line_ts,
    mayStand: !isNew && row.line_ts === '?',
  };
}
