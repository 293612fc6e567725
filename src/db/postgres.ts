import { createHash, randomUUID } from 'node:crypto';
import {
  ColumnDefinitionNode,
  type DataTypeNode,
  type Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import { Client, Pool, type PoolConfig, types } from 'pg';
import { trimEnd } from '../trim-end.ts';
import type { Engine, EngineOptions, Lock, NoTables, Words } from './engine.ts';
import {
  isAway,
  isCutShort,
  isForbidden,
  isForeignTable,
  isOutdated,
  isUnavailable,
  markOutage,
  OverdueStatement,
} from './failure.ts';
import { toStorable } from './storable.ts';
import { withConnection } from './transaction-connection.ts';

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
  const connection = {
    connectionString: withPlainMode(url),
    fallback_application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connect,
  };
  const lose = once(() => options.log?.warn({}, withoutLimit));
  const open = (max: number) => {
    const limited = { ...connection, max, pipeline: true, statement_timeout: longestStatement };
    const plain = withPooler(openPool(limited), lose);
    const pool = withQuickBegin(namesStatements ? withNames(plain) : plain);
    return new Dialect({ pool: withReasons(pool, longestStatement) });
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
      const executor = transaction.getExecutor();
      const say = (statement: RawBuilder<unknown>) =>
        withConnection(executor, each => each.executeQuery(statement.compile(transaction)));
      // Who waits longer than a statement may take changes a schema, and that takes what it takes.
      if (longestStatement !== undefined && timeout > longestStatement) {
        await say(sql`select set_config('statement_timeout', '0', true)`);
      }
      await say(sql`
        select set_config('lock_timeout', ${String(timeout)}, true),
          set_config('idle_in_transaction_session_timeout', ${String(silence)}, true),
          ${toAdvisory(lock)}
      `);
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
      // A pooler does not pass on the limit of a statement, and refuses the connection.
      if (!(error instanceof Error) || !/^unsupported startup parameter: statement_timeout/.test(error.message))
        throw error;
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
function withReasons(pool: DriverPool, limit?: number): PostgresPool {
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
 * Gives columns the meaning they have in SQLite: whole numbers hold 64 bits, and text is compared and ordered by its bytes, in every locale
 * of the database.
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

/** What to do about a connection that TLS or the server's own rules refuse, by the code or the words of the refusal. */
const remedies: readonly (readonly [sign: RegExp, remedy: string])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID /,
    'Its certificate is for another host: name that host in DATABASE_URL, or give the server a certificate for this one.',
  ],
  [
    /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?) /,
    'No authority that Muster knows has signed its certificate: put &sslrootcert=<file> with the certificate of yours behind sslmode in DATABASE_URL.',
  ],
  [/^CERT_HAS_EXPIRED /, 'Renew the certificate of the server, and see that this machine’s clock is right.'],
  [
    /The server does not support SSL connections/,
    'Switch TLS on there (ssl = on), or take sslmode out of DATABASE_URL.',
  ],
  [
    /unsupported startup parameter/,
    'A pooler before Postgres does not pass it on: take it out of DATABASE_URL, or add it to ignore_startup_parameters of PgBouncer.',
  ],
  [
    /^(?:26000|42P05) /,
    'A pooler before Postgres gives connections away and knows no names: set DATABASE_STATEMENTS=unnamed.',
  ],
  [/^28000 .*no encryption/, 'It wants TLS: end DATABASE_URL with ?sslmode=verify-full.'],
];

/** The error of a start as one that names the database and, where something can be done, what. `url` is that of the database. */
export function explainPostgres(error: unknown, url = ''): Error {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const reason = first instanceof Error ? first.message : String(first);
  const sentence = `The database of DATABASE_URL cannot be used: ${trimEnd(reason, /[.;: ]/)}.`;
  const remedy = isForeignTable(first)
    ? 'It has tables of another program: name a database of Muster, or an empty one.'
    : isForbidden(first)
      ? letMakeTables(url)
      : remedies.find(([sign]) =>
          sign.test(`${first instanceof Error && 'code' in first ? String(first.code) : ''} ${reason}`),
        )?.[1];
  return new Error(remedy === undefined ? sentence : `${sentence} ${remedy}`, { cause: error });
}

function letMakeTables(url: string): string {
  const { username = '', pathname = '' } = URL.parse(url) ?? {};
  const role = JSON.stringify(decodeURIComponent(username) || '<role>');
  const database = JSON.stringify(decodeURIComponent(pathname.slice(1)) || '<database>');
  return `Its role may not make Muster’s tables. As an administrator: alter database ${database} owner to ${role}, or, before Postgres 15, grant create on schema public to ${role}. Where another role owns the tables, start this version once as that one: docs/operating.md, The role on Postgres.`;
}

/** A pool of the driver, as far as it matters here. */
interface DriverPool extends Pick<PostgresPool, 'end' | 'options'> {
  connect(): Promise<DriverClient>;
}

/** A connection of such a pool. */
interface DriverClient {
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
  query(text: string, values?: unknown[]): Promise<unknown>;
  query(statement: { name: string; text: string; values: unknown[] }): Promise<unknown>;
  release(destroy?: boolean): void;
}

