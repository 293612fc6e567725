import { hash, randomInt } from 'node:crypto';
import { type AccessRole, accessRoles } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import type { Caller } from './context.ts';

/**
 * A bearer token that may call the service over HTTP. Timelines show `name` as the service account's; one without a name goes by
 * its place in the list and its role.
 */
export interface ServiceToken {
  readonly token: string;
  readonly role: AccessRole;
  readonly name?: string;
}

/** The `reason` of a 401 for a request without a token, or with what is none. */
export const missingReason = 'auth.unauthorized';
/** The `reason` of a 401 for a revoked token (docs/api-rules.md A1). */
export const revokedReason = 'ERR_TOKEN_REVOKED';

/**
 * How long an accepted header is accepted again without a look at the database, in milliseconds. A revoked token works as long.
 */
const keepFor = 2000;
/** The most accepted headers in memory. */
const keepMost = 1000;

/** Authenticates by a list of tokens and by those that `find` knows. */
export function createAuthenticator(
  tokens: readonly ServiceToken[],
  find: (token: string, hash: string) => Promise<{ readonly account: Caller; readonly revoked: boolean } | undefined>,
  clock: () => Date,
) {
  const known = new Map(
    tokens.map(({ token, role, name = '' }, index) => [
      toTokenHash(token),
      toServiceAccount(name || `API ${index + 1} (${role})`, role),
    ]),
  );
  const recent = new Map<string, { account: Caller; since: number }>();

  async function look(authorization: string): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw new RpcError('unauthenticated', 'Unauthorized', { reason: missingReason });
    const key = toTokenHash(token);
    const listed = known.get(key);
    if (listed) return listed;
    const stored = await find(token, key);
    if (!stored) throw new RpcError('unauthenticated', 'Invalid API key', { reason: 'api-key.invalid' });
    if (stored.revoked) throw new RpcError('unauthenticated', 'Token revoked', { reason: revokedReason });
    return stored.account;
  }

  return {
    /** The service accounts of the listed tokens. */
    accounts: [...known.values()],
    /** The account of an `Authorization` header; rejects with `unauthenticated` when there is none. */
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

/** A caller that is a service account and no person, named as in docs/api-rules.md A1. */
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

/** The hash under which a token is stored and found. How long a lookup takes reveals nothing of the token. */
export function toTokenHash(token: string): string {
  return hash('sha256', token);
}
