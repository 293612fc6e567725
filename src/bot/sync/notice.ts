import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import type { Cards } from '../incident/board/loop.ts';
import { beginComparing, isKnown } from '../incident/lines/known-state.ts';
import { countChange, type Rooms } from '../incident/state/room-store.ts';
import type { JournalTables } from '../journal/rows.ts';
import { laneLock } from '../schema/intents.ts';

/** The parts of Muster that noticing a change uses. */
export interface NoticeDeps {
  readonly database: Database;
  readonly rooms: Pick<Rooms, 'ofIncident'>;
  readonly cards: Pick<Cards, 'refresh'>;
  /** The kinds of intents that bring incidents into being. */
  readonly declaring: readonly string[];
  /**
   * Called for an incident that was declared elsewhere since Muster first started and has no room. Called again when it throws, and
   * perhaps twice. It asks `visibility` what it may show.
   */
  readonly onFound: (incidentID: string) => Promise<void>;
}

/**
 * Handles an incident that may have changed elsewhere: brings its card, announcement and topic up to date, and tells its room. Returns
 * false when Muster may be declaring it at this moment, so the caller must try again. `isHistory`: it is older than Muster.
 */
export async function notice(
  { database, rooms, cards, declaring, onFound }: NoticeDeps,
  incidentID: string,
  isHistory: boolean,
): Promise<boolean> {
  if (await rooms.ofIncident(incidentID)) {
    // Counted, so that the card is shown however this process ends.
    await database.withLock<NoTables, void>(`card ${incidentID}`, trx => countChange(trx, incidentID));
    // Most changes are Muster’s own, and a busy room is shown seldom.
    cards.refresh(incidentID);
    return true;
  }
  if (isHistory) return true;
  // Asked first: a declaration that ends meanwhile makes the incident known.
  if (await isDeclaring(database, declaring)) return false;
  if (await isKnown(database, incidentID)) return true;
  await onFound(incidentID);
  await database.withLock<NoTables, void>(laneLock([incidentID]), trx => beginComparing(trx, incidentID));
  return true;
}

/** Whether Muster may be declaring an incident whose number it does not know yet. */
async function isDeclaring(database: Database, declaring: readonly string[]): Promise<boolean> {
  const row = await database
    .as<JournalTables>()
    .selectFrom('bot_intent')
    .select('id')
    .where('kind', 'in', [...declaring])
    .where('state', 'in', ['running', 'pending'])
    .where(({ or, eb }) => or([eb('state', '=', 'running'), eb('ambiguous', '=', 1)]))
    .executeTakeFirst();
  return row !== undefined;
}
