import { answerCall, type CallOutcome, type EndpointOptions } from './endpoint.ts';

/**
 * A `fetch` that reaches one origin in the same process, and fails as Node's own does: `TypeError` with the system's word
 * as its cause, the signal's reason when it was aborted. It uses no timers of its own.
 */
export function createDirectFetch(endpoint: EndpointOptions, origin: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, { ...init, signal: null });
    const url = new URL(request.url);
    const signal = init?.signal;
    signal?.throwIfAborted();
    if (url.origin !== origin) throw unreached('ENOTFOUND');
    const call = {
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const answered = answerCall(endpoint, call).then(outcome =>
        'silence' in outcome ? aborted.promise : toResponse(outcome),
      );
      return await Promise.race([answered, aborted.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };
}

function toResponse(outcome: Exclude<CallOutcome, { silence: true }>): Response {
  if ('answer' in outcome) {
    const { status, headers, body } = outcome.answer;
    return new Response(body, { status, headers });
  }
  if ('broken' in outcome) throw unreached(outcome.broken);
  const { status, headers, body } = outcome.halfOf;
  const bytes = new TextEncoder().encode(body);
  const parts = [bytes.subarray(0, bytes.length / 2)];
  const half = new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.error(new TypeError('terminated', { cause: systemError('UND_ERR_SOCKET') }));
    },
  });
  return new Response(half, { status, headers });
}

function unreached(code: string): TypeError {
  return new TypeError('fetch failed', { cause: systemError(code) });
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
