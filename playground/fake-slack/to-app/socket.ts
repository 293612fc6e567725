import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJsonObject, type JsonObject, toText } from '../protocol/json.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Socket Mode connections that one app may hold (docs/slack.md 2). */
const connectionLimit = 10;

/** A payload to send over Socket Mode. */
export interface Envelope {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: JsonObject;
  /** How often it was sent before. */
  readonly retryAttempt: number;
  readonly retryReason: string;
}

interface Waiting {
  readonly connection: WebSocket;
  readonly settle: (answer: { payload: unknown } | undefined) => void;
}

/** The server side of Socket Mode: each payload goes to one connection and waits for its acknowledgement. */
export class SocketServer {
  readonly #workspace: Workspace;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #connections: WebSocket[] = [];
  readonly #waiting = new Map<string, Waiting>();
  readonly #onChange: () => void;
  #turn = 0;

  constructor(workspace: Workspace, onChange: () => void) {
    this.#workspace = workspace;
    this.#onChange = onChange;
  }

  get connectionCount(): number {
    return this.#connections.length;
  }

  /** A fresh one-use ticket for the address of a connection. */
  issueTicket(): string {
    const ticket = this.#workspace.randomId();
    this.#tickets.add(ticket);
    return ticket;
  }

  /** Accepts an HTTP upgrade with a known ticket; answers 401 otherwise. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? '/', 'http://slack.invalid').searchParams.get('ticket') ?? '';
    if (!this.#tickets.delete(ticket)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, connection => this.#welcome(connection));
  }

  /** Sends a payload to one connection. Resolves with the acknowledgement, or `undefined` without one in time. */
  async deliver(envelope: Envelope, timeoutMs: number): Promise<{ payload: unknown } | undefined> {
    const connection = this.#connections[this.#turn++ % Math.max(1, this.#connections.length)];
    if (connection === undefined) return undefined;
    const id = this.#workspace.randomId();
    const acknowledged = new Promise<{ payload: unknown } | undefined>(resolve => {
      const settle: Waiting['settle'] = answer => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(() => settle(undefined), timeoutMs);
      this.#waiting.set(id, { connection, settle });
    });
    connection.send(
      JSON.stringify({
        envelope_id: id,
        type: envelope.type,
        payload: envelope.payload,
        accepts_response_payload: envelope.type !== 'events_api',
        ...(envelope.type === 'events_api'
          ? { retry_attempt: envelope.retryAttempt, retry_reason: envelope.retryReason }
          : {}),
      }),
    );
    return acknowledged;
  }

  /** Asks every connection to end, as Slack does now and then. */
  askToDisconnect(reason: 'refresh_requested' | 'link_disabled' | 'warning'): void {
    for (const connection of this.#connections) {
      connection.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake-slack' } }));
    }
  }

  /** Breaks every connection. */
  terminate(): void {
    for (const connection of [...this.#connections]) connection.terminate();
  }

  #welcome(connection: WebSocket): void {
    if (this.#connections.length >= connectionLimit) {
      connection.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
      connection.close();
      return;
    }
    this.#connections.push(connection);
    connection.on('close', () => {
      this.#connections.splice(this.#connections.indexOf(connection), 1);
      for (const waiting of [...this.#waiting.values()])
        if (waiting.connection === connection) waiting.settle(undefined);
      this.#onChange();
    });
    connection.on('message', data => this.#acknowledge(data.toString()));
    connection.send(
      JSON.stringify({
        type: 'hello',
        num_connections: this.#connections.length,
        debug_info: { host: 'fake-slack', build_number: 1, approximate_connection_time: 3600 },
        connection_info: { app_id: this.#workspace.appId },
      }),
    );
    this.#onChange();
  }

  #acknowledge(text: string): void {
    const message: unknown = JSON.parse(text);
    if (isJsonObject(message)) this.#waiting.get(toText(message.envelope_id))?.settle({ payload: message.payload });
  }
}
