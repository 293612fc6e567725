import type { IncomingMessage } from 'node:http';

/** The most of a header that is kept, in characters: a stranger may have written it. */
const longest = 200;

/** Where a request came from: the peer's address, and what a proxy says of the sender's, which others may have written. */
export interface Sender {
  readonly from: string;
  readonly forwardedFor?: string;
}

/** The sender of a request, for the log. */
export function senderOf({ socket, headers }: IncomingMessage): Sender {
  const forwarded = headers['x-forwarded-for'];
  return {
    from: socket.remoteAddress ?? '',
    ...(typeof forwarded === 'string' ? { forwardedFor: forwarded.slice(-longest) } : {}),
  };
}
