import type { IncomingMessage } from 'node:http';

/** The most of a header that is kept, in characters: a stranger may have written it. */
const longest = 200;

/** Where a request came from, for the log: the peer's address, and what a proxy says of the sender's, which others may have written. */
export function senderOf({ socket, headers }: IncomingMessage): { from: string; forwardedFor?: string } {
  const forwarded = headers['x-forwarded-for'];
  return {
    from: socket.remoteAddress ?? '',
    ...(typeof forwarded === 'string' ? { forwardedFor: forwarded.slice(-longest) } : {}),
  };
}
