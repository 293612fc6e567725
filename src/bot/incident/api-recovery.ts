import type { Api } from '../../contract/contract.ts';
import { isTransient } from '../../contract/errors.ts';

/** A call of the API, whatever its method. */
type Call = (...args: never[]) => Promise<unknown>;

/**
 * The same API. `onRecovered` is called at the first answer after calls that failed because the API was away, and at the first
 * answer of all. An API that is too busy is not away: it names the pause that it wants.
 */
export function watchRecovery(api: Api, onRecovered: () => void): Api {
  // Another process may have seen it away before this one started.
  let wasAway = true;

  function watched(call: Call): Call {
    return async (...args) => {
      try {
        const answer = await call(...args);
        heard();
        return answer;
      } catch (error) {
        if (!isTransient(error)) heard();
        else if (error.code !== 'resource_exhausted') wasAway = true;
        throw error;
      }
    };
  }

  function heard(): void {
    if (!wasAway) return;
    wasAway = false;
    onRecovered();
  }

  const groups = Object.entries<object>(api).map(([name, group]) => {
    const methods = Object.entries<Call>(group as Record<string, Call>).map(([method, call]) => [
      method,
      watched(call),
    ]);
    return [name, Object.fromEntries(methods)];
  });
  return Object.fromEntries(groups);
}
