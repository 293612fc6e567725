import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NoTables, Words } from './engine.ts';

/** A connection of the driver, as far as it matters here. */
interface Client {
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
export function openWords(db: Kysely<NoTables>, open: () => Client): Words {
  const listeners: ((word: string) => void)[] = [];
  const myself = randomUUID();
  let client: Client | undefined;
  let isHeard = false;
  let reopening: NodeJS.Timeout | undefined;
  let isClosed = false;

  function hear(word: string | undefined): void {
    if (word === myself) isHeard = true;
    else if (word !== undefined) for (const listener of listeners) listener(word);
  }

  function lose(lost: Client): void {
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
