import { IncomingMessage, type RequestListener } from 'node:http';
import { rememberSender } from '../call/senders.ts';

/** Answers Node's requests by a web handler. The first request loads the adapter, so that the process starts without it. */
export function toWebListener(fetch: (request: Request) => Promise<Response>): RequestListener {
  let listener: Promise<RequestListener> | undefined;
  const open = async (): Promise<RequestListener> => {
    const { getRequestListener } = await import('@hono/node-server');
    const answer = (request: Request, { incoming }: { readonly incoming: unknown }) => {
      if (incoming instanceof IncomingMessage) rememberSender(request, incoming);
      return fetch(request);
    };
    return getRequestListener(answer, { overrideGlobalObjects: false });
  };
  return (request, response) => {
    listener ??= open();
    void listener.then(answer => answer(request, response));
  };
}
