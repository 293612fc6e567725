import type { Kysely } from 'kysely';
import type { Incident } from '../../../contract/incidents.ts';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { type JournalTables, laneLock } from '../../journal/rows.ts';
import type { BotTables } from '../../schema/tables.ts';
import { versionOf } from '../state/room-store.ts';
import { isSameState, type OwnChange, StoredFields, toState, withOwnChange } from './own-change.ts';

/*
 * Remembers the state of each incident that its readers know. The transaction that stores one of Muster's own changes as done notes it here
 * too. Any other difference from the API's state was made elsewhere, however late and however often Muster hears of it.
 */

/** An incident that differs from what its readers know. */
export interface Difference {
  readonly before: StoredFields;
  readonly after: StoredFields;
}

/**
 * Opens the store of the state that readers know, which finds changes made elsewhere. `kinds` are the kinds of
 * intents that change the state of an incident.
 */
export function openKnownStates(deps: { readonly database: Database; readonly kinds: readonly string[] }) {
  const { database, kinds } = deps;

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
    /** How the state that the API shows differs from the one that readers know; undefined when it does not, `unknown` when they know none. */
    difference: async (incident: Incident): Promise<Difference | 'unknown' | undefined> => {
      const before = await readStored(database.as<BotTables>(), incident.incidentID);
      return before ? toDifference(incident, before) : 'unknown';
    },
    /**
     * Readers know the state that the API shows. `tell` adds the lines about what differs, in the same transaction. `version` is the card's,
     * from before the incident was read. `unsettled`: the API may already show a write of Muster's own that has yet to end.
     */
    learn: async (
      incident: Incident,
      version: number,
      tell: (trx: Kysely<NoTables>, difference: Difference) => Promise<void>,
    ) => {
      const { incidentID } = incident;
      return await database.withLock<NoTables, 'learned' | 'unsettled'>(laneLock([incidentID]), async plain => {
        const trx = plain.withTables<BotTables>();
        if (await isUnsettled(plain, incidentID)) return 'unsettled';
        // It was changed since it was read: another round follows.
        if ((await versionOf(plain, incidentID)) !== version) return 'learned';
        const before = await readStored(trx, incidentID);
        const difference = before && toDifference(incident, before);
        if (before && !difference) return 'learned';
        if (difference) await tell(plain, difference);
        await write(trx, incidentID, difference?.after ?? toState(incident));
        return 'learned';
      });
    },
  };
}

/** When the API names only some holders of roles, the roles stay as they were. */
function toDifference(incident: Incident, before: StoredFields): Difference | undefined {
  const { assignments, totalAssignments } = incident.incidentMembership;
  const state = toState(incident);
  const after = assignments.length < totalAssignments ? { ...state, roles: before.roles } : state;
  return isSameState(before, after) ? undefined : { before, after };
}

/**
 * Begins to compare an incident that has readers, or will have them. They first know the state that was `declared`, or else the one that
 * its card shows.
 */
export async function beginComparing(trx: Kysely<NoTables>, incidentID: string, declared?: Incident): Promise<void> {
  const state = declared ? JSON.stringify(toState(declared)) : '';
  await trx
    .withTables<BotTables>()
    .insertInto('bot_known_state')
    .values({ incident_id: incidentID, state })
    .onConflict(conflict => conflict.column('incident_id').doNothing())
    .execute();
}

/** Whether Muster knows an incident: it was declared through Muster, has a room, or was offered one. */
export async function isKnown(database: Database, incidentID: string): Promise<boolean> {
  return (await readState(database.as<BotTables>(), incidentID)) !== undefined;
}

/**
 * Notes a change of Muster's own. Called in the transaction that stores the intent as done. Returns what readers knew and know; undefined
 * when nobody knows what they knew.
 */
export async function noteOwnChange(
  trx: Kysely<NoTables>,
  incidentID: string,
  own: OwnChange,
): Promise<Difference | undefined> {
  const db = trx.withTables<BotTables>();
  const before = await readStored(db, incidentID);
  if (!before) return undefined;
  const after = withOwnChange(before, own);
  await write(db, incidentID, after);
  return { before, after };
}

/** The state that readers know; undefined when there is none, or another version of Muster stored another shape. */
export async function readStored(db: Kysely<BotTables>, incidentID: string): Promise<StoredFields | undefined> {
  const stored = (await readState(db, incidentID)) ?? '';
  return stored === '' ? undefined : StoredFields.safeParse(JSON.parse(stored)).data;
}

async function readState(db: Kysely<BotTables>, incidentID: string): Promise<string | undefined> {
  return (await findState(db, { incidentID }))[0]?.state;
}

const findState = definePrepared<BotTables, { incidentID: string }, { state: string }>((db, { incidentID }) =>
  db.selectFrom('bot_known_state').select('state').where('incident_id', '=', incidentID),
);

async function write(db: Kysely<BotTables>, incidentID: string, state: StoredFields): Promise<void> {
  const row = { state: JSON.stringify(state) };
  await db
    .insertInto('bot_known_state')
    .values({ incident_id: incidentID, ...row })
    .onConflict(conflict => conflict.column('incident_id').doUpdateSet(row))
    .execute();
}
