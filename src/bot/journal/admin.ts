import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../db/database.ts';
import { leaseTime } from '../../db/leases.ts';
import type { IntentTable } from '../schema/intents.ts';
import { openLeases } from './lanes.ts';
import {
  countByState,
  decodeError,
  findByID,
  listIntents,
  openRows,
  type StateCount,
  type WantedIntents,
} from './rows.ts';
import { Store } from './store.ts';
import { type Purged, purge, purgedTogether } from './tidy.ts';

/** The journal for an operator: it reads and changes intents, and runs none. */
export interface JournalAdmin {
  /** Intents in these states. */
  list(wanted: WantedIntents): Promise<readonly IntentTable[]>;
  find(id: string): Promise<IntentTable | undefined>;
  countByState(): Promise<readonly StateCount[]>;
  /** The running processes try it again. False when it is done, running or discarded. */
  requeue(id: string): Promise<boolean>;
  /**
   * Puts back what processes ran that live no longer; throws while a bot uses the SQLite file. On Postgres that takes the time of a lease: a process
   * that lives shows it in that time.
   */
  freeDead(): Promise<void>;
  /** Gives an intent up. Undefined when it is done, running or discarded. */
  discard(id: string): Promise<IntentTable | undefined>;
  /** Deletes the final intents about a subject, or of a person; returns how many. One whose outcome is still to be told stays. */
  purge(those: Pick<Purged, 'subject' | 'person'>): Promise<number>;
}

/** Opens the journal of a database, which running processes may use too. */
export function openJournalAdmin(database: Database, clock: () => Date): JournalAdmin {
  const rows = openRows(database, clock);
  const nothing = async () => {};
  const leases = openLeases(rows);
  const store = new Store(rows, leases, { stored: nothing, done: nothing, registered: nothing });
  return {
    list: wanted => listIntents(rows.db, wanted),
    find: id => findByID(rows.db, id),
    countByState: () => countByState(rows.db),
    requeue: id => store.requeue(id),
    freeDead: async () => {
      await using held = await database.occupy('bot');
      if (held.isSoleProcess) return await leases.freeOthers();
      await leases.freeDead(new Set());
      await pause(leaseTime);
      await leases.freeDead(new Set());
    },
    discard: id => store.discard(id),
    purge: async those => {
      let all = 0;
      for (;;) {
        const deleted = await purge(rows, those);
        all += deleted;
        if (deleted < purgedTogether) return all;
      }
    },
  };
}

/** Why an intent is not done, as code and message; `""` when it is, or was never tried. */
export function whyNotDone({ state, outcome }: Pick<IntentTable, 'state' | 'outcome'>): string {
  if (outcome === '' || state === 'done') return '';
  const { code, message } = decodeError(outcome);
  return `${code}: ${message}`;
}
