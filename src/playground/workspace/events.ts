import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Person } from '../../fake-slack/fake-slack.ts';
import type { Feeds } from './feeds.ts';

/** Milliseconds after which a quiet stream shows that it is alive. */
const heartbeat = 15_000;

/** Tells a page what its person sees, from the event after the last that it has, or from the beginning. */
export function tellEvents(c: Context, feeds: Feeds, person: Person): Response {
  const lastKnown = c.req.header('last-event-id') ?? '';
  c.header('cache-control', 'no-store');
  return streamSSE(c, async stream => {
    const feed = feeds.open(person);
    const aborted = Promise.withResolvers<void>();
    stream.onAbort(() => aborted.resolve());
    let last = lastKnown;
    try {
      while (!stream.aborted && !stream.closed && !feeds.isEnded) {
        const entries = feed.after(last);
        if (entries === undefined) {
          const told = feed.begin();
          last = feed.last;
          for (const each of told) {
            // Only with the last of them has the page everything up to here.
            const id = each === told.at(-1) ? { id: last } : {};
            await stream.writeSSE({ ...id, event: each.kind, data: JSON.stringify(each) });
          }
        } else if (entries.length > 0) {
          for (const { id, kind, json } of entries) {
            await stream.writeSSE({ id, event: kind, data: json });
            last = id;
          }
        } else await pause(stream, Promise.race([feed.next(), aborted.promise]));
      }
    } finally {
      feeds.leave(person);
    }
  });
}

/** Waits for something to tell, and shows in between that the stream is alive. */
async function pause(stream: { write(text: string): Promise<unknown> }, next: Promise<void>): Promise<void> {
  const beat = setInterval(() => void stream.write(': alive\n\n'), heartbeat);
  await next;
  clearInterval(beat);
}
