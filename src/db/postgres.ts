import {
  ColumnDefinitionNode,
  type DataTypeNode,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import { Client, type ClientConfig, Pool, type PoolConfig, types } from 'pg';
import type { Engine, EngineOptions, Lock } from './engine.ts';
import { explainPostgres } from './explain-postgres.ts';
import {
  isAway,
  isCutShort,
  isForbidden,
  isForeignTable,
  isLimitRefused,
  isUnavailable,
  markOutage,
  OverdueStatement,
} from './failure.ts';
import { withNames } from './postgres-named.ts';
import { openWords } from './postgres-words.ts';
import { toStorable } from './storable.ts';

/** How Muster's connections are called in Postgres' own lists. */
const applicationName = 'muster';
/** Connections of one process at most, without those for searches, unless it is told otherwise. */
const usualConnections = 10;
/** Sets Muster's advisory locks apart from those of others in the same database. */
const lockSpace = 0x6d757374;

/** Connections for single statements, which wait for no lock. A command is acknowledged once one of them has stored it. */
const singleConnections = 3;
/** Connections for searches and pages. */
const maxSearchConnections = 3;

/** Opens an existing Postgres database through three pools of connections: for transactions and reads, for single statements, for searches. */
export function openPostgres(url: string, options: EngineOptions): Engine {
  const { connections = usualConnections, limitsStatements = false, namesStatements = false } = options;
  const { connect, search, statement, silence } = options.deadlines.database;
  const longestStatement = limitsStatements ? statement : undefined;
  const connection = { ...toConnection(url), connectionTimeoutMillis: connect };
  const lose = once(() => options.log?.warn({}, withoutLimit));
  const open = (max: number) => {
    const plain = withPooler(openPool({ ...connection, max, statement_timeout: longestStatement }), lose);
    return new Dialect({ pool: withReasons(namesStatements ? withNames(plain) : plain, longestStatement) });
  };
  return {
    rowAddress: 'ctid',
    dialect: open(connections),
    singleDialect: open(singleConnections),
    searchDialect: new Dialect({
      pool: withReasons(
        withPooler(openPool({ ...connection, max: maxSearchConnections, statement_timeout: search }), lose),
      ),
    }),
    check: async db => {
      const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db).catch(error => {
        throw explainPostgres(error, url);
      });
      const encoding = rows[0]?.server_encoding;
      if (encoding === 'UTF8') return;
      throw new Error(`The database's encoding is ${encoding}: make one with "create database … encoding 'UTF8'".`);
    },
    explain: error =>
      error instanceof Error && !isForeignTable(error) && !isForbidden(error) && !isUnavailable(error)
        ? error
        : explainPostgres(error, url),
    size: async db => {
      const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
      return { bytes: Number(rows[0]?.bytes), free: undefined };
    },
    openWords: db => openWords(db, () => new Client(connection)),
    countOthers: async db => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
        where datname = current_database() and application_name = ${applicationName} and pid <> pg_backend_pid()`.execute(
        db,
      );
      return Number(rows[0]?.n);
    },
    takeLock: async (transaction, lock, timeout) => {
      // Who waits longer than a statement may take changes a schema, and that takes what it takes.
      if (longestStatement !== undefined && timeout > longestStatement) {
        await sql`select set_config('statement_timeout', '0', true)`.execute(transaction);
      }
      await sql`
        select set_config('lock_timeout', ${String(timeout)}, true),
          set_config('idle_in_transaction_session_timeout', ${String(silence)}, true),
          ${toAdvisory(lock)}
      `.execute(transaction);
    },
  };
}

/** Takes an advisory lock. Parts are taken in the order of their numbers, so that no two transactions wait for each other. */
function toAdvisory(lock: Lock): RawBuilder<unknown> {
  const space = sql.lit(lockSpace);
  if (typeof lock === 'string') return sql`pg_advisory_xact_lock(${space}, hashtext(${lock}))`;
  const shared = sql`pg_advisory_xact_lock_shared(${space}, hashtext(${lock.of}))`;
  if (lock.parts.length === 0) return shared;
  const names = lock.parts.map(part => sql`hashtext(${`${lock.of}/${part}`})`);
  const numbers = sql`(select array_agg(distinct number order by number) from unnest(array[${sql.join(names)}]) as number)`;
  const taken = names.map((_name, at) => sql`pg_advisory_xact_lock(${space}, ${numbers}[${sql.lit(at + 1)}])`);
  return sql.join([shared, ...taken]);
}

function toConnection(url: string): ClientConfig {
  return {
    connectionString: withPlainMode(url),
    fallback_application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

function openPool(config: PoolConfig): Pool {
  const pool = new Pool({ ...config, types: { getTypeParser } });
  // A broken connection fails the statement that runs on it. Without these listeners it would end the process too.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  return pool;
}

const withoutLimit =
  'database: the pooler before Postgres does not pass statement_timeout on, so a statement may take as long as it needs (docs/operating.md, Behind a pooler)';

/** A pool that goes on without the limit of a statement where a pooler refuses connections with it, and says so by `lose`. */
function withPooler(pool: Pool, lose: () => void): Pool {
  const connect = pool.connect.bind(pool);
  const again = async () => {
    try {
      return await connect();
    } catch (error) {
      if (!isLimitRefused(error)) throw error;
      pool.options.statement_timeout = undefined;
      lose();
      return await connect();
    }
  };
  return Object.assign(pool, { connect: again });
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/**
 * The driver checks the certificate and the host's name in each of these modes, and warns that its next version will not. Says so
 * to it in the word that stays.
 */
function withPlainMode(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/**
 * A pool whose errors say when they are those of an outage. With a limit, statements that the server ends for their time fail as those
 * of a database that is away. A connection that failed with an outage takes no other statement and is closed: the driver hears of its end
 * later than of the error, and would give it to the next one.
 */
function withReasons(pool: PostgresPool, limit?: number): PostgresPool {
  const telling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw limit !== undefined && isCutShort(error) ? new OverdueStatement(limit, error) : markOutage(error);
    }
  };
  return {
    connect: async () => {
      const client = await telling(pool.connect());
      let broken: unknown;
      const query = async (...given: readonly unknown[]) => {
        if (broken !== undefined) throw broken;
        try {
          return await telling(Reflect.apply(client.query, client, given));
        } catch (error) {
          if (isAway(error)) broken = error;
          throw error;
        }
      };
      return { query, release: destroy => client.release(broken !== undefined || destroy) } as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

class Dialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new Compiler();
  }
}

/**
 * Gives columns the meaning they have in SQLite: whole numbers hold 64 bits, and text is compared and ordered by its bytes,
 * whatever the locale of the database.
 */
class Compiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    const isColumn = this.parentNode !== undefined && ColumnDefinitionNode.is(this.parentNode);
    if (isColumn && node.dataType === 'integer') this.append('bigint');
    else if (isColumn && node.dataType === 'text') this.append('text collate "C"');
    else super.visitDataType(node);
  }

  protected override addParameter(parameter: unknown): void {
    super.addParameter(toStorable(parameter));
  }
}

const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === types.builtins.INT8 ? toNumber : types.getTypeParser(oid, format as 'text');

/** Reads a number. Muster stores only numbers that JavaScript can hold; any other is a fault and must not be rounded. */
function toNumber(digits: string): number {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database holds ${digits}, which is beyond the whole numbers that JavaScript can hold.`);
}
