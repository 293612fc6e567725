import type { Api } from '../../../contract/contract.ts';
import { type ErrorCode, isTransient, RpcError } from '../../../contract/errors.ts';

/** A call of the API, whatever its method. */
type Call = (...args: never[]) => Promise<unknown>;

/** Transient failures of an API that is there: it asks for a pause, or it fails at this method. */
const ofPresent: readonly ErrorCode[] = ['resource_exhausted', 'internal'];

/**
 * The same API. `onRecovered` is called at the first answer after calls that failed because the API was away, and at the first
 * answer of all.
 */
export function watchRecovery(api: Api, onRecovered: () => void): Api {
  // Another process may have seen it away before this one started.
  let wasAway = true;

  function heard(): void {
    if (!wasAway) return;
    wasAway = false;
    onRecovered();
  }

  return wrapCalls(api, async call => {
    try {
      const answer = await call();
      heard();
      return answer;
    } catch (error) {
      if (!isTransient(error)) heard();
      else if (!ofPresent.includes(error.code)) wasAway = true;
      throw error;
    }
  });
}

/** The same API for work under leases: a call fails, as if the API were away, while `isOvertaken` says that another process may do it. */
export function guardCalls(api: Api, isOvertaken: () => boolean): Api {
  return wrapCalls(api, async call => {
    if (isOvertaken())
      throw new RpcError('canceled', 'This process stood still, and another one may do it.', { maybeApplied: false });
    return await call();
  });
}

function wrapCalls(api: Api, around: (call: () => Promise<unknown>) => Promise<unknown>): Api {
  const wrapped = (group: object) =>
    Object.entries<Call>(group as Record<string, Call>).map(([name, call]) => [
      name,
      (...args: never[]) => around(() => call(...args)),
    ]);
  const groups = Object.entries<object>(api).map(([name, group]) => [name, Object.fromEntries(wrapped(group))]);
  return Object.fromEntries(groups);
}
