import type {
  AbortableOperationOptions,
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  OperationNode,
} from 'kysely';

/**
 * How often this process has changed each table. A row that was read stays the newest as long as its tables are not changed; the changes of
 * other processes do not count.
 */
export class TableChanges {
  readonly #counts = new Map<string, number>();
  /** Changes of statements that do not say which table they change. */
  #unnamed = 0;

  /** A number that grows with each change of a table. */
  of(table: string): number {
    return this.#unnamed + (this.#counts.get(table) ?? 0);
  }

  /** A statement was carried out. */
  noteStatement(query: CompiledQuery): void {
    this.note(changedBy(query));
  }

  note(tables: Iterable<string>): void {
    for (const table of tables) {
      if (table === anyTable) this.#unnamed += 1;
      else this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
    }
  }
}

/** Stands for the table of a statement that was written by hand. */
const anyTable = '';

/** Gives a dialect whose statements are counted. A transaction counts when it is committed, since no other reader sees it before. */
export function countChanges(dialect: Dialect, changes: TableChanges): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: db => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => new CountingDriver(dialect.createDriver(), changes),
  };
}

/** A connection that remembers which tables its transaction has changed. */
class CountingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #changes: TableChanges;
  #pending: Set<string> | undefined;

  constructor(inner: DatabaseConnection, changes: TableChanges) {
    this.inner = inner;
    this.#changes = changes;
  }

  async executeQuery<R>(query: CompiledQuery, options?: AbortableOperationOptions) {
    const changed = changedBy(query);
    if (changed.length === 0) return await this.inner.executeQuery<R>(query, options);
    try {
      return await this.inner.executeQuery<R>(query, options);
    } finally {
      if (this.#pending) for (const table of changed) this.#pending.add(table);
      else this.#changes.noteStatement(query);
    }
  }

  streamQuery<R>(query: CompiledQuery, size: number, options?: AbortableOperationOptions) {
    return this.inner.streamQuery<R>(query, size, options);
  }

  begin(): void {
    this.#pending = new Set();
  }

  end(): void {
    if (this.#pending) this.#changes.note(this.#pending);
    this.#pending = undefined;
  }
}

class CountingDriver implements Driver {
  readonly #inner: Driver;
  readonly #changes: TableChanges;

  constructor(inner: Driver, changes: TableChanges) {
    this.#inner = inner;
    this.#changes = changes;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<CountingConnection> {
    return new CountingConnection(await this.#inner.acquireConnection(), this.#changes);
  }

  async beginTransaction(connection: CountingConnection, settings: Parameters<Driver['beginTransaction']>[1]) {
    await this.#inner.beginTransaction(connection.inner, settings);
    connection.begin();
  }

  async commitTransaction(connection: CountingConnection): Promise<void> {
    try {
      await this.#inner.commitTransaction(connection.inner);
    } finally {
      // A commit whose answer was lost may have happened.
      connection.end();
    }
  }

  async rollbackTransaction(connection: CountingConnection): Promise<void> {
    connection.end();
    await this.#inner.rollbackTransaction(connection.inner);
  }

  releaseConnection(connection: CountingConnection): Promise<void> {
    return this.#inner.releaseConnection(connection.inner);
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

const known = new WeakMap<OperationNode, readonly string[]>();

/** The tables that a statement changes; none for one that reads. */
function changedBy({ query, sql }: CompiledQuery): readonly string[] {
  if (query.kind === 'RawNode')
    return /^\s*(?:select|begin|commit|rollback|savepoint|release)\b/i.test(sql) ? [] : [anyTable];
  const found = known.get(query) ?? findChanged(query);
  known.set(query, found);
  return found;
}

const changing: readonly string[] = ['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode'];

function findChanged(node: OperationNode): readonly string[] {
  const within = membersOf(membersOf(node, 'with')[0], 'expressions');
  const nested = within.flatMap(each => membersOf(each, 'expression').flatMap(findChanged));
  if (!changing.includes(node.kind)) return node.kind === 'SelectQueryNode' ? nested : [anyTable];
  const target = [
    ...membersOf(node, 'into'),
    ...membersOf(node, 'table'),
    ...membersOf(membersOf(node, 'from')[0], 'froms'),
  ];
  return [...nested, nameOf(target[0])];
}

/** The nodes below a node under that name. */
function membersOf(node: OperationNode | undefined, name: string): readonly OperationNode[] {
  const found: unknown = node && Reflect.get(node, name);
  return found === undefined ? [] : Array.isArray(found) ? found : [found as OperationNode];
}

/** The name of a table, also of one with an alias. */
function nameOf(node: OperationNode | undefined): string {
  if (node?.kind === 'AliasNode') return nameOf(membersOf(node, 'node')[0]);
  const [table] = membersOf(node, 'table');
  const name: unknown = table && Reflect.get(table, 'identifier');
  return typeof name === 'object' && name !== null ? String(Reflect.get(name, 'name')) : anyTable;
}
