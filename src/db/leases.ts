import { type RawBuilder, type SqlBool, sql } from 'kysely';

/*
 * The one lease protocol. A row that a process works on names its owner and carries a heartbeat, a number that the owner keeps
 * changing. Others watch the number by a clock that never steps: an owner whose number stands still for `leaseTime` is dead, and
 * one of them takes the row by an update that demands the very owner and number it saw. No wall clock takes part, since those of
 * other machines may be wrong or be set. An owner checks that it still holds the row in the statement that writes its result.
 */

/** How long a lease lasts whose owner shows no sign of life, in milliseconds. Owners change the heartbeat several times in it. */
export const leaseTime = 20_000;

/** The columns of a table that hold its leases. An owner of `''` means that the row is free. */
interface LeaseColumns {
  readonly owner: string;
  readonly heartbeat: string;
}

const usualColumns: LeaseColumns = { owner: 'lease_owner', heartbeat: 'heartbeat' };

/** A lease as it is stored; `mark` is its heartbeat. */
export interface SeenLease {
  readonly key: string;
  readonly owner: string;
  readonly mark: number;
}

/** The next heartbeat. An owner adds one to show that it lives; a new owner adds one so that its number differs from the last owner's. */
export function nextHeartbeat(columns: LeaseColumns = usualColumns): RawBuilder<number> {
  return sql<number>`${sql.ref(columns.heartbeat)} + 1`;
}

/**
 * The condition under which `owner` may take a row: it is free, `owner` has it already, or it is still as it was when
 * {@link LeaseWatch} found its owner `dead`.
 */
export function mayTake(
  owner: string,
  dead: SeenLease | undefined,
  columns: LeaseColumns = usualColumns,
): RawBuilder<SqlBool> {
  const holder = sql.ref(columns.owner);
  if (!dead) return sql<SqlBool>`${holder} in ('', ${owner})`;
  const isAsSeen = sql`${holder} = ${dead.owner} and ${sql.ref(columns.heartbeat)} = ${dead.mark}`;
  return sql<SqlBool>`(${holder} in ('', ${owner}) or (${isAsSeen}))`;
}

/** Finds the leases whose owners have died. */
interface LeaseWatch {
  /** Notes all leases there are now, and gives those that have not changed for their whole time. */
  look(leases: readonly SeenLease[]): readonly SeenLease[];
}

/** Watches leases that last `time` milliseconds. `steady`: milliseconds of a clock that never steps. */
export function createLeaseWatch(time: number, steady: () => number = () => performance.now()): LeaseWatch {
  let seen = new Map<string, SeenLease & { readonly since: number }>();
  return {
    look: leases => {
      const now = steady();
      const next = new Map<string, SeenLease & { readonly since: number }>();
      for (const lease of leases) {
        const before = seen.get(lease.key);
        const isSame = before?.owner === lease.owner && before.mark === lease.mark;
        next.set(lease.key, { ...lease, since: isSame ? before.since : now });
      }
      seen = next;
      return [...next.values()].filter(each => now - each.since >= time);
    },
  };
}
