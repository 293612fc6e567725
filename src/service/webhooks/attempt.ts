import type { Timers } from '../../contract/timers.ts';
import { signatureHeader, signWebhook, webhookUserAgent } from '../../contract/webhook-signature.ts';

/** How long an endpoint may take to answer, in milliseconds (docs/api-rules.md A11). */
const attemptTimeout = 10_000;

/** Refusals that pass: a request that took too long or came too early, and too many of them. */
const passing: readonly number[] = [408, 425, 429];
/** The most characters of a reason in words. */
const longestReason = 100;

/** The result of one attempt, and whether another one makes sense. `stopped`: the process broke it off, so it says nothing. */
interface AttemptResult {
  readonly verdict: 'success' | 'again' | 'failed' | 'stopped';
  /** `HTTP 200`, or the reason of the failure. It holds nothing of the answer but its status. */
  readonly outcome: string;
}

/** One attempt to deliver a webhook: after `again` there will be another, after `failed` there is none. */
export interface ObservedAttempt {
  readonly endpoint: number;
  readonly outcome: 'success' | 'again' | 'failed';
  readonly ms: number;
}

/**
 * Sends a body to an endpoint with a fresh signature; never rejects. Redirects are not followed, because the address is the one
 * its owner gave. Only the status of the answer counts.
 */
export async function deliverOnce(
  endpoint: { readonly url: string; readonly secret: string },
  body: string,
  deps: { readonly timers: Timers; readonly clock: () => Date; readonly stop: AbortSignal },
): Promise<AttemptResult> {
  const deadline = new AbortController();
  const callOff = deps.timers.after(attemptTimeout, () => deadline.abort());
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': webhookUserAgent,
        [signatureHeader]: signWebhook(body, endpoint.secret, deps.clock()),
      },
      body,
      signal: AbortSignal.any([deps.stop, deadline.signal]),
    });
    // The status is here, even if the body breaks off.
    await response.body?.cancel().catch(() => undefined);
    return toResult(response.status);
  } catch (error) {
    if (deps.stop.aborted) return { verdict: 'stopped', outcome: '' };
    if (deadline.signal.aborted) return { verdict: 'again', outcome: `no answer within ${attemptTimeout / 1000} s` };
    return { verdict: 'again', outcome: `connection failed (${toReason(error, endpoint.url)})` };
  } finally {
    callOff();
  }
}

function toResult(status: number): AttemptResult {
  const outcome = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { verdict: 'success', outcome };
  if (status >= 300 && status < 400)
    return { verdict: 'failed', outcome: `${outcome}, and redirects are not followed` };
  return { verdict: passing.includes(status) || status >= 500 ? 'again' : 'failed', outcome };
}

/** The system's code for why there was no connection, or the reason in words. Never the address, which may hold a secret. */
function toReason(error: unknown, url: string): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  const { pathname, search } = new URL(url);
  const isSafe =
    cause.message !== '' && [pathname, search].every(part => part.length < 2 || !cause.message.includes(part));
  return isSafe ? cause.message.slice(0, longestReason) : cause.name;
}
