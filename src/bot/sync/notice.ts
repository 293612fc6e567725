import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import type { Cards } from '../incident/board/loop.ts';
import { beginComparing, isKnown } from '../incident/lines/known-state.ts';
import type { Bursts } from '../incident/state/burst-store.ts';
import { countChange, type Rooms } from '../incident/state/room-store.ts';
import { type JournalTables, laneLock } from '../journal/rows.ts';

/** The parts of Muster that noticing a change uses. */
export interface NoticeDeps {
  readonly database: Database;
  readonly rooms: Pick<Rooms, 'ofIncident'>;
  readonly cards: Pick<Cards, 'refresh'>;
  /** The kinds of intents that bring incidents into being. */
  readonly declaring: readonly string[];
  readonly bursts: Pick<Bursts, 'isUnsettled'>;
  /**
   * Called for incidents that were declared elsewhere since Muster first started and have no room. Called again when it throws, and
   * perhaps twice. It asks `visibility` what it may show.
   */
  readonly onFound: (incidentIDs: readonly string[]) => Promise<void>;
}

/** An incident that may have changed. `isHistory`: it is older than Muster. */
interface Heard {
  readonly incidentID: string;
  readonly isHistory: boolean;
}

/**
 * Handles incidents that may have changed elsewhere: brings cards, announcements and topics up to date, and tells rooms. Those that are new
 * are found together. Returns the ids of those that Muster may be declaring at this moment, so the caller must try again.
 */
export async function notice(deps: NoticeDeps, heard: readonly Heard[]): Promise<ReadonlySet<string>> {
  const { database, rooms, bursts, cards, declaring, onFound } = deps;
  const again = new Set<string>();
  const found: string[] = [];
  for (const { incidentID, isHistory } of heard) {
    if (await bursts.isUnsettled(incidentID)) found.push(incidentID);
    if (await rooms.ofIncident(incidentID)) {
      // Counted, so that the card is shown however this process ends.
      await database.withLock<NoTables, void>(`card ${incidentID}`, trx => countChange(trx, incidentID));
      // Most changes are Muster’s own, and a busy room is shown seldom.
      cards.refresh(incidentID);
    } else if (!isHistory) {
      // Asked first: a declaration that ends meanwhile makes the incident known.
      if (await isDeclaring(database, declaring)) again.add(incidentID);
      else if (!(await isKnown(database, incidentID))) found.push(incidentID);
    }
  }
  if (found.length === 0) return again;
  await onFound(found);
  await database.withLock<NoTables, void>(laneLock(found), async trx => {
    for (const incidentID of found) await beginComparing(trx, incidentID);
  });
  return again;
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
