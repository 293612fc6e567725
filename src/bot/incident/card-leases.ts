import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { createLeaseWatch } from '../../db/leases.ts';
import type { Migration } from '../../db/migrate.ts';
import { provisional } from '../journal/lanes.ts';
import type { MemoryTables } from '../schema/tables.ts';

/** How long a turn lasts whose holder shows no sign of life, in milliseconds. */
export const turnTime = 20_000;
/** Cards looked at together. */
const mostCards = 200;

/**
 * Whose turn it is to bring a card up to date. One process at a time reads an incident and shows it: what another one read
 * before would cover it otherwise, whenever Slack takes that at last.
 */
export interface CardTurns {
  /** Takes the turn of an incident's card; yields how often the incident was changed. Undefined while another one has it. */
  take(incidentID: string): Promise<number | undefined>;
  /** The card shows the incident as it was after that many changes. False when it is to be shown again. */
  shown(incidentID: string, changes: number): Promise<boolean>;
  /** Ends the turn; the card does not show everything. */
  leave(incidentID: string): Promise<void>;
  /** Shows others that this process is alive. */
  hold(): Promise<void>;
  /** Incidents whose card shows less than was changed, and whose turn may be taken. */
  outdated(): Promise<readonly string[]>;
}

/** The turns kept in the bot's database, as the process of that name sees them. `steady`: milliseconds of a clock that never steps. */
export function createCardTurns(deps: { database: Database; owner: string; steady?: () => number }): CardTurns {
  const { database, owner } = deps;
  const db = database.as<MemoryTables>();
  const watch = createLeaseWatch(turnTime, deps.steady);
  /** Turns whose holders have died, by incident. */
  let left = new Map<string, { readonly owner: string; readonly mark: number }>();
  /** Taken and not ended, as far as this process knows. */
  const mine = new Set<string>();

  const withLock = <T>(incidentID: string, work: (trx: typeof db) => Promise<T>) =>
    database.withLock<MemoryTables, T>(`card ${incidentID}`, work);

  /** What another one has shown since this process lost its turn may be covered: it is to be shown once more. */
  async function countIfLost(trx: typeof db, incidentID: string): Promise<void> {
    if (!mine.has(incidentID)) return;
    await trx
      .updateTable('bot_room')
      .set(({ eb }) => ({ changes: eb('changes', '+', 1) }))
      .where('incident_id', '=', incidentID)
      .where('turn_owner', '!=', owner)
      .execute();
  }

  return {
    take: async incidentID => {
      const dead = left.get(incidentID);
      const row = await withLock(incidentID, async trx => {
        await countIfLost(trx, incidentID);
        return trx
          .updateTable('bot_room')
          .set(({ eb }) => ({ turn_owner: owner, turn_mark: eb('turn_mark', '+', 1) }))
          .where('incident_id', '=', incidentID)
          .where(({ or, and, eb }) =>
            or([
              eb('turn_owner', 'in', ['', owner]),
              ...(dead ? [and([eb('turn_owner', '=', dead.owner), eb('turn_mark', '=', dead.mark)])] : []),
            ]),
          )
          .returning('changes')
          .executeTakeFirst();
      });
      if (row) mine.add(incidentID);
      else mine.delete(incidentID);
      return row?.changes;
    },
    shown: async (incidentID, changes) => {
      const { numUpdatedRows } = await withLock(incidentID, trx =>
        trx
          .updateTable('bot_room')
          .set({ shown: changes, turn_owner: '' })
          .where('incident_id', '=', incidentID)
          .where('turn_owner', '=', owner)
          .where('changes', '=', changes)
          .executeTakeFirst(),
      );
      if (numUpdatedRows > 0n) mine.delete(incidentID);
      return numUpdatedRows > 0n;
    },
    leave: async incidentID => {
      await withLock(incidentID, async trx => {
        await countIfLost(trx, incidentID);
        const ours = trx.updateTable('bot_room').set({ turn_owner: '' }).where('turn_owner', '=', owner);
        await ours.where('incident_id', '=', incidentID).execute();
      });
      mine.delete(incidentID);
    },
    hold: async () => {
      if (mine.size === 0) return;
      const ids = [...mine];
      await withLock(owner, trx =>
        trx
          .updateTable('bot_room')
          .set(({ eb }) => ({ turn_mark: eb('turn_mark', '+', 1) }))
          .where('turn_owner', '=', owner)
          .where('incident_id', 'in', ids)
          .execute(),
      );
    },
    outdated: async () => {
      const rows = await db
        .selectFrom('bot_room')
        .select(['incident_id', 'turn_owner', 'turn_mark', sql<number>`changes - shown`.as('missing')])
        .where('incident_id', 'not like', `${provisional}%`)
        .where(({ or, eb, ref }) => or([eb('turn_owner', '!=', ''), eb('shown', '<', ref('changes'))]))
        .orderBy('turn_owner', 'desc')
        .limit(mostCards)
        .execute();
      const held = rows.filter(row => row.turn_owner !== '' && row.turn_owner !== owner);
      const seen = held.map(row => ({ key: row.incident_id, owner: row.turn_owner, mark: row.turn_mark }));
      left = new Map(watch.look(seen).map(each => [each.key, each]));
      return rows
        .filter(row => row.turn_owner === owner || (row.missing > 0 && isFree(row)))
        .map(row => row.incident_id);
    },
  };

  function isFree(row: { readonly incident_id: string; readonly turn_owner: string }): boolean {
    return row.turn_owner === '' || left.has(row.incident_id);
  }
}

/** Remembers whose turn it is. */
export const cardTurnsMigration: Migration = {
  name: '006-card-turns',
  up: async db => {
    for (const [name, type] of [
      ['turn_owner', 'text'],
      ['turn_mark', 'integer'],
    ] as const) {
      await db.schema
        .alterTable('bot_room')
        .addColumn(name, type, column => column.notNull().defaultTo(type === 'text' ? '' : 0))
        .execute();
    }
  },
};
