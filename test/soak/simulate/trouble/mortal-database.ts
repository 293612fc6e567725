import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryExecutor,
} from 'kysely';
import { TableChanges } from '../../../../src/db/changes.ts';
import type { Database, TableShapes } from '../../../../src/db/database.ts';
import type { Lock, NoTables } from '../../../../src/db/engine.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { Killed, type Life } from './life.ts';

/** What stands between a replica and the database: latency and faults. */
export interface DatabaseLine {
  /** Resolves when the statement arrives; throws when it does not. */
  before(query: CompiledQuery): Promise<void>;
  /** Throws when the replica does not hear that a transaction is there for good. */
  committed(): void;
  /** Told of what was written and is there for good, whether or not the replica hears of it. */
  written(query: CompiledQuery): void;
}

/** A statement as it reaches the database; undefined when it is lost. */
export type Statement = (query: CompiledQuery) => CompiledQuery | undefined;

/** What a lost statement says of an intent that it did not store. */
const placed = { seq: 1, state: 'pending', lease_owner: '' };

/** One piece of work on the database at a time, in the order they ask. */
export interface Queue {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens a queue. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: work => {
      const mine = last.then(work, work);
      last = mine.catch(() => {});
      return mine;
    },
  };
}

/**
 * A replica's view of the database that all replicas share. Its statements and transactions run one at a time with those of
 * the others, as on a database that keeps transactions apart; after its death none does anything, and an open transaction is
 * undone.
 */
export function openMortal(
  shared: Database,
  parts: {
    life: Life;
    line: DatabaseLine;
    queue: Queue;
    time: VirtualTime;
    statement: Statement;
    /** Told when the replica stood still with the database in hand, so that no other one got to it; in milliseconds since the epoch. */
    onHeld: (from: number) => void;
    /** No other replica uses the database: it is a file. */
    isSoleProcess: boolean;
  },
): Database {
  const { life, line, queue, time, statement } = parts;
  const real = shared.as<NoTables>();
  // A replica knows of its own changes alone.
  const changes = new TableChanges();
  const written = (query: CompiledQuery) => {
    changes.noteStatement(query);
    line.written(query);
  };

  const isWrite = ({ sql }: CompiledQuery) => /^\s*(insert|update|delete)\b/i.test(sql);
  const watched = (connection: DatabaseConnection, onWritten: DatabaseLine['written']): DatabaseConnection => ({
    executeQuery: async (query, ...options) => {
      await line.before(query);
      if (!life.isAlive) throw new Killed('before the statement');
      const run = async () => {
        const arriving = statement(query);
        if (!arriving)
          return query.sql.includes(' returning ')
            ? { rows: [placed] as unknown[] as never[] }
            : { rows: [], numAffectedRows: 1n };
        const result = await connection.executeQuery<never>(arriving, ...options);
        if (isWrite(query) && result.rows.length + Number(result.numAffectedRows ?? 0) > 0) onWritten(query);
        return result;
      };
      return await (isWrite(query) ? life.write(run) : run());
    },
    streamQuery: () => {
      throw new Error('rows are not streamed');
    },
  });
  const view = (executor: QueryExecutor) =>
    new Kysely<NoTables>({
      config: { dialect: unused as Dialect },
      dialect: unused as Dialect,
      driver: unused as Driver,
      executor,
    });
  /** The database itself belongs to nobody; what is done with it belongs to whoever asks. */
  const outside = <T>(work: (asMyself: <R>(own: () => R) => R) => Promise<T>): Promise<T> => {
    const { doer } = time;
    const asMyself = <R>(own: () => R) => (doer ? time.as(doer, own) : own());
    return life.hear(() =>
      time.asNobody(() =>
        queue.run(async () => {
          let heldFrom = life.standstill && time.now();
          const forget = life.onFreeze(() => {
            heldFrom = time.now();
          });
          try {
            return await work(asMyself);
          } finally {
            forget();
            if (heldFrom !== undefined) parts.onHeld(heldFrom);
          }
        }),
      ),
    );
  };
  const plainExecutor = real.getExecutor().withConnectionProvider({
    provideConnection: consumer =>
      outside(asMyself =>
        real.getExecutor().provideConnection(connection => asMyself(() => consumer(watched(connection, written)))),
      ),
  });
  const plain = view(plainExecutor);

  const database: Database = {
    rowAddress: shared.rowAddress,
    deadlines: shared.deadlines,
    changes,
    shrink: how => shared.shrink(how),
    words: shared.words,
    tryRoom: () => shared.tryRoom(),
    explain: shared.explain,
    size: () => shared.size(),
    countOthers: async () => 0,
    as: <Tables extends TableShapes>() => plain.withTables<Tables>(),
    forSearches: <Tables extends TableShapes>() => plain.withTables<Tables>(),
    single: statement => database.withLock('single', statement),
    occupy: async () => ({ isSoleProcess: parts.isSoleProcess, [Symbol.asyncDispose]: async () => {} }),
    withLock: <Tables extends TableShapes, T>(name: Lock, work: (transaction: Kysely<Tables>) => Promise<T>) =>
      outside(async asMyself => {
        const writes: CompiledQuery[] = [];
        let forget = () => {};
        const run = () =>
          shared.withLock<NoTables, T>(name, transaction => {
            let isUndone = false;
            const ended = new Promise<never>((_resolve, reject) => {
              life.onDeath(() => reject(new Killed('in the middle of a transaction')));
              forget = life.onFreeze(standstill => {
                const silenced = time.asNobody(() => time.pause(longestSilence).then(() => 'silenced'));
                void Promise.race([standstill, silenced]).then(what => {
                  if (what !== 'silenced') return;
                  isUndone = true;
                  reject(undone());
                });
              });
            });
            const executor = transaction.getExecutor();
            const within = executor.withConnectionProvider({
              provideConnection: consumer =>
                life.hear(async () => {
                  if (isUndone) throw undone();
                  return executor.provideConnection(connection =>
                    consumer(watched(connection, query => writes.push(query))),
                  );
                }),
            });
            return Promise.race([asMyself(() => work(view(within).withTables<Tables>())), ended]);
          });
        return life.write(async () => {
          const result = await run().finally(() => forget());
          asMyself(() => writes.forEach(written));
          if (writes.length > 0) line.committed();
          return result;
        });
      }),
    [Symbol.asyncDispose]: async () => {},
  };
  return database;
}

/** How long a transaction may stay silent before the database undoes it, in milliseconds, as on Postgres. */
const longestSilence = 30_000;

function undone(): Error {
  return Object.assign(new Error('the database has undone a transaction that stood still'), { code: '08006' });
}

/** Kysely's parts that only a view which opens connections or transactions of its own would use. */
const unused: unknown = new Proxy(
  {},
  {
    get: (_target, name) => {
      throw new Error(`The simulation has no ${String(name)}: use withLock of the database.`);
    },
  },
);
