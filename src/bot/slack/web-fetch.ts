import type { Deadlines } from '../../deadlines.ts';
import type { MissingScopes } from './missing-scopes.ts';
import { type createRateLimiter, type LimitedResponse, tooMany } from './rate-limiter.ts';
import type { SlackWatch } from './slack-watch.ts';

/** How the calls of one client to Slack are made. */
export interface WebFetchOptions {
  /** Observes every Web API call: its method, Slack's word for the outcome (`ok`), and how long it took. */
  readonly observe: (call: { method: string; outcome: string; ms: number }) => void;
  /** The longest one attempt may take, in milliseconds; `response_url` has its own limit. */
  readonly timeout: number;
  readonly deadlines: Deadlines;
  /** Carries the requests; absent: the process's own. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Tells whether another process has taken over the work that calls now. It is asked right before the call is sent: by then this
   * process may have stood still.
   */
  readonly bindOvertaken?: (() => () => boolean) | undefined;
  /** Hears which scopes Slack asks for. */
  readonly missing?: MissingScopes | undefined;
  /** Hears how each call ended. While Slack refuses the token, only `auth.test` goes out. */
  readonly watch?: SlackWatch | undefined;
  /** Holds calls back; absent: they go at once. `views.*` and `response_url` always do. */
  readonly limits?: { readonly limiter: ReturnType<typeof createRateLimiter>; readonly queueTime: number } | undefined;
}

/**
 * The `fetch` of all Slack calls. It waits until the limits allow a call, then reads the whole answer before handing it on: Slack's
 * client does not retry when a body breaks off half-way (docs/slack.md 1). The time limit begins when the call starts, so
 * waiting does not use it up. Every attempt is observed, and a call that was never made is observed as `ratelimited`.
 */
export function createWebFetch({
  observe,
  timeout,
  deadlines,
  fetch: send,
  bindOvertaken,
  missing,
  watch,
  limits,
}: WebFetchOptions): typeof fetch {
  return async (input, init) => {
    const url = new URL(typeof input === 'string' ? input : input instanceof URL ? input.href : input.url);
    const method = /\/api\/([a-z]+(?:\.[a-zA-Z]+)+)$/.exec(url.pathname)?.[1] ?? 'response_url';
    const limit = method === 'response_url' ? deadlines.slack.answer : timeout;
    const isOvertaken = bindOvertaken?.();
    if (watch && watch.refusal !== '' && method !== 'response_url' && method !== 'auth.test') {
      return Response.json({ ok: false, error: watch.refusal });
    }
    let attempts = 0;
    const attempt = async (): Promise<LimitedResponse> => {
      if (isOvertaken?.()) throw new Error('Another process may have taken this over, since this one stood still.');
      attempts += 1;
      const began = performance.now();
      let outcome = 'unreachable';
      try {
        const { response, text } = await within(limit, init?.signal, signal =>
          read((send ?? fetch)(input, { ...init, signal })),
        );
        const [, refusal = 'ok'] = /^\s*\{"ok":\s*false,"error":"([a-z_]{1,60})"/.exec(text) ?? [];
        outcome = response.ok ? refusal : `http_${response.status}`;
        if (outcome === 'missing_scope') missing?.read(text);
        if (method === 'response_url' || !['http_429', 'ratelimited', 'rate_limited'].includes(outcome))
          return { response };
        const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
        return { response, limited: { retryAfter: Number.isNaN(seconds) ? undefined : seconds } };
      } finally {
        observe({ method, outcome, ms: performance.now() - began });
        watch?.heard(method, outcome);
      }
    };
    if (!limits || method === 'response_url' || method.startsWith('views.')) {
      const { response, limited } = await attempt();
      // Without the header Slack's client makes an error of it that says nothing (docs/slack.md 1).
      return response.status === 429 && limited?.retryAfter === undefined ? tooMany(1) : response;
    }
    const began = performance.now();
    const call = {
      method,
      channel: channelOf(init?.body),
      queueTime: method === 'conversations.create' ? deadlines.slack.channel.queue : limits.queueTime,
    };
    const response = await limits.limiter.send(call, attempt);
    if (attempts === 0) {
      observe({ method, outcome: 'ratelimited', ms: performance.now() - began });
      watch?.heard(method, 'ratelimited');
    }
    return response;
  };
}

/** Runs a call with a signal that ends it after a time, or when the caller's own signal does. */
async function within<T>(
  ms: number,
  outer: AbortSignal | null | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException(`Slack did not answer within ${ms} ms.`, 'TimeoutError'));
  const timer = setTimeout(late, ms);
  try {
    return await call(outer ? AbortSignal.any([outer, controller.signal]) : controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function read(sent: Promise<Response>) {
  const answer = await sent;
  const text = await answer.text();
  const headers = new Headers(answer.headers);
  headers.delete('content-encoding');
  headers.delete('content-length');
  // The page of some proxy is no answer of Slack, whatever its status (docs/slack.md 1).
  const isPage = answer.ok && /^\s*</.test(text);
  const { status, statusText } = isPage ? { status: 502, statusText: 'Bad Gateway' } : answer;
  return { response: new Response(text === '' ? null : text, { status, statusText, headers }), text };
}

/** The channel that a form names, as Slack's client writes it. */
function channelOf(body: unknown): string {
  const name = typeof body === 'string' ? /(?:^|&)channel(?:_id)?=([^&]*)/.exec(body)?.[1] : undefined;
  return name ?? '';
}
