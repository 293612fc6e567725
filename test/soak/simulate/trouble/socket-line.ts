import { channel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { z } from 'zod';
import type { Letter } from '../post.ts';

/** What Slack's client takes of its network library. */
interface Network {
  WebSocket: unknown;
  ping: unknown;
  readonly MessageEvent: new (type: string, init: { data: string }) => Event;
  readonly CloseEvent: new (type: string, init: { code: number }) => Event;
}

const network: Network = createRequire(import.meta.url)('undici');
const pongs = channel('undici:websocket:pong');
const [connecting, open, closing, closed] = [0, 1, 2, 3];

type Acknowledge = (body: string) => void;
const Acknowledgement = z.object({ envelope_id: z.string(), payload: z.unknown() });

/** A socket without a network: Slack's end and the client's in one. */
class Socket extends EventTarget {
  static readonly CONNECTING = connecting;
  static readonly OPEN = open;
  static readonly CLOSING = closing;
  static readonly CLOSED = closed;
  readyState = connecting;
  readonly #waiting = new Map<string, Acknowledge>();
  #envelopes = 0;

  constructor(url: string) {
    super();
    sockets.set(url, this);
    setTimeout(() => {
      this.readyState = open;
      this.dispatchEvent(new Event('open'));
      this.#tell({ type: 'hello', num_connections: 1 });
    }, 20);
  }

  /** The client acknowledges. */
  send(data: string): void {
    const { envelope_id: id, payload } = Acknowledgement.parse(JSON.parse(data));
    this.#waiting.get(id)?.(payload === undefined ? '' : JSON.stringify(payload));
  }

  close(): void {
    this.readyState = closing;
    setTimeout(() => {
      this.readyState = closed;
      this.dispatchEvent(new network.CloseEvent('close', { code: 1000 }));
    }, 20);
  }

  /** Sends what Slack sends; resolves with the body of the acknowledgement, and never without one. */
  deliver(envelope: object): Promise<string> {
    this.#envelopes += 1;
    const id = `envelope-${this.#envelopes}`;
    return new Promise(resolve => {
      this.#waiting.set(id, resolve);
      this.#tell({ envelope_id: id, ...envelope });
    });
  }

  #tell(message: object): void {
    this.dispatchEvent(new network.MessageEvent('message', { data: JSON.stringify(message) }));
  }
}

/** The last socket to each address. */
const sockets = new Map<string, Socket>();

/** Takes the network away from Slack's client of Socket Mode, for good: its sockets end in this process. */
export function takeSockets(): void {
  network.WebSocket = Socket;
  network.ping = (websocket: Socket, payload: Buffer) => pongs.publish({ websocket, payload });
}

/** Whether the client at that address is connected. */
export function isConnected(url: string): boolean {
  return sockets.get(url)?.readyState === open;
}

/** Sends a request of Slack's over the socket to an address. The answer is as over HTTP, and never comes without an acknowledgement. */
export async function sendOverSocket(url: string, letter: Letter): Promise<{ status: number; body: string }> {
  const socket = sockets.get(url);
  if (socket?.readyState !== open) throw new Error('there is no connection');
  return { status: 200, body: await socket.deliver(toEnvelope(letter)) };
}

function toEnvelope({ headers, body }: Letter): object {
  const retries = { retry_attempt: Number(headers['x-slack-retry-num'] ?? 0) };
  if (headers['content-type']?.startsWith('application/json'))
    return { type: 'events_api', payload: JSON.parse(body), accepts_response_payload: false, ...retries };
  const form = Object.fromEntries(new URLSearchParams(body));
  return form.payload === undefined
    ? { type: 'slash_commands', payload: form, accepts_response_payload: true }
    : { type: 'interactive', payload: JSON.parse(form.payload), accepts_response_payload: true };
}
