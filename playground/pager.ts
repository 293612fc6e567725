import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { signatureHeader, signWebhook, verifyWebhook } from '../src/contract/webhook-signature.ts';
import { type CourierOptions, openCourier } from './courier.ts';
import { listenLocally } from './workspace/listen-locally.ts';
import type { PageView, SystemView } from './workspace/protocol.ts';

/** The name under which Muster knows the pager. */
export const pagerName = 'database';

/** The last pages that it shows. */
const shown = 10;
/** How far from the present a page may have been signed, in seconds. */
const tolerance = 300;

/** What a pager needs. */
export interface PagerOptions extends CourierOptions {
  /** Signs the pages and the answers to them. */
  readonly secret: string;
  readonly now: () => Date;
  /** Hears of each request of Muster that it takes. */
  readonly heard?: (request: PageRequest) => void;
}

/** What Muster sends (docs/pager.md). */
type PageRequest = { readonly key: string } & (
  | {
      readonly event: 'page';
      readonly incident: { readonly title: string };
      readonly why: string;
      readonly by: string;
    }
  | { readonly event: 'over' }
);

/** The pager of those who are on call for the database: it takes Muster's signed pages, and sends signed answers. Disposing closes it. */
export interface Pager extends AsyncDisposable {
  /** The value of `PAGERS` that leads to it. */
  readonly setting: string;
  facts(): SystemView['pager'];
  /** Somebody acknowledges a page. Muster hears of it in order, however often it has to be sent. Throws a sentence where no such page waits. */
  acknowledge(key: string, by: string): void;
  /** Resolves when Muster took or refused every answer. */
  sent(): Promise<void>;
}

/** Opens a pager on a free port of this machine. */
export async function openPager(options: PagerOptions): Promise<Pager> {
  const { secret, now, changed = () => undefined, heard = () => undefined } = options;
  const courier = openCourier('an answer of the pager', options);
  const pages = new Map<string, PageView>();

  function take(request: PageRequest): void {
    const { key } = request;
    const known = pages.get(key);
    if (request.event === 'over') {
      if (known) pages.set(key, { ...known, state: 'over' });
    } else if (!known) {
      const { incident, why, by } = request;
      pages.set(key, { key, title: incident.title, why, by, state: 'open' });
    }
    for (const old of [...pages.keys()].slice(0, -shown)) pages.delete(old);
    changed();
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const signature = String(incoming.headers[signatureHeader.toLowerCase()] ?? '');
    if (!verifyWebhook(signature, body, secret, { seconds: tolerance, now: now() }).genuine)
      return void response.writeHead(401).end();
    const request: PageRequest = JSON.parse(body);
    heard(request);
    take(request);
    response.writeHead(202).end();
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  const port = await listenLocally(server, [0]);

  return {
    setting: `${pagerName}=webhook:http://127.0.0.1:${port}/|${secret}`,
    facts: () => ({ pages: [...pages.values()], ...courier.facts() }),
    acknowledge: (key, by) => {
      const page = pages.get(key);
      if (page?.state !== 'open') throw new Error('This page waits for nobody any more.');
      pages.set(key, { ...page, state: 'acknowledged' });
      const body = JSON.stringify({ key, state: 'acknowledged', by });
      const headers = () => ({ [signatureHeader]: signWebhook(body, secret, now()) });
      courier.send({ path: `/hooks/pages/${pagerName}`, headers, body });
      changed();
    },
    sent: courier.sent,
    [Symbol.asyncDispose]: async () => {
      await courier[Symbol.asyncDispose]();
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
