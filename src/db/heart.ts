import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { leaseTime } from './leases.ts';
import { definePrepared } from './prepared.ts';
import { Pulse } from './pulse.ts';
import { integer, type TablesOf, table, text } from './tables.ts';

/** The processes that take leases. A process changes its heartbeat here, once for all leases that bear its name. */
export const processes = table({
  name: 'bot_process',
  columns: {
    /** The name that its leases bear. */
    owner: text({ key: true }),
    /** Changes as long as the process lives. */
    heartbeat: integer(),
    /** When it last changed, in epoch milliseconds by the clock of the process. Old rows are deleted by it, and nothing else. */
    beaten_at: integer(),
    /** 1 once it computed without a pause until it was ended. */
    hung: integer({ default: 0, since: '040-hung' }),
  },
  since: '037-processes',
});

type ProcessTables = TablesOf<[typeof processes]>;

/** A process that was forgotten begins at another number than before, so that it is not taken for one whose number stays. */
const beat = definePrepared<ProcessTables, { owner: string; start: number; at: number }, { others: number }>(
  (db, { owner, start, at }) =>
    db
      .insertInto('bot_process')
      .values({ owner, heartbeat: start, beaten_at: at, hung: sql.lit(0) })
      .onConflict(conflict =>
        conflict.column('owner').doUpdateSet(({ ref }) => ({
          heartbeat: sql`bot_process.heartbeat + 1`,
          beaten_at: ref('excluded.beaten_at'),
        })),
      )
      .returning(sql<number>`(select count(*) from bot_process as other where other.owner <> ${owner})`.as('others')),
);

/**
 * The rows with which a process hung and that this process tries: those of one act at a time, a delivery with its intents, so that nothing else
 * is blamed if the process hangs again.
 */
class Trials {
  /** The act of each, by the row's id. */
  readonly #acts = new Map<string, string>();

  /** Begins to try a row, and says so; not while a row of another act is tried. */
  begin(id: string, act: string): boolean {
    const isAlone = [...this.#acts.values()].every(each => each === act);
    if (isAlone) this.#acts.set(id, act);
    return isAlone;
  }

  has(id: string): boolean {
    return this.#acts.has(id);
  }

  end(id: string): void {
    this.#acts.delete(id);
  }
}

/** What a heart needs. Clocks in milliseconds: `monotonicNow` never steps, `bootTimeNow` (absent: `clock`) goes on while the machine sleeps. */
interface HeartDeps {
  readonly database: Database;
  /** The name that the leases of the process bear; absent: one that no other process has. */
  readonly owner?: string;
  /** The name of an earlier process that hung; absent or `""`: none is known. */
  readonly hung?: string;
  /** Begins to watch that this process does not hang. */
  watch?(): AsyncDisposable;
  /** No other process uses the database, so none looks for a sign of life. */
  readonly isSoleProcess: boolean;
  readonly clock: () => Date;
  readonly monotonicNow: () => number;
  readonly bootTimeNow?: (() => number) | undefined;
  /** How long the row of a process is kept that shows no sign of life, in milliseconds. */
  readonly keptFor: number;
  readonly log: Logger;
}

/** Shows that its process lives, for all leases that bear its name: one row, which it keeps changing ({@link leaseTime}). */
export class Heart implements AsyncDisposable {
  /** The name that the leases of this process bear. */
  readonly owner: string;
  readonly pulse: Pulse;
  readonly trials = new Trials();
  readonly #deps: HeartDeps;
  #watch: AsyncDisposable | undefined;
  #beating: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #others: number;

  constructor(deps: HeartDeps) {
    this.#deps = deps;
    this.owner = deps.owner ?? randomUUID();
    this.#others = deps.isSoleProcess ? 0 : 1;
    this.pulse = new Pulse(deps.monotonicNow, deps.bootTimeNow ?? (() => deps.clock().getTime()));
  }

  /** Whether the database knew another process at the last beat. One that it does not know yet is at most one beat old. */
  hasOthers(): boolean {
    return this.#others > 0;
  }

  /** Beats now and from now on, several times in the time of a lease. Throws as the database does. */
  async start(): Promise<void> {
    await this.#store();
    const { hung = '', database, clock } = this.#deps;
    if (hung !== '') {
      const row = { owner: hung, heartbeat: 0, beaten_at: clock().getTime(), hung: 1 };
      await database.single<ProcessTables, unknown>(some =>
        some
          .insertInto('bot_process')
          .values(row)
          .onConflict(conflict => conflict.column('owner').doUpdateSet({ hung: 1 }))
          .execute(),
      );
    }
    this.#watch = this.#deps.watch?.();
    this.#timer = setInterval(() => void this.beat(), leaseTime / 4).unref();
  }

  /** One beat. It never fails: without it this process notices that others may take it for dead. */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #beat(): Promise<void> {
    try {
      await this.#store();
      this.pulse.beat();
    } catch (err) {
      this.#deps.log.warn({ err }, 'process: could not renew its leases');
    }
  }

  async #store(): Promise<void> {
    const { database, clock, isSoleProcess } = this.#deps;
    if (isSoleProcess) return;
    const at = clock().getTime();
    const [row] = await database.single<ProcessTables, { others: number }[]>(some =>
      beat(some, { owner: this.owner, start: at, at }),
    );
    this.#others = row?.others ?? 1;
  }

  /** Deletes the rows of processes that have shown no sign of life for long; returns how many. */
  async purge(now: Date): Promise<number> {
    const before = now.getTime() - this.#deps.keptFor;
    return await this.#delete(some => some.deleteFrom('bot_process').where('beaten_at', '<', before));
  }

  #delete(
    statement: (some: Kysely<ProcessTables>) => {
      executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }>;
    },
  ): Promise<number> {
    return this.#deps.database.single<ProcessTables, number>(async some =>
      Number((await statement(some).executeTakeFirstOrThrow()).numDeletedRows),
    );
  }

  /** The process holds no lease any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#watch?.[Symbol.asyncDispose]();
    await this.#beating;
    if (this.#deps.isSoleProcess) return;
    const forgetting = this.#delete(some => some.deleteFrom('bot_process').where('owner', '=', this.owner));
    await forgetting.catch(err => this.#deps.log.warn({ err }, 'process: could not be forgotten'));
  }
}
