import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { toTokenDb } from '../store/004-tokens.ts';
import type { Tables } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { type KnownToken, toServiceAccount } from './bearer-auth.ts';
import { isTokenForm } from './tokens.ts';

/** How often the use of a token is stored, in milliseconds. */
const recordEvery = 60_000;

/** Looks up stored tokens. */
interface TokenStore {
  /** The stored token. Its use is stored in the background. */
  find(token: string, hash: string): Promise<KnownToken | undefined>;
  /** Resolves when no write is under way. */
  idle(): Promise<void>;
}

interface FoundToken extends KnownToken {
  readonly id: number;
}

/** Opens the stored tokens. Other processes may write them too. */
export function openTokenStore(deps: { database: Database; clock: () => Date; log: Logger }): TokenStore {
  const tokens = toTokenDb(deps.database.as<Tables>());
  const recorded = new Map<number, number>();
  const writing = new Set<Promise<void>>();

  async function look(hash: string): Promise<FoundToken | undefined> {
    const row = await tokens
      .selectFrom('api_token')
      .select(['id', 'name', 'role', 'revoked_at'])
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (!row) return undefined;
    return { id: row.id, account: toServiceAccount(row.name, row.role), revoked: row.revoked_at !== null };
  }

  function recordUse({ id }: FoundToken, now: Date): void {
    const time = now.getTime();
    if (Math.abs(time - (recorded.get(id) ?? -Infinity)) < recordEvery) return;
    recorded.set(id, time);
    const write = writeUse(id, now).finally(() => writing.delete(write));
    writing.add(write);
  }

  /** Skips the write when another process has just stored the same use. */
  async function writeUse(id: number, now: Date): Promise<void> {
    try {
      await deps.database.single<Tables, unknown>(db =>
        toTokenDb(db)
          .updateTable('api_token')
          .set({ last_used_at: toMicros(now) })
          .where('id', '=', id)
          .where(({ eb, or }) =>
            or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', toMicros(now) - recordEvery * 1000)]),
          )
          .execute(),
      );
    } catch (err) {
      recorded.delete(id);
      deps.log.warn({ err, tokenID: id }, 'service: could not store the last use of a token');
    }
  }

  return {
    async find(token, hash) {
      if (!isTokenForm(token)) return undefined;
      const entry = await look(hash);
      if (entry && !entry.revoked) recordUse(entry, deps.clock());
      return entry;
    },
    async idle() {
      await Promise.all(writing);
    },
  };
}
