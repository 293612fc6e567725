import type { TableChanges } from './changes.ts';

/** After so long something is read again: another process may have changed it. In milliseconds. */
const maxAge = 5000;

interface CachedRead {
  readonly value: Promise<unknown>;
  /** How often each of its tables had been changed before. */
  readonly changes: readonly number[];
  readonly tables: readonly string[];
  readonly at: number;
}

/**
 * What one act, or one round of the board, has read: each thing once. A thing is read again when this process has changed one of its tables
 * since, and after five seconds.
 */
export class Known {
  readonly #changes: TableChanges;
  readonly #kept = new Map<string, CachedRead>();

  constructor({ changes }: { readonly changes: TableChanges }) {
    this.#changes = changes;
  }

  /**
   * Reads something, unless it is known. `key` names it, and `tables` are those from which it is read. `also` keeps something else that
   * the same statement has read.
   */
  once<T>(
    key: string,
    tables: readonly string[],
    read: (also: (key: string, tables: readonly string[], value: unknown) => void) => Promise<T>,
  ): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && this.#isNewest(kept)) return kept.value as Promise<T>;
    const [at, before] = [performance.now(), new Map(tables.map(table => [table, this.#changes.of(table)]))];
    const keep = (name: string, from: readonly string[], value: Promise<unknown>) =>
      this.#kept.set(name, { value, at, tables: from, changes: from.map(table => before.get(table) ?? 0) });
    const value = read((name, from, found) => keep(name, from, Promise.resolve(found)));
    keep(key, tables, value);
    // What could not be read is read again.
    value.catch(() => this.#kept.delete(key));
    return value;
  }

  /** Keeps something that was read elsewhere, just now. */
  keep(key: string, tables: readonly string[], value: unknown): void {
    const changes = tables.map(table => this.#changes.of(table));
    this.#kept.set(key, { value: Promise.resolve(value), at: performance.now(), tables, changes });
  }

  #isNewest({ tables, changes, at }: CachedRead): boolean {
    return performance.now() - at < maxAge && tables.every((table, each) => this.#changes.of(table) === changes[each]);
  }
}
