/*
 * What a database's errors mean, told by their codes: SQLSTATE of Postgres (its manual, appendix A), result codes of SQLite
 * (sqlite.org/rescode.html), and Node's for sockets.
 */

/** Serialization failure and deadlock: the database undid the transaction, and it may be run again. */
const collisions = new Set(['40001', '40P01']);

/** Connections that the server refused or ended, and a server that only reads (after a failover). */
const outages = new Set(['57P01', '57P02', '57P03', '25006']);
/** As above, and locks that were not got in time, and a transaction that was idle too long. */
const absences = new Set([...outages, '55P03', '25P03']);
/** Classes of SQLSTATE: connection exceptions, insufficient resources. */
const absentClasses = ['08', '53'];
const sockets = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** What `pg` says of a connection that ended, without a code. */
const words =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** Busy, locked, read or write error, disk full. */
const sqliteAbsences = new Set([5, 6, 10, 13]);

/** A statement that Postgres ended, because it took longer than work may take. The same may work once the database is well. */
export class OverdueStatement extends Error {
  override name = 'OverdueStatement';

  constructor(limit: number, cause: unknown) {
    super(`The database took longer than ${limit / 1000} seconds over a statement.`, { cause });
  }
}

/** Whether SQLite says that another connection holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  const result = toSqliteResult(error);
  return result === 5 || result === 6;
}

/** Whether Postgres ended a search because it took longer than it may. */
export function isCutShort(error: unknown): boolean {
  return toCode(error) === '57014';
}

/** Whether a schema met a table or index that no step of ours has made: one of that name is there, or lacks our columns. */
export function isForeignTable(error: unknown): boolean {
  if (toCode(error) === '42P07' || toCode(error) === '42703') return true;
  return says(error, / already exists$|^no such column: /);
}

/** Whether a statement failed because its table is not there. */
export function isMissingTable(error: unknown): boolean {
  return toCode(error) === '42P01' || says(error, /^no such table: /);
}

/** Whether a statement failed because the role may not do that. */
export function isForbidden(error: unknown): boolean {
  return toCode(error) === '42501';
}

/**
 * What PgBouncer says of a connection that waiting does not help: it gives each refusal the code of a broken protocol (its
 * src/client.c).
 */
const refusedForGood =
  /^(?:unsupported startup parameter|no such (?:user|database)|(?:\w+ )?authentication failed|(?:SSL|TLS) required)/;

/** Whether SQLite fails a statement with such words: it has one code for all of them. */
function says(error: unknown, words: RegExp): boolean {
  return toSqliteResult(error) === 1 && error instanceof Error && words.test(error.message);
}

/**
 * Whether a transaction failed only because of another one, so that it may be run again at once: they collided, or the other one changed
 * a table.
 */
export function isCollision(error: unknown): boolean {
  return collisions.has(toCode(error)) || isOutdated(error);
}

/** Whether a statement with a name does not fit its tables any more: a process has migrated them since. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && /^cached plan must not change result type/.test(error.message);
}

/** Whether work failed because there is no room: of SQLite's file or disk, or of Postgres' disk. */
export function isFull(error: unknown): boolean {
  return toSqliteResult(error) === 13 || toCode(error) === '53100' || toCode(error) === 'ENOSPC';
}

/** Whether SQLite finds a file damaged, or none of its own. Such an error may be the cause of one that says so in a sentence. */
export function isDamaged(error: unknown): boolean {
  const result = toSqliteResult(error);
  return (
    result === 11 || result === 26 || (error instanceof Error && error.cause !== undefined && isDamaged(error.cause))
  );
}

/** Whether a statement failed because the database may only be read. */
export function isReadOnly(error: unknown): boolean {
  return toSqliteResult(error) === 8 || toCode(error) === '25006' || isForbidden(error);
}

/**
 * Marks an error of Postgres that is one of many of an outage with what is the matter, in `outage`: its driver has a handful of texts for
 * a connection that is gone. The log counts them as one cause.
 */
export function markOutage(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const outage = isFull(error) ? 'the database is full' : isAway(error) ? 'the database is away' : undefined;
  return outage === undefined ? error : Object.assign(error, { outage });
}

/** Whether the server is not there or refuses to work, so that the connection on which Postgres' driver says so is of no more use. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = toCode(error);
  return outages.has(code) || sockets.has(code) || isOfAbsentClass(code) || words.test(error.message);
}

function isOfAbsentClass(code: string): boolean {
  return code.length === 5 && absentClasses.includes(code.slice(0, 2));
}

/** Whether a statement failed because the database cannot be used at present. The statement itself may be fine. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  if (error instanceof OverdueStatement) return true;
  const code = toCode(error);
  if (code === '08P01' && error instanceof Error && refusedForGood.test(error.message)) return false;
  if (isFull(error)) return true;
  if (absences.has(code) || isCollision(error) || sockets.has(code)) return true;
  if (isOfAbsentClass(code)) return true;
  if (error instanceof Error && words.test(error.message)) return true;
  const result = toSqliteResult(error);
  return result !== undefined && sqliteAbsences.has(result);
}

function toCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The primary result code of SQLite; undefined for errors of others. SQLite adds details in the higher bits. */
export function toSqliteResult(error: unknown): number | undefined {
  if (toCode(error) !== 'ERR_SQLITE_ERROR' || !(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Whether opening the database failed because it cannot be used at present, so that a later attempt may work. */
export function isDatabaseAway(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof Error && isUnavailable(error.cause));
}
