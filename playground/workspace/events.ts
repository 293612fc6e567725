import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Person } from '../fake-slack/fake-slack.ts';
import type { Feed } from './feed.ts';
import type { Feeds } from './feeds.ts';

/** Milliseconds after which a quiet stream shows that it is alive. */
const heartbeat = 15_000;

/** A window that listens: its person's feed, and the last event that it has. */
interface Seat {
  readonly feed: Feed;
  last: string;
}

type Stream = Parameters<Parameters<typeof streamSSE>[1]>[0];

/**
 * Tells the windows of a browser what their people see, each from the event after the last that it has, or from the beginning. An event
 * is named by the place of its window in `people`, and its id says how far all of them are, in that order. A window whose person is not
 * there is told nothing.
 */
export function tellEvents(c: Context, feeds: Feeds, people: readonly (Person | undefined)[]): Response {
  const known = (c.req.header('last-event-id') || c.req.query('from') || '').split(',');
  c.header('cache-control', 'no-store');
  return streamSSE(c, async stream => {
    const seats = people.map((person, at) => person && { feed: feeds.open(person), last: known[at] ?? '' });
    const aborted = Promise.withResolvers<void>();
    stream.onAbort(() => aborted.resolve());
    try {
      while (!stream.aborted && !stream.closed && !feeds.isEnded) {
        // Asked for before the look, or what happens during it would wake nobody.
        const next = seats.flatMap(seat => seat?.feed.next() ?? []);
        let isNews = false;
        for (const at of seats.keys()) isNews = (await tellOne(stream, seats, at)) || isNews;
        if (!isNews) await pause(stream, Promise.race([...next, aborted.promise]));
      }
    } finally {
      for (const person of people) if (person) feeds.leave(person);
    }
  });
}

/** Tells one window what it lacks. Resolves to whether there was anything. */
async function tellOne(stream: Stream, seats: readonly (Seat | undefined)[], at: number): Promise<boolean> {
  const seat = seats[at];
  if (seat === undefined) return false;
  const event = String(at);
  const id = () => seats.map(each => each?.last ?? '').join(',');
  const entries = seat.feed.after(seat.last);
  if (entries === undefined) {
    const told = seat.feed.begin();
    const { last } = seat.feed;
    for (const each of told) {
      // Only with the last of them has the window everything up to here.
      if (each === told.at(-1)) seat.last = last;
      await stream.writeSSE({ id: id(), event, data: JSON.stringify(each) });
    }
    return true;
  }
  for (const { id: last, json } of entries) {
    seat.last = last;
    await stream.writeSSE({ id: id(), event, data: json });
  }
  return entries.length > 0;
}

/** Waits for something to tell, and shows in between that the stream is alive. */
async function pause(stream: { write(text: string): Promise<unknown> }, next: Promise<void>): Promise<void> {
  const beat = setInterval(() => void stream.write(': alive\n\n'), heartbeat);
  await next;
  clearInterval(beat);
}
