import { withServiceDatabase } from '../service/maintenance.ts';
import { type DeliveryStatus, deliveryStatuses } from '../service/store/webhooks.ts';
import {
  addEndpoint,
  createSecret,
  listDeliveries,
  listEndpoints,
  removeEndpoint,
} from '../service/webhooks/endpoints.ts';
import { discardDelivery, retryDeliveries, whyNotRetried } from '../service/webhooks/retry.ts';
import { type Terminal, toLimit, toTable } from './command.ts';
import { openStored } from './stored-database.ts';

/** `muster webhooks add`: prints the secret when Muster made it. Rejects with a sentence when the address, the query or the secret cannot be used. */
export async function addWebhookCommand(
  terminal: Terminal,
  url: string,
  options: {
    readonly database: string;
    readonly query?: string | undefined;
    readonly secret?: string | undefined;
    readonly includePrivate?: true | undefined;
  },
): Promise<void> {
  const now = new Date();
  const secret = options.secret ?? createSecret();
  const includePrivate = options.includePrivate ?? false;
  const endpoint = { url, secret, query: options.query ?? '', includePrivate };
  const id = await withServiceDatabase(openStored(terminal, options.database), now, db =>
    addEndpoint(db, endpoint, now),
  );
  terminal.note(
    `Added endpoint ${id}. It receives events of ${endpoint.query === '' ? 'every incident' : 'incidents that match'}${includePrivate ? ', private ones too' : ', but not of private ones'}.\n`,
  );
  if (options.secret === undefined) {
    terminal.note('The receiver checks the signature with this secret. Muster shows it only now:\n');
    terminal.print(`${secret}\n`);
  }
}

/** `muster webhooks list`: prints the endpoints and how many events wait for each, but never a secret. */
export async function listWebhooksCommand(terminal: Terminal, options: { readonly database: string }): Promise<void> {
  const endpoints = await withServiceDatabase(openStored(terminal, options.database), new Date(), listEndpoints);
  if (endpoints.length === 0) {
    terminal.note(
      'There are no endpoints yet. muster webhooks add <url> adds one, and so does the setting WEBHOOK_URLS.\n',
    );
    return;
  }
  const rows = endpoints.map(each => [
    String(each.id),
    each.url,
    each.query,
    each.includePrivate ? 'yes' : 'no',
    each.source === 'setting' ? 'WEBHOOK_URLS' : 'command',
    each.createdTime,
    String(each.waiting),
  ]);
  terminal.print(toTable([['id', 'address', 'query', 'private', 'from', 'added', 'waiting'], ...rows]));
}

/** `muster webhooks remove`: also gives up what waits for the endpoint. Rejects with a sentence when it cannot be removed. */
export async function removeWebhookCommand(
  terminal: Terminal,
  id: string,
  options: { readonly database: string },
): Promise<void> {
  const now = new Date();
  await withServiceDatabase(openStored(terminal, options.database), now, db => removeEndpoint(db, toID(id), now));
  terminal.note(`Removed endpoint ${id}. It will receive no further events.\n`);
}

/** `muster webhooks deliveries`: the delivery log, newest first. */
export async function listDeliveriesCommand(
  terminal: Terminal,
  options: { readonly database: string; readonly endpoint?: string; readonly status?: string; readonly limit: string },
): Promise<void> {
  const wanted = {
    limit: toLimit(options.limit),
    ...(options.endpoint === undefined ? {} : { endpointID: toID(options.endpoint) }),
    ...(options.status === undefined ? {} : { status: toStatus(options.status) }),
  };
  const deliveries = await withServiceDatabase(openStored(terminal, options.database), new Date(), db =>
    listDeliveries(db, wanted),
  );
  if (deliveries.length === 0) {
    terminal.note('There are no such deliveries.\n');
    return;
  }
  const rows = deliveries.map(each => [
    String(each.seq),
    each.createdTime,
    String(each.endpointID),
    each.event,
    String(each.incidentID),
    each.status,
    String(each.attempts),
    each.outcome,
    each.triedTime,
    each.id,
  ]);
  const headings = [
    'delivery',
    'created',
    'endpoint',
    'event',
    'incident',
    'status',
    'attempts',
    'outcome',
    'last tried',
    'id',
  ];
  terminal.print(toTable([headings, ...rows]));
}

/** `muster webhooks retry`: one delivery by its number, or with `failed` all that were given up or wait. A running Muster then sends them. */
export async function retryDeliveriesCommand(
  terminal: Terminal,
  number: string | undefined,
  options: { readonly database: string; readonly failed?: true | undefined; readonly endpoint?: string | undefined },
): Promise<void> {
  if ((number === undefined) === (options.failed === undefined)) throw new Error('Name one delivery, or --failed.');
  const now = new Date();
  const wanted = {
    seq: number === undefined ? undefined : toSeq(number),
    endpointID: options.endpoint === undefined ? undefined : toID(options.endpoint),
  };
  const { count, why } = await withServiceDatabase(openStored(terminal, options.database), now, async db => {
    const retried = await retryDeliveries(db, wanted, now);
    return { count: retried, why: retried === 0 && wanted.seq ? await whyNotRetried(db, wanted.seq) : '' };
  });
  if (why !== '') throw new Error(`Delivery ${number} cannot be sent again: ${why}.`);
  const said = count === 1 ? '1 delivery is' : `${count} deliveries are`;
  terminal.note(`${said} due now. A running Muster sends within seconds.\n`);
}

/** `muster webhooks discard`: gives one waiting delivery up, so that the later ones are sent. */
export async function discardDeliveryCommand(
  terminal: Terminal,
  number: string,
  options: { readonly database: string },
): Promise<void> {
  const now = new Date();
  await withServiceDatabase(openStored(terminal, options.database), now, db => discardDelivery(db, toSeq(number), now));
  terminal.note(`Discarded delivery ${number}. The later ones of its address are sent.\n`);
}

function toID(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error('Name an endpoint by its number. muster webhooks list shows the numbers.');
}

function toSeq(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Error('Name a delivery by its number. muster webhooks deliveries shows the numbers.');
}

function toStatus(text: string): DeliveryStatus {
  const found = deliveryStatuses.find(each => each === text);
  if (!found) throw new Error(`The status must be one of ${deliveryStatuses.join(', ')}.`);
  return found;
}
