import { rpcBase } from '../contract/contract.ts';
import { RpcError } from '../contract/errors.ts';
import type { Deadlines } from '../deadlines.ts';
import { toObject } from '../json-object.ts';
import { trimEnd } from '../trim-end.ts';

/** An answer, unread. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The members of the body; none when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends requests exactly as written, for rules that the client itself always follows. */
export interface RawHttp {
  /** Posts a body to an RPC operation: text unchanged, anything else as JSON. */
  post(
    operation: string,
    body: unknown,
    options?: {
      readonly method?: string;
      /** In place of `{base}/<operation>`. */
      readonly path?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** False sends no token. */
      readonly token?: boolean;
    },
  ): Promise<RawResponse>;
  /** The base path of the RPC services, without a trailing slash. */
  readonly base: string;
}

/** Raw HTTP to one server. Every request rejects with `unavailable` when there is no answer. */
export function createRawHttp(deps: {
  readonly url: string;
  readonly token: string;
  readonly pluginID: string;
  readonly deadlines: Deadlines;
  readonly signal?: AbortSignal | undefined;
}): RawHttp {
  const root = trimEnd(deps.url, /\//);
  const base = rpcBase(deps.pluginID);
  return {
    base,
    async post(operation, body, options = {}) {
      const method = options.method ?? 'POST';
      const headers = {
        accept: 'application/json',
        'content-type': 'application/json; charset=utf-8',
        ...(options.token === false ? {} : { authorization: `Bearer ${deps.token}` }),
        ...options.headers,
      };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const signals = [AbortSignal.timeout(deps.deadlines.conformance.answer), ...(deps.signal ? [deps.signal] : [])];
      try {
        const response = await fetch(root + (options.path ?? `${base}/${operation}`), {
          method,
          headers,
          redirect: 'manual',
          signal: AbortSignal.any(signals),
          ...(method === 'GET' ? {} : { body: text }),
        });
        const answer = await response.text();
        return { status: response.status, headers: response.headers, text: answer, body: toRecord(answer) };
      } catch (cause) {
        throw new RpcError('unavailable', 'There was no answer to a raw request.', { method: operation, cause });
      }
    },
  };
}

/** The members of a JSON object in text; none for any other text. */
function toRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return {};
  }
}