/** What Postgres answers to `begin`. */
const begun = { command: 'BEGIN', rowCount: null, rows: [] };

/**
 * A pool whose connections begin a transaction without a wait: `begin` and the statements behind it are sent in one write, as the driver's
 * `pipeline` allows. Where `begin` fails, so does each statement of the transaction, and the connection is closed.
 */
function withQuickBegin(pool: DriverPool): DriverPool {
  return {
    connect: async () => {
      const client = await pool.connect();
      const failures: unknown[] = [];
      const begin = () => {
        const { stream } = client.connection;
        stream.cork();
        client.query('begin').catch(error => void failures.push(error));
        process.nextTick(() => stream.uncork());
        return begun;
      };
      const query = async (...given: readonly unknown[]) => {
        if (failures.length > 0) throw failures[0];
        if (given[0] === 'begin') return begin();
        try {
          const answer = await Reflect.apply(client.query, client, given);
          if (failures.length === 0) return answer;
        } catch (error) {
          if (failures.length === 0) throw error;
        }
        // It failed for that reason, or was carried out outside of a transaction.
        throw failures[0];
      };
      const release = (destroy?: boolean) => client.release(failures.length > 0 || destroy);
      return { connection: client.connection, query, release };
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

/** Texts that a process remembers as statements of its own, at most. Others come seldom: a long list, an operator's search. */
const mostNamed = 1000;

/** The names of statements, for all connections of a process. Undefined for one that has none. */
function createNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const once = new Set<string>();
  return text => {
    const known = names.get(text);
    if (known !== undefined) return known;
    // A statement that comes once is not worth a name.
    if (!once.delete(text)) {
      if (once.size < mostNamed) once.add(text);
      return undefined;
    }
    if (names.size >= mostNamed) return undefined;
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
    return name;
  };
}

/**
 * A pool whose connections parse and plan a statement once, and know it by its name from then on. After a change of the tables the
 * statement fails once: outside a transaction it is made again here, and a transaction is run again by its caller (`isCollision`).
 */
function withNames(pool: DriverPool): DriverPool {
  const nameOf = createNames();
  /** How often the statements of a connection were outdated: it is part of their names. */
  const generations = new WeakMap<DriverClient, number>();
  return {
    connect: async () => {
      const client = await pool.connect();
      let isInTransaction = false;
      const query = async (text: unknown, values?: unknown[]) => {
        if (typeof text !== 'string') return await Reflect.apply(client.query, client, [text, values]);
        if (text === 'begin') isInTransaction = true;
        if (text === 'commit' || text === 'rollback') isInTransaction = false;
        const name = values?.length ? nameOf(text) : undefined;
        if (name === undefined || values === undefined) return await client.query(text, values);
        const generation = generations.get(client) ?? 0;
        try {
          return await client.query({ name: `${generation}/${name}`, text, values });
        } catch (error) {
          if (!isOutdated(error)) throw error;
          generations.set(client, generation + 1);
          if (isInTransaction) throw error;
          return await client.query(text, values);
        }
      };
      return { connection: client.connection, query, release: destroy => client.release(destroy) };
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

/** A connection of the driver, as far as it matters here. */
interface WordsClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
}

/** Postgres' name for the words of Muster. */
const topic = 'muster';
/** The pause before a connection that ended is opened again, in milliseconds. */
const reopenAfter = 2000;

/** Words over `LISTEN` and `NOTIFY`: said through `db`, heard through a connection of their own, which `open` makes. */
export function openWords(db: Kysely<NoTables>, open: () => WordsClient): Words {
  const listeners: ((word: string) => void)[] = [];
  const myself = randomUUID();
  let client: WordsClient | undefined;
  let isHeard = false;
  let reopening: NodeJS.Timeout | undefined;
  let isClosed = false;

  function hear(word: string | undefined): void {
    if (word === myself) isHeard = true;
    else if (word !== undefined) for (const listener of listeners) listener(word);
  }

  function lose(lost: WordsClient): void {
    if (client !== lost) return;
    client = undefined;
    isHeard = false;
    void lost.end().catch(() => {});
    if (!isClosed) reopening = setTimeout(() => void listen(), reopenAfter).unref();
  }

  async function listen(): Promise<void> {
    const mine = open();
    client = mine;
    mine.on('notification', ({ payload }) => hear(payload));
    mine.on('error', () => lose(mine));
    mine.on('end', () => lose(mine));
    try {
      await mine.connect();
      await mine.query(`listen ${topic}`);
      // A pooler that gives connections away takes `listen`, and passes on only what the very same connection says.
      await sql`select pg_notify(${topic}, ${myself})`.execute(db);
    } catch {
      lose(mine);
    }
  }

  return {
    isHeard: () => isHeard,
    hear: listener => {
      listeners.push(listener);
      if (listeners.length === 1) void listen();
    },
    say: (word: string, condition: RawBuilder<boolean>) => {
      sql`select pg_notify(${topic}, ${word}) where ${condition}`.execute(db).catch(() => {});
    },
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      clearTimeout(reopening);
      await client?.end().catch(() => {});
    },
  };
}
