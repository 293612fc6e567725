import type { IncomingMessage } from 'node:http';
import { type Sender, senderOf } from '../../contract/sender.ts';

/** A web request does not know who sent it: Node's own request does. */
const originals = new WeakMap<Request, IncomingMessage>();

/** Remembers Node's request of the web request that is made of it. */
export function rememberSender(request: Request, original: IncomingMessage): void {
  originals.set(request, original);
}

/** Who sent a web request; undefined when it did not come over HTTP. */
export function findSender(request: Request): Sender | undefined {
  const original = originals.get(request);
  return original && senderOf(original);
}
