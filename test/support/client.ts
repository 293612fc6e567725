import { createClient } from '../../src/client/client.ts';
import { openHttpTransport, type Transport } from '../../src/client/transport.ts';
import { RpcError } from '../../src/contract/errors.ts';

type ClientOptions = Parameters<typeof createClient>[0];
type ObservedCall = Parameters<NonNullable<ClientOptions['observe']>>[0];

/** A token that must never show up anywhere but in its header. */
export const token = 'glsa_abcdefghijklmnopqrstuvwxyz_12345678';

/** Everything a client did besides answering: log lines, observations, and the waits it asked for, which take no time. */
export function createRecorder() {
  const lines: string[] = [];
  const calls: ObservedCall[] = [];
  const waits: number[] = [];
  let now = Date.parse('2026-03-02T14:00:00Z');
  const write = (facts: object, message: string) => {
    lines.push(`${message} ${JSON.stringify(facts)}`);
  };
  const options = {
    log: { debug: write, warn: write },
    observe: (call: ObservedCall) => void calls.push(call),
    clock: () => now,
    random: () => 0.5,
    sleep: async (ms: number, signal: AbortSignal | undefined) => {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    attemptTimeout: 15_000,
    budget: 60_000,
  } satisfies Partial<ClientOptions>;
  const pass = (ms: number) => {
    now += ms;
  };
  return { lines, calls, waits, options, pass };
}

/** A client over real HTTP whose waits take no time. */
export function openTestClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const recorder = createRecorder();
  const transport = openHttpTransport({ baseUrl });
  const client = createClient({ transport, token, ...recorder.options, ...options });
  return { client, recorder, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}

/** A transport that answers from a list; the last answer comes again and again. */
export function scripted(...steps: (() => RpcError | { status: number; body: unknown; retryAfter?: string })[]) {
  let sent = 0;
  const transport: Transport = async () => {
    const outcome = steps[Math.min(sent, steps.length - 1)]?.();
    sent += 1;
    if (outcome === undefined) throw new TypeError('nothing scripted');
    if (outcome instanceof RpcError) throw outcome;
    const headers = outcome.retryAfter === undefined ? {} : { 'retry-after': outcome.retryAfter };
    return { status: outcome.status, headers, body: JSON.stringify(outcome.body) };
  };
  return { transport, sent: () => sent };
}

/** How a call failed; fails the test when it did not. */
export async function failureOf(call: Promise<unknown>): Promise<RpcError> {
  const outcome = await call.then(
    value => value,
    (error: unknown) => error,
  );
  if (outcome instanceof RpcError) return outcome;
  throw new Error(`expected an RpcError, got ${JSON.stringify(outcome) ?? String(outcome)}`, { cause: outcome });
}
