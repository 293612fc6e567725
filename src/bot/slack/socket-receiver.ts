import { setTimeout as pause } from 'node:timers/promises';
import type { Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type BackoffPolicy, backoff } from '../../contract/backoff.ts';
import type { Deadlines } from '../../deadlines.ts';
import { SocketModeReceiver } from './bolt.ts';
import { isPassingWord, slackReason } from './clients.ts';

/** Pauses between attempts to connect, in milliseconds. The first follows a connection that was short. */
const pauses: BackoffPolicy = { first: 1000, longest: 30_000, jitter: 0.25 };
/** After a connection that lasted so long, the next one is opened at once, in milliseconds. */
const steadyAfter = 5000;

type Client = InstanceType<typeof SocketModeReceiver>['client'];

interface SocketDeps {
  readonly appToken: string;
  /** How the client of `apps.connections.open` makes its calls. */
  readonly clientOptions: object;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly boltLog: BoltLogger;
}

/** Opens the receiver for Socket Mode. Nothing that Slack sends or refuses ends the process (docs/slack.md 9). */
export function openSocketReceiver(deps: SocketDeps) {
  const { appToken, clientOptions, deadlines, clock, log, boltLog } = deps;
  const receiver = new SocketModeReceiver({
    appToken,
    logger: withoutAttempts(boltLog),
    clientPingTimeout: deadlines.slack.ping,
    // The client's own way to connect again leaves its failures unhandled.
    autoReconnectEnabled: false,
    installerOptions: { clientOptions },
  });
  const { client } = receiver;
  const connection = new Connection(client, clock, log);
  catchFailures(client, log);
  return {
    receiver,
    /** Since when there is no connection; undefined while there is one. */
    lostSince: () => connection.lostSince,
    /** Why Slack refused the last attempt to connect; `""` when it did not. */
    refusal: () => connection.refusal,
    close: () => connection.close(),
  };
}

/** A log without the client's lines about attempts to connect that failed: who makes the attempts logs the first. */
function withoutAttempts(log: BoltLogger): BoltLogger {
  return {
    ...log,
    error: (...words) => {
      if (!String(words[0]).startsWith('Failed to retrieve a new WSS URL')) log.error(...words);
    },
  };
}

/** Keeps a client connected once it has been. */
class Connection {
  readonly #client: Client;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  isOpen = false;
  lostSince: Date | undefined;
  #reason = '';
  #openedAt: number | undefined;
  #isConnecting = false;

  constructor(client: Client, clock: () => Date, log: Logger) {
    this.#client = client;
    this.lostSince = clock();
    this.#log = log;
    client.on('connected', () => {
      this.isOpen = true;
      this.lostSince = undefined;
      this.#reason = '';
      this.#openedAt = performance.now();
      log.info('slack: connected');
    });
    client.on('disconnected', () => {
      if (this.isOpen) log.warn('slack: the connection is closed');
      this.isOpen = false;
      this.lostSince ??= clock();
      void this.#reconnect();
    });
  }

  /** Slack's word for why it refuses a connection. That it is away or busy is no refusal. */
  get refusal(): string {
    return isPassingWord(this.#reason) ? '' : this.#reason;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client.disconnect();
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    // A first connection that fails is the failure of the start.
    if (this.#openedAt === undefined || this.#isConnecting) return;
    this.#isConnecting = true;
    const wasShort = performance.now() - this.#openedAt < steadyAfter;
    for (let attempts = wasShort ? 1 : 0; !signal.aborted && !this.isOpen; attempts += 1) {
      if (attempts > 0)
        await pause(backoff(attempts, pauses), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) break;
      await this.#client.start().catch(error => this.#failed(error));
    }
    this.#isConnecting = false;
  }

  #failed(error: unknown): void {
    const reason = slackReason(error);
    if (this.#reason === reason) return;
    this.#reason = reason;
    this.#log.warn({ reason }, 'slack: could not connect, and goes on trying');
  }
}

/** A message over the socket that waits for an acknowledgement. */
const Envelope = z.object({
  envelope_id: z.string(),
  type: z.string(),
  payload: z.looseObject({ type: z.string().optional(), event: z.object({ type: z.string() }).optional() }).optional(),
});

/** Handlers of the client and of Bolt leave their failures unhandled, and the client takes every event to have another one in it. */
function catchFailures(client: Client, log: Logger): void {
  for (const name of ['ws_message', 'slack_event'] as const) {
    const listeners = client.listeners(name);
    client.removeAllListeners(name);
    client.on(name, async (...args: unknown[]) => {
      try {
        if (name === 'ws_message' && takeWithoutEvent(client, args[0], log)) return;
        for (const listener of listeners) await Reflect.apply(listener, client, args);
      } catch (err) {
        log.warn({ err }, 'slack: a message over the socket could not be taken');
      }
    });
  }
}

/** Acknowledges a message that says it brings an event and has none, such as `app_rate_limited`. True when it was one. */
function takeWithoutEvent(client: Client, data: unknown, log: Logger): boolean {
  if (typeof data !== 'string' || !data.includes('"events_api"')) return false;
  const { data: envelope } = Envelope.safeParse(JSON.parse(data));
  if (envelope?.type !== 'events_api' || envelope.payload?.event) return false;
  log.warn({ kind: envelope.payload?.type }, 'slack: sent a message without an event');
  client.websocket?.send(JSON.stringify({ envelope_id: envelope.envelope_id }), () => undefined);
  return true;
}
