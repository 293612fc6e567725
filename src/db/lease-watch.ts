import { type RawBuilder, sql } from 'kysely';

/** A lease as it is stored: who holds what, and a mark that its holder changes while alive. */
export interface SeenLease {
  readonly key: string;
  readonly owner: string;
  readonly mark: number;
}

/**
 * The next mark of a lease that is held on to, in a column `lease_until`: until then, and another one also while the clock stands
 * still or steps back, since that is how others see that its holder is alive.
 */
export function livingMark(until: number): RawBuilder<number> {
  const then = sql.lit(until);
  return sql<number>`case when lease_until < ${then} then ${then} else lease_until + 1 end`;
}

/** Finds the leases whose holders have died. */
export interface LeaseWatch {
  /** Takes note of all leases there are now, and yields those that have not changed for their whole time. */
  look(leases: readonly SeenLease[]): readonly SeenLease[];
}

/**
 * Watches leases by a clock that never steps. The times in them are written by other machines, whose clocks may be wrong or be
 * set right, so only whether they change counts: a holder that is alive changes them several times in their time.
 */
export function createLeaseWatch(leaseTime: number, steady: () => number = () => performance.now()): LeaseWatch {
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
      return [...next.values()].filter(each => now - each.since >= leaseTime);
    },
  };
}
