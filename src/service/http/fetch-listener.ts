import type { RequestListener } from 'node:http';

/** Answers Node's requests by a web handler. The first request loads the adapter, so that the process starts without it. */
export function toWebListener(fetch: (request: Request) => Promise<Response>): RequestListener {
  let listener: Promise<RequestListener> | undefined;
  const open = async (): Promise<RequestListener> => {
    const { getRequestListener } = await import('@hono/node-server');
    return getRequestListener(fetch, { overrideGlobalObjects: false });
  };
  return (request, response) => {
    listener ??= open();
    void listener.then(answer => answer(request, response));
  };
}
