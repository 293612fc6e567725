import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A body of Alertmanager, as far as tests read it. */
export interface AlertBody {
  readonly status: string;
  readonly groupKey: string;
  readonly alerts: readonly { readonly status: string; readonly fingerprint: string }[];
}

/** A hook that keeps what comes. */
export interface AlertReceiver extends AsyncDisposable {
  readonly url: string;
  /** Everything that came, oldest first. */
  readonly heard: readonly { readonly headers: IncomingHttpHeaders; readonly body: AlertBody }[];
}

/** Opens a hook on a free port that takes everything. */
export async function openAlertReceiver(): Promise<AlertReceiver> {
  const heard: { readonly headers: IncomingHttpHeaders; readonly body: AlertBody }[] = [];
  const server = createServer(async (request, response) => {
    heard.push({ headers: request.headers, body: (await json(request)) as AlertBody });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/alerts/prometheus`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
