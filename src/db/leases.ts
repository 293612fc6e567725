import { type RawBuilder, type SqlBool, sql } from 'kysely';

/*
 * The one lease protocol. A row that a process works on names its owner; an owner of `''` means that the row is free. An owner shows that it
 * lives by a number that it keeps changing, its heartbeat: that of its process (`heart.ts`), or where a table has none of those, that of the
 * leased row. A new owner changes the number of the row in any case. Others watch both by a clock that never steps: when neither has changed for
 * `leaseTime`, the owner is dead, and one of them takes the row by an update that demands the very owner and numbers it saw. No wall clock takes
 * part, since those of other machines may be wrong or be set. An owner checks that it still holds the row in the statement that writes its result.
 * A process that hung says so in its last moment, and then its leases end a second later.
 */

/** How long a lease lasts whose owner shows no sign of life, in milliseconds. Owners change the heartbeat several times in it. */
export const leaseTime = 20_000;
/** How long one lasts whose process has left word that it hung (`hang-watch.ts`): that process ends with the word. */
const hungLeaseTime = 1000;
/** The sign of life of such a process. */
const hungLife = -1;

/** A lease as it is stored: `mark` is its own heartbeat, `life` that of its process, by {@link lifeOf}; absent where only the mark counts. */
export interface SeenLease {
  readonly key: string;
  readonly owner: string;
  readonly mark: number;
  readonly life?: number;
}

/** The heartbeat of the process that holds a row; -1 where it hung, and 0 where the database does not know the process. */
export function lifeOf(): RawBuilder<number> {
  const life = sql`case when process.hung = 1 then ${sql.lit(hungLife)} else process.heartbeat end`;
  return sql<number>`coalesce((select ${life} from bot_process as process where process.owner = lease_owner), 0)`;
}

/** How many processes hung while they held a row, its holder among them; for the one who takes it over. */
export function hangsOf(): RawBuilder<number> {
  return sql<number>`hangs + coalesce((select process.hung from bot_process as process where process.owner = lease_owner), 0)`;
}

/** After so many a row is set aside: nobody tries it again. Before, it is tried alone. */
export const mostHangs = 2;

/** The next heartbeat of a row. An owner adds one to show that it lives; a new owner adds one so that its number differs from the last owner's. */
export function nextHeartbeat(): RawBuilder<number> {
  return sql<number>`heartbeat + 1`;
}

/**
 * The condition under which `owner` may take a row: it is free, `owner` has it already, or it is still as it was when
 * {@link createLeaseWatch} found its owner `dead`.
 */
export function mayTake(owner: string, dead: SeenLease | undefined): RawBuilder<SqlBool> {
  if (!dead) return sql<SqlBool>`lease_owner in ('', ${owner})`;
  const isStill = dead.life === undefined ? sql`` : sql` and ${lifeOf()} = ${dead.life}`;
  const isAsSeen = sql`lease_owner = ${dead.owner} and heartbeat = ${dead.mark}${isStill}`;
  return sql<SqlBool>`(lease_owner in ('', ${owner}) or (${isAsSeen}))`;
}

/** Watches leases that last `time` milliseconds. `monotonicNow`: milliseconds of a clock that never steps. */
export function createLeaseWatch(time: number, monotonicNow: () => number = () => performance.now()) {
  let seen = new Map<string, SeenLease & { readonly since: number }>();
  return {
    /** Records all leases that there are now, and gives those that have not changed for their whole time. */
    findDead: (leases: readonly SeenLease[]) => {
      const now = monotonicNow();
      const next = new Map<string, SeenLease & { readonly since: number }>();
      for (const lease of leases) {
        const before = seen.get(lease.key);
        const isSame = before?.owner === lease.owner && before.mark === lease.mark && before.life === lease.life;
        next.set(lease.key, { ...lease, since: isSame ? before.since : now });
      }
      seen = next;
      return [...next.values()].filter(({ since, life }) => now - since >= (life === hungLife ? hungLeaseTime : time));
    },
  };
}
