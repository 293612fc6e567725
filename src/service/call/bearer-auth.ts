import { hash, randomInt } from 'node:crypto';
import { type AccessRole, accessRoles } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import type { Caller } from './context.ts';

/** A bearer token that may call the service over HTTP; `name` is shown on timelines as the service account's. */
export interface ServiceToken {
  readonly token: string;
  readonly role: AccessRole;
  readonly name?: string;
}

/** The machine word of a 401 for a token that was revoked (docs/api-rules.md A1). */
export const revokedReason = 'ERR_TOKEN_REVOKED';

/** Tells callers by their tokens, which are kept hashed, except for a moment those of whoever was let in. */
export interface Authenticator {
  /** The service accounts that the listed tokens stand for. */
  readonly accounts: readonly Caller[];
  /** The account an `Authorization` header stands for; rejects with `unauthenticated` when it stands for none. */
  authenticate(authorization: string | undefined): Promise<Caller>;
}

/** What is known of a token that is stored. */
export interface KnownToken {
  readonly account: Caller;
  readonly revoked: boolean;
}

/** How long, in milliseconds, whoever was let in is let in again unseen: so long also with a token that was revoked since. */
const keepFor = 2000;
/** How many are kept at most. */
const keepMost = 1000;

/** Makes the gate of a list of tokens, and of those that `find` knows. */
export function createAuthenticator(
  tokens: readonly ServiceToken[],
  find: (token: string, hash: string) => Promise<KnownToken | undefined>,
  clock: () => Date,
): Authenticator {
  const known = new Map(
    tokens.map(({ token, role, name }) => {
      const key = toTokenHash(token);
      return [key, toServiceAccount(name ?? key.slice(0, 8), role)];
    }),
  );
  const recent = new Map<string, { account: Caller; since: number }>();

  async function look(authorization: string): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw new RpcError('unauthenticated', 'Unauthorized', { reason: 'auth.unauthorized' });
    const key = toTokenHash(token);
    const listed = known.get(key);
    if (listed) return listed;
    const stored = await find(token, key);
    if (!stored) throw new RpcError('unauthenticated', 'Invalid API key', { reason: 'api-key.invalid' });
    if (stored.revoked) throw new RpcError('unauthenticated', 'Token revoked', { reason: revokedReason });
    return stored.account;
  }

  return {
    accounts: [...known.values()],
    async authenticate(authorization = '') {
      const now = clock().getTime();
      const seen = recent.get(authorization);
      if (seen && Math.abs(now - seen.since) < keepFor) return seen.account;
      recent.delete(authorization);
      const account = await look(authorization);
      if (recent.size >= keepMost) recent.clear();
      recent.set(authorization, { account, since: now });
      return account;
    },
  };
}

/** A caller that is a service account and no person, named as docs/api-rules.md A1 has it. */
export function toServiceAccount(name: string, role: AccessRole): Caller {
  const id = hash('sha256', `service account ${name}`).slice(0, 24);
  return { userID: `grafana-incident:user-${id}`, name: `Service Account: ${name}`, photoURL: '', role };
}

/** Throws `permission_denied` when the role is lower than the one needed, in the words of docs/api-rules.md A1. */
export function requireRole(role: AccessRole, needed: AccessRole): void {
  if (accessRoles.indexOf(role) >= accessRoles.indexOf(needed)) return;
  throw new RpcError(
    'permission_denied',
    `You'll need additional permissions to perform this action. Permissions needed: basic role ${needed}`,
    { reason: `ACE${String(randomInt(10 ** 10)).padStart(10, '0')}` },
  );
}

/** The form in which a token is kept and looked for: how long a search by it takes tells nothing of the token. */
export function toTokenHash(token: string): string {
  return hash('sha256', token);
}
