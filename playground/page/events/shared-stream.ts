import type { Hearer } from '../connection.ts';

/** An event of a stream, and how far all windows are with it. */
export interface StreamEvent {
  readonly data: string;
  readonly lastEventId: string;
}

/** The part of an `EventSource` that is used here. */
export interface EventStream {
  addEventListener(name: 'open' | 'error', listener: () => void): void;
  addEventListener(name: string, listener: (event: StreamEvent) => void): void;
  close(): void;
}

/** A window: who looks, and how far it has been told. */
interface Seat {
  readonly as: string;
  readonly hearer: Hearer;
  /** The server's name for its last event; empty before the first. */
  last: string;
}

/**
 * One stream of events for any number of windows. Browsers open six connections to a server, and a stream holds one as long as it
 * lives: windows with a stream each would leave none for what people do. Each window has its own place in the stream, so those that
 * come and go cost the others nothing.
 */
export class SharedStream {
  readonly #open: (address: string) => EventStream;
  readonly #seats = new Set<Seat>();
  #stream: EventStream | undefined;
  #isChanging = false;

  /** `open` opens a stream at an address of the server. */
  constructor(open: (address: string) => EventStream) {
    this.#open = open;
  }

  /** Tells a window what a person sees, from the beginning. Returns what ends that. */
  enter(as: string, hearer: Hearer): () => void {
    const seat = { as, hearer, last: '' };
    this.#seats.add(seat);
    this.#change();
    return () => {
      if (this.#seats.delete(seat)) this.#change();
    };
  }

  /** Windows that come or go in one moment change the stream once. */
  #change(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    queueMicrotask(() => {
      this.#isChanging = false;
      this.#reopen();
    });
  }

  #reopen(): void {
    this.#stream?.close();
    this.#stream = undefined;
    const seats = [...this.#seats];
    if (seats.length === 0) return;
    const query = new URLSearchParams(seats.map(({ as }) => ['as', as]));
    query.set('from', seats.map(({ last }) => last).join(','));
    const stream = this.#open(`/events?${query}`);
    this.#stream = stream;
    const tellLine = (isOnline: boolean) => () => {
      for (const { hearer } of seats) hearer.onLine(isOnline);
    };
    stream.addEventListener('open', tellLine(true));
    stream.addEventListener('error', tellLine(false));
    for (const [index, seat] of seats.entries()) {
      stream.addEventListener(String(index), ({ data, lastEventId }) => {
        seat.last = lastEventId.split(',')[index] ?? '';
        seat.hearer.onTold(JSON.parse(data));
      });
    }
  }
}
