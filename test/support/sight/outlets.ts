import { onTestFinished } from 'vitest';
import type { Channel, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { createClient } from '../../../src/client/client.ts';
import { openHttpTransport } from '../../../src/client/transport.ts';
import { type Api, rpc } from '../../../src/contract/contract.ts';
import { openApiSource } from '../../../src/transfer/api-source.ts';
import { comeIn, openBrowser } from '../browser-of.ts';
import { patient } from '../deadlines.ts';
import { openReceiver } from '../webhook-receiver.ts';
import type { Workplace } from '../workplace.ts';

const pages = [
  '/incidents',
  '/incidents?q=status:active',
  '/incidents/figures',
  '/incidents.csv',
  '/a/grafana-irm-app/incidents/1',
  '/a/grafana-irm-app/incidents/1/any-slug',
];
const token = 'glsa_of_an_outsider_0123456789';

/** The outlets of a Muster that is started with these settings: its pages, a token, and the address of its webhooks. */
export async function openOutlets(role: 'Viewer' | 'Admin' = 'Viewer') {
  const receiver = await openReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return {
    settings: {
      PAGES: 'open',
      SERVICE_TOKENS: `${token}:${role}`,
      WEBHOOK_URLS: receiver.url,
      WEBHOOK_SECRET: 'a-secret-of-the-webhooks',
    },
    /** Reads all of them. */
    read: async ({ muster, api }: Pick<Workplace, 'muster' | 'api'>): Promise<ReadonlyMap<string, string>> => {
      const said = new Map<string, string>();
      for (const page of pages) {
        said.set(`page ${page}`, await readPage(`${muster.url}${page}`, {}));
        said.set(
          `page ${page}, with a token`,
          await readPage(`${muster.url}${page}`, { authorization: `Bearer ${token}` }),
        );
      }
      await using transport = openHttpTransport({ baseUrl: muster.url, connections: 1 });
      const viewer = createClient({ ...patient().api, transport, token });
      for (const [name, answer] of await readApi(viewer)) said.set(name, answer);
      for (const [name, record] of await readExport(viewer, muster.url)) said.set(name, record);
      // An address gets its events in order, so those before this one have come.
      const mark = `Somebody else’s, number ${receiver.received.length}`;
      await api.IncidentsService.CreateIncident({ ...blank, title: mark });
      while (!receiver.received.some(each => each.payload.incident.title === mark)) {
        await receiver.first(receiver.received.length + 1);
      }
      for (const { payload, body } of receiver.received) said.set(`webhook ${payload.id}`, body);
      return said;
    },
  };
}

const overview = '/a/grafana-irm-app/incidents/1';
const peoplesPages = [
  ...pages,
  ...[`${overview}?show=all`, '/incidents?q=zanzi', '/incidents?severity=critical', '/incidents/figures?by=label'],
  ...['/d/cpu-load', '/d/cpu-load/cpu-load', '/dashboards', '/incidents/1', '/nowhere'],
];

/**
 * The pages with PAGES=slack in the browsers of people whom Slack let in from a channel, and of somebody without a cookie. The list says
 * that there is no incident to people who may see none: the only one is secret.
 */
export async function openReaders(
  place: Pick<Workplace, 'muster' | 'slack' | 'quiet' | 'messages'>,
  people: readonly Person[],
  from: Channel,
) {
  const readers: { readonly name: string; readonly id: string; readonly browser: ReturnType<typeof openBrowser> }[] = [
    { name: 'somebody', id: '', browser: openBrowser(place) },
  ];
  for (const person of people)
    readers.push({ name: person.name, id: person.id, browser: (await comeIn(place, person, from.name)).browser });
  return {
    /** Where people read what they may not, or do not read what they may. `mayRead`: whether a person of that id may. */
    faults: async (mayRead: (userId: string) => boolean, isSecret: (text: string) => boolean) => {
      const faults: string[] = [];
      for (const { name, id, browser } of readers) {
        const shown = new Map<string, string>();
        for (const page of peoplesPages) {
          const { status, text, headers } = await browser.ask(page);
          shown.set(page, text);
          const isTold = isSecret(`${text} ${headers.get('location') ?? ''} ${headers.get('etag') ?? ''}`);
          if (!mayRead(id) && isTold) faults.push(`${name} reads ${page}`);
          if (
            !mayRead(id) &&
            page === '/incidents' &&
            status === 200 &&
            !text.includes('There has been no incident yet')
          )
            faults.push(`${name} sees that there is an incident`);
        }
        const expected = ['/incidents', '/incidents?q=zanzi', '/incidents.csv', overview, '/d/cpu-load/cpu-load'];
        for (const page of expected)
          if (mayRead(id) && !isSecret(shown.get(page) ?? '') && !(page.startsWith('/d/') && name === 'gus'))
            faults.push(`${name} does not read ${page}`);
      }
      return faults;
    },
  };
}

const blank = {
  severity: 'minor',
  roomPrefix: '',
  isDrill: false,
  status: 'active',
  attachCaption: '',
  attachURL: '',
} as const;

async function readPage(url: string, headers: Record<string, string>): Promise<string> {
  return await (await fetch(url, { headers })).text();
}

/** What every operation that reads answers about incident 1, and about all. Who has an account is no secret. */
async function readApi(viewer: Api): Promise<readonly [string, string][]> {
  const reads = Object.entries(rpc)
    .filter(([service]) => service !== 'UsersService')
    .flatMap(([service, methods]) =>
      Object.entries(methods as Record<string, { effect: string }>)
        .filter(([, { effect }]) => effect === 'read')
        .map(([name]) => [service, name] as const),
    );
  const input = { incidentID: '1', query: { incidentID: '1', limit: 100 } };
  return await Promise.all(
    reads.map(async ([service, name]): Promise<[string, string]> => {
      const call = Reflect.get(Reflect.get(viewer, service), name) as (input: object) => Promise<unknown>;
      return [`${service}.${name}`, await call(input).then(JSON.stringify, String)];
    }),
  );
}

/** The records of an export that a viewer makes. */
async function readExport(api: Api, address: string): Promise<readonly [string, string][]> {
  const records: [string, string][] = [];
  for await (const incident of openApiSource({ api, address, dashboards: [] }).incidents())
    records.push([`export of incident ${incident.incidentID}`, JSON.stringify(incident)]);
  return records;
}
