import type { Logger } from 'pino';
import { RpcError } from '../../contract/errors.ts';
import { missingReason, revokedReason } from './bearer-auth.ts';
import type { CallOrigin } from './context.ts';

/** Why a request from outside is refused before it is looked at, in the words of the log and of the metric. */
export const refusalReasons = ['no token', 'unknown token', 'revoked token', 'role too low'] as const;
/** One of {@link refusalReasons}. */
export type RefusalReason = (typeof refusalReasons)[number];

/** Observes each refused request. */
export type ObserveRefusal = (refusal: { readonly reason: RefusalReason }) => void;

/** Logs and counts an error of authentication; any other error is not looked at. `account` is known when its role is too low. */
export function tellRefusal(
  error: unknown,
  {
    origin,
    account,
    log,
    observe,
  }: {
    readonly origin: CallOrigin;
    readonly account: string | undefined;
    readonly log: Logger;
    readonly observe: ObserveRefusal | undefined;
  },
): void {
  const reason = toReason(error);
  if (reason === undefined) return;
  const about = account === undefined ? {} : { account };
  log.warn({ reason, ...about, ...origin.sender?.() }, 'service: a request was refused');
  observe?.({ reason });
}

function toReason(error: unknown): RefusalReason | undefined {
  if (!(error instanceof RpcError)) return undefined;
  if (error.code === 'permission_denied') return 'role too low';
  if (error.code !== 'unauthenticated') return undefined;
  if (error.reason === revokedReason) return 'revoked token';
  return error.reason === missingReason ? 'no token' : 'unknown token';
}
