import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { laneLock } from '../../journal/rows.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { UpdateTable } from '../../schema/updates.ts';
import { countChange } from './room-store.ts';

/*
 * The updates of incidents: what happened and what is done about it, as somebody last said. Each is a note on the timeline. It is
 * remembered here in the transaction that stores its intent as done, so that the card needs no search.
 */

/** An update as card, status and announcement show it. */
export interface Update {
  readonly activityItemID: string;
  /** As typed, to be escaped. */
  readonly text: string;
  /** Who gave it, as mrkdwn. */
  readonly by: string;
  readonly at: Date;
  /** When the next one is due; undefined when none was promised. */
  readonly nextAt: Date | undefined;
  /** The next one is due, and was not given. */
  readonly isOverdue: boolean;
}

/** What a write does to the updates of an incident. */
export type UpdateChange =
  | {
      readonly kind: 'given';
      readonly activityItemID: string;
      readonly text: string;
      readonly at: Date;
      readonly nextAt: Date | undefined;
      /** The severity that it set; absent when it set none. */
      readonly severity?: string;
    }
  | { readonly kind: 'removed'; readonly activityItemID: string }
  | { readonly kind: 'reworded'; readonly activityItemID: string; readonly text: string };

/** Reads the updates of incidents. */
export interface Updates {
  /** The last update of an incident; undefined when there is none. */
  latest(incidentID: string): Promise<Update | undefined>;
  /** Marks the promised updates that are due and were not given; each changes the card of its incident. */
  markOverdue(now: Date): Promise<void>;
}

/** Due updates that are marked together. */
const markedTogether = 100;

/** Opens the updates in the bot's database. */
export function openUpdates(database: Database): Updates {
  const db = database.as<BotTables>();
  const due = (now: Date) =>
    db
      .selectFrom('bot_update')
      .select(['activity_item_id', 'incident_id'])
      .where('is_overdue', '=', 0)
      .where('next_at', '>', 0)
      .where('next_at', '<=', now.getTime())
      .limit(markedTogether);
  return {
    latest: async incidentID => {
      const row = await db
        .selectFrom('bot_update')
        .selectAll()
        .where('incident_id', '=', incidentID)
        .orderBy('given_at', 'desc')
        .orderBy('activity_item_id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toUpdate(row);
    },
    markOverdue: async now => {
      const rows = await due(now).execute();
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

function toUpdate(row: UpdateTable): Update {
  const { activity_item_id: activityItemID, text, given_by: by, given_at, next_at, is_overdue } = row;
  const nextAt = next_at === 0 ? undefined : new Date(next_at);
  return { activityItemID, text, by, at: new Date(given_at), nextAt, isOverdue: is_overdue === 1 };
}

/** Remembers what a write did to the updates. Called in the transaction that stores it as done. */
export async function noteUpdate(
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
  await trx
    .insertInto('bot_update')
    .values({
      activity_item_id: activityItemID,
      incident_id: incidentID,
      text: change.text,
      given_by: by,
      given_at: change.at.getTime(),
      next_at: change.nextAt?.getTime() ?? 0,
      is_overdue: 0,
    })
    .onConflict(conflict => conflict.column('activity_item_id').doNothing())
    .execute();
}
