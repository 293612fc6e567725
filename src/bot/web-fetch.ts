import type { ObserveWebApi } from './options.ts';

/** The longest any call to Slack may take that sets no limit of its own, in milliseconds. */
const longest = 15_000;

/**
 * The `fetch` of all Slack calls. It reads the whole answer before handing it on, since Slack's client does not try again
 * when a body breaks off half-way (slack.md 1), gives `response_url` calls the time limit they lack, and tells of each call.
 */
export function createWebFetch(observe: ObserveWebApi): typeof fetch {
  return async (input, init) => {
    const began = performance.now();
    const method = methodOf(typeof input === 'string' ? input : input instanceof URL ? input.href : input.url);
    let outcome = 'unreachable';
    try {
      const response = await fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(longest) });
      const text = await response.text();
      outcome = response.ok ? outcomeOf(text) : `http_${response.status}`;
      const headers = new Headers(response.headers);
      headers.delete('content-encoding');
      headers.delete('content-length');
      return new Response(text === '' ? null : text, {
        status: response.status,
        statusText: response.statusText,
        headers,
      });
    } finally {
      observe({ method, outcome, ms: performance.now() - began });
    }
  };
}

/** `chat.postMessage` from a Web API address; every other address, whose path is a secret, is `response_url`. */
function methodOf(url: string): string {
  return /\/api\/([a-z]+(?:\.[a-zA-Z]+)+)$/.exec(new URL(url).pathname)?.[1] ?? 'response_url';
}

function outcomeOf(text: string): string {
  return /^\s*\{"ok":\s*false,"error":"([a-z_]{1,60})"/.exec(text)?.[1] ?? 'ok';
}
