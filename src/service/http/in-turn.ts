import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The most requests of a connection that wait before it is read no further. One read may bring some more. */
const mostWaiting = 8;

/** When `together` requests of all connections wait, those connections end on which `many` wait. */
interface Limits {
  readonly together: number;
  readonly many: number;
}

const usual: Limits = { together: 10_000, many: 100 };

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Hands the requests of each connection to a listener one after another, as a client that does not pipeline sends them. Between
 * two of them other connections have their turn. What waits when the client goes is not begun.
 */
export function inTurn(listener: RequestListener, limits = usual): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const all = { ...limits, waiting: 0 };
  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (!line) {
      line = new Line(socket, listener, all);
      lines.set(socket, line);
    }
    line.take([request, response]);
  };
}

/** How many requests of all connections wait. */
interface AllLines extends Limits {
  waiting: number;
}

/** The requests of one connection. */
class Line {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #all: AllLines;
  readonly #waiting: Exchange[] = [];
  #busy = false;
  #watched = false;
  #ends = false;

  constructor(socket: Socket, listener: RequestListener, all: AllLines) {
    this.#socket = socket;
    this.#listener = listener;
    this.#all = all;
  }

  take(exchange: Exchange): void {
    // Nothing of a connection is processed after an answer that closes it (RFC 9112, 9.6).
    if (this.#ends) return;
    if (!this.#busy) this.#begin(exchange);
    else if (this.#all.waiting >= this.#all.together && this.#waiting.length >= this.#all.many) this.#socket.destroy();
    else this.#keep(exchange);
  }

  #keep(exchange: Exchange): void {
    if (this.#socket.destroyed) return;
    this.#waiting.push(exchange);
    this.#all.waiting += 1;
    if (!this.#isFull()) return;
    this.#watch();
    this.#socket.pause();
  }

  #begin([request, response]: Exchange): void {
    this.#busy = true;
    response.once('close', () => {
      this.#ends = !response.shouldKeepAlive;
      if (this.#waiting.length > 0) setImmediate(() => this.#goOn());
      else this.#busy = false;
    });
    this.#listener(request, response);
  }

  #goOn(): void {
    if (this.#ends || this.#socket.destroyed) {
      this.#all.waiting -= this.#waiting.length;
      this.#waiting.length = 0;
    }
    const wasFull = this.#isFull();
    const next = this.#waiting.shift();
    if (!next) return;
    this.#all.waiting -= 1;
    this.#begin(next);
    if (wasFull && !this.#isFull()) this.#socket.resume();
  }

  #isFull(): boolean {
    return this.#waiting.length >= mostWaiting;
  }

  /** Node's server resumes a connection whenever a request's body is read. */
  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#socket.on('resume', () => {
      if (this.#isFull()) this.#socket.pause();
    });
  }
}
