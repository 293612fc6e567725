import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { isOutdated } from './failure.ts';

/** A pool of the driver, as far as it matters here. */
interface DriverPool extends Pick<PostgresPool, 'end' | 'options'> {
  connect(): Promise<DriverClient>;
}

/** A connection of such a pool. */
interface DriverClient {
  query(text: string, values?: unknown[]): Promise<unknown>;
  query(statement: { name: string; text: string; values: unknown[] }): Promise<unknown>;
  release(destroy?: boolean): void;
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
export function withNames(pool: DriverPool): PostgresPool {
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
      return { query, release: destroy => client.release(destroy) } as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}
