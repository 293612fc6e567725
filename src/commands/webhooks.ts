import type { Command } from 'commander';
import { withServiceDatabase } from '../service/maintenance.ts';
import { deliveryStatuses } from '../service/store/webhooks.ts';
import {
  addEndpoint,
  createSecret,
  listDeliveries,
  listEndpoints,
  removeEndpoint,
} from '../service/webhooks/endpoints.ts';
import { discardDelivery, retryDeliveries, whyNotRetried } from '../service/webhooks/resend.ts';
import { addExample, type Host, toLimit, toTable } from './command.ts';
import { addRows, type DatabaseCommand } from './stored-database.ts';

/** `muster webhooks`: endpoints that receive events of incidents, in the database. It prints a secret only where it made it. */
export function register(program: Command, host: Host): void {
  const group = program
    .command('webhooks')
    .description('manage the addresses that receive events of incidents, also while Muster runs');
  addExample(group, 'muster webhooks list');
  addRows(group, host, rows);
}

const rows: readonly DatabaseCommand[] = [
  {
    usage: 'add <url>',
    summary: 'send events to an address from now on',
    options: [
      ['--query <query>', 'only of incidents that match, such as "severity:critical isdrill:false"'],
      ['--include-private', 'also of private incidents, which only their people see in Muster'],
      ['--secret <secret>', 'signs the events; without it, Muster makes a secret and prints it'],
    ],
    examples: ['muster webhooks add https://example.com/hook --query "severity:critical"'],
    act: async (
      { terminal, open },
      url: string,
      options: { readonly query?: string; readonly secret?: string; readonly includePrivate?: boolean },
    ) => {
      const { query = '', secret = createSecret(), includePrivate = false } = options;
      const now = new Date();
      const endpoint = { url, secret, query, includePrivate };
      const id = await withServiceDatabase(open(), now, db => addEndpoint(db, endpoint, now));
      terminal.note(
        `Added endpoint ${id}. It receives events of ${query === '' ? 'every incident' : 'incidents that match'}${includePrivate ? ', private ones too' : ', but not of private ones'}.\n`,
      );
      if (options.secret !== undefined) return;
      terminal.note('The receiver checks the signature with this secret. Muster shows it only now:\n');
      terminal.print(`${secret}\n`);
    },
  },
  {
    usage: 'list',
    summary: 'list the addresses, with how many events wait for each',
    examples: ['muster webhooks list'],
    act: async ({ terminal, open }) => {
      const endpoints = await withServiceDatabase(open(), new Date(), listEndpoints);
      if (endpoints.length === 0) {
        terminal.note(
          'There are no endpoints yet. muster webhooks add <url> adds one, and so does the setting WEBHOOK_URLS.\n',
        );
        return;
      }
      const cells = endpoints.map(each => [
        ...[String(each.id), each.url, each.query, each.includePrivate ? 'yes' : 'no'],
        ...[each.source === 'setting' ? 'WEBHOOK_URLS' : 'command', each.createdTime, String(each.waiting)],
      ]);
      terminal.print(toTable([['id', 'address', 'query', 'private', 'from', 'added', 'waiting'], ...cells]));
    },
  },
  {
    usage: 'remove <id>',
    summary: 'send no further events to an address',
    examples: ['muster webhooks remove 2'],
    act: async ({ terminal, open }, id: string) => {
      const now = new Date();
      await withServiceDatabase(open(), now, db => removeEndpoint(db, toID(id), now));
      terminal.note(`Removed endpoint ${id}. It will receive no further events.\n`);
    },
  },
  {
    usage: 'deliveries',
    summary: 'show the deliveries and their outcomes, newest first',
    options: [
      ['--endpoint <id>', 'only to one address, by its number'],
      ['--status <status>', 'only todo, success or failed'],
      ['--limit <count>', 'how many', '50'],
    ],
    examples: ['muster webhooks deliveries --status failed'],
    act: async (
      { terminal, open },
      options: { readonly endpoint?: string; readonly status?: string; readonly limit: string },
    ) => {
      const limit = toLimit(options.limit);
      const endpointID = options.endpoint === undefined ? undefined : toID(options.endpoint);
      const status = deliveryStatuses.find(each => each === options.status);
      if (options.status !== undefined && !status)
        throw new Error(`The status must be one of ${deliveryStatuses.join(', ')}.`);
      const deliveries = await withServiceDatabase(open(), new Date(), db =>
        listDeliveries(db, { limit, endpointID, status }),
      );
      if (deliveries.length === 0) {
        terminal.note('There are no such deliveries.\n');
        return;
      }
      const cells = deliveries.map(each => [
        ...[String(each.seq), each.createdTime, String(each.endpointID), each.event, String(each.incidentID)],
        ...[each.status, String(each.attempts), each.outcome, each.triedTime, each.id],
      ]);
      const headings = 'delivery,created,endpoint,event,incident,status,attempts,outcome,last tried,id'.split(',');
      terminal.print(toTable([headings, ...cells]));
    },
  },
  {
    usage: 'retry [delivery]',
    summary: 'send a delivery again, or all that were given up; a running Muster does it within seconds',
    options: [
      ['--failed', 'every delivery that was given up, and at once what waits'],
      ['--endpoint <id>', 'of these only those to one address, by its number'],
    ],
    examples: ['muster webhooks retry --failed'],
    act: async (
      { terminal, open },
      delivery: string | undefined,
      { failed, endpoint }: { readonly failed?: true; readonly endpoint?: string },
    ) => {
      if ((delivery === undefined) === (failed === undefined)) throw new Error('Name one delivery, or --failed.');
      const now = new Date();
      const seq = delivery === undefined ? undefined : toSeq(delivery);
      const endpointID = endpoint === undefined ? undefined : toID(endpoint);
      const { count, why } = await withServiceDatabase(open(), now, async db => {
        const retried = await retryDeliveries(db, { seq, endpointID }, now);
        return { count: retried, why: retried === 0 && seq ? await whyNotRetried(db, seq) : '' };
      });
      if (why !== '') throw new Error(`Delivery ${delivery} cannot be sent again: ${why}.`);
      const due = count === 1 ? '1 delivery is' : `${count} deliveries are`;
      terminal.note(`${due} due now. A running Muster sends within seconds.\n`);
    },
  },
  {
    usage: 'discard <delivery>',
    summary: 'give a waiting delivery up, so that the later ones of its address are sent',
    examples: ['muster webhooks discard 12'],
    act: async ({ terminal, open }, delivery: string) => {
      const now = new Date();
      await withServiceDatabase(open(), now, db => discardDelivery(db, toSeq(delivery), now));
      terminal.note(`Discarded delivery ${delivery}. The later ones of its address are sent.\n`);
    },
  },
];

function toID(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error('Name an endpoint by its number. muster webhooks list shows the numbers.');
}

function toSeq(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Error('Name a delivery by its number. muster webhooks deliveries shows the numbers.');
}
