import type { Logger } from 'pino';
import { type KnownToken, toServiceAccount } from './auth.ts';
import { toTokenDb } from './store/004-tokens.ts';
import type { Db } from './store/tables.ts';
import { toMicros } from './store/time.ts';
import { isTokenForm } from './tokens.ts';

/** How long, in milliseconds, a token found once need not be looked for again: so long a revoked one may still be let in. */
const keepFor = 2000;
/** How many tokens are kept at most. */
const keepMost = 1000;
/** How often, in milliseconds, the use of a token is written down. */
const recordEvery = 60_000;

/** Looks up stored tokens. */
export interface TokenBook {
  /** What is known of a token; its use is written down, in its own time. */
  find(token: string, hash: string): Promise<KnownToken | undefined>;
  /** Resolves when nothing is being written. */
  idle(): Promise<void>;
}

interface Entry extends KnownToken {
  readonly id: number;
  readonly foundAt: number;
}

/**
 * Opens the book of stored tokens. One that another process makes is known at once, one that it revokes is refused within
 * {@link keepFor}.
 */
export function openTokenBook(deps: { db: Db; clock: () => Date; log: Logger }): TokenBook {
  const tokens = toTokenDb(deps.db);
  const entries = new Map<string, Entry>();
  const recorded = new Map<number, number>();
  const writing = new Set<Promise<void>>();

  async function look(hash: string, now: number): Promise<Entry | undefined> {
    const known = entries.get(hash);
    if (known && Math.abs(now - known.foundAt) < keepFor) return known;
    entries.delete(hash);
    const row = await tokens
      .selectFrom('api_token')
      .select(['id', 'name', 'role', 'revoked_at'])
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (!row) return undefined;
    const account = toServiceAccount(row.name, row.role);
    const entry = { id: row.id, account, revoked: row.revoked_at !== null, foundAt: now };
    if (entries.size >= keepMost) entries.clear();
    entries.set(hash, entry);
    return entry;
  }

  function recordUse({ id }: Entry, now: Date): void {
    const time = now.getTime();
    if (Math.abs(time - (recorded.get(id) ?? -Infinity)) < recordEvery) return;
    recorded.set(id, time);
    const write = writeUse(id, now).finally(() => writing.delete(write));
    writing.add(write);
  }

  /** Another process may have written the same use already. */
  async function writeUse(id: number, now: Date): Promise<void> {
    try {
      await tokens
        .updateTable('api_token')
        .set({ last_used_at: toMicros(now) })
        .where('id', '=', id)
        .where(({ eb, or }) =>
          or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', toMicros(now) - recordEvery * 1000)]),
        )
        .execute();
    } catch (err) {
      recorded.delete(id);
      deps.log.warn({ err, tokenID: id }, 'the last use of a token could not be written down');
    }
  }

  return {
    async find(token, hash) {
      if (!isTokenForm(token)) return undefined;
      const now = deps.clock();
      const entry = await look(hash, now.getTime());
      if (entry && !entry.revoked) recordUse(entry, now);
      return entry;
    },
    async idle() {
      await Promise.all(writing);
    },
  };
}
