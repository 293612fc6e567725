import { createHash } from 'node:crypto';
import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { RpcError } from '../../contract/errors.ts';
import type { Cursor } from '../../contract/fields.ts';

/** Items on a page when the query names no limit (docs/api-rules.md A7). */
const defaultLimit = 100;
/** The most items on a page (docs/api-rules.md A7). */
const maxLimit = 1000;

/** The number of items on a page. Absent (0) and negative mean the default; too many mean the most. */
export function toLimit(limit: number): number {
  return limit <= 0 ? defaultLimit : Math.min(limit, maxLimit);
}

/** A value that orders a list, in the database and in a row read from it. Never null. */
export interface SortKey<Row> {
  readonly column: Expression<string | number>;
  readonly type: 'string' | 'number';
  of(row: Row): string | number;
}

/** A list that is read page by page. Its `keys` together are unique, so that every row lies on one side of a cursor. */
export interface PagedList<Row> {
  readonly keys: readonly SortKey<Row>[];
  /** `""` in a query means `DESC` (docs/api-rules.md A2). */
  readonly direction: 'ASC' | 'DESC';
  readonly limit: number;
  /** The operation's name and its query without the limit. A cursor works for that scope alone. */
  readonly scope: readonly unknown[];
}

/** A page of a list, and the cursor of the next one. */
interface Page<Row> {
  readonly rows: readonly Row[];
  readonly cursor: Cursor;
}

/** Reads the page of a list at a cursor. `select` says which rows the list has. */
export async function readPage<DB, Table extends keyof DB, Row>(
  select: SelectQueryBuilder<DB, Table, Row>,
  listing: PagedList<Row>,
  cursor: Cursor,
): Promise<Page<Row>> {
  return await readPageBy(listing, cursor, (after, most) => {
    const direction = listing.direction === 'ASC' ? 'asc' : 'desc';
    let query = after ? select.where(isBehind(listing.keys, listing.direction, after)) : select;
    for (const key of listing.keys) query = query.orderBy(key.column, direction);
    return query.limit(most).execute();
  });
}

/** Reads the page at a cursor by a function that gives the first rows, at most so many, behind these values of the keys. */
export async function readPageBy<Row>(
  listing: PagedList<Row>,
  cursor: Cursor,
  read: (after: readonly (string | number)[] | undefined, most: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const after = cursor.nextValue === '' ? undefined : decode(listing, cursor.nextValue);
  return toPage(listing, await read(after, listing.limit + 1));
}

/** The condition for rows that come behind these values of the keys. */
export function isBehind<Row>(
  keys: readonly SortKey<Row>[],
  direction: 'ASC' | 'DESC',
  values: readonly (string | number)[],
): Expression<SqlBool> {
  const [more, orEqual] = direction === 'ASC' ? (['>', '>='] as const) : (['<', '<='] as const);
  const eb = expressionBuilder<Record<string, never>, never>();
  return keys.reduceRight<Expression<SqlBool>>((later, key, index) => {
    const value = eb.val<string | number>(values[index] ?? 0);
    const beyond = eb(key.column, more, value);
    return index === keys.length - 1 ? beyond : eb.and([eb(key.column, orEqual, value), eb.or([beyond, later])]);
  }, eb.or([]));
}

/** The page among `rows`, which hold one more than the limit, and the cursor of the next one. */
function toPage<Row>(listing: PagedList<Row>, rows: readonly Row[]): Page<Row> {
  const page = rows.slice(0, listing.limit);
  const last = page.at(-1);
  if (rows.length <= listing.limit || last === undefined)
    return { rows: page, cursor: { nextValue: '', hasMore: false } };
  const values = listing.keys.map(key => key.of(last));
  const nextValue = Buffer.from(JSON.stringify([toHash(listing.scope), ...values])).toString('base64url');
  return { rows: page, cursor: { nextValue, hasMore: true } };
}

function decode<Row>(listing: PagedList<Row>, nextValue: string): readonly (string | number)[] {
  const [hash, ...values] = parse(nextValue);
  if (typeof hash !== 'string' || values.length === 0) throw malformed();
  if (hash !== toHash(listing.scope)) {
    throw new RpcError(
      'invalid_argument',
      'invalid cursor: it belongs to another query. Repeat the query it came with, or begin with an empty cursor',
    );
  }
  return listing.keys.map((key, index) => {
    const value = values[index];
    if (key.type === 'string' && typeof value === 'string') return value;
    if (key.type === 'number' && typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw malformed();
  });
}

function parse(nextValue: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(nextValue, 'base64url').toString('utf8'));
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: refused below, like any other malformed cursor.
  }
  throw malformed();
}

function malformed(): RpcError {
  return new RpcError(
    'invalid_argument',
    'invalid cursor: send the nextValue of the page before as it came, or begin with an empty cursor',
  );
}

function toHash(scope: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 16);
}
