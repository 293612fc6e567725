import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { ActivityItem } from '../src/contract/activity.ts';
import { incidentBody } from '../test/support/incident-body.ts';

/** An incident API that answers what a note needs, each call after the same time. Disposing ends it. */
export interface SlowApi extends AsyncDisposable {
  /** For `GRAFANA_URL`. */
  readonly url: string;
  /** The methods that were called for people, oldest first: `ActivityService.AddActivity`. Polls are left out. */
  readonly calls: string[];
}

/** The token of the API; it takes any. */
export const apiToken = 'glsa_bench';

/** Opens the API on a free port. `ms`: how long each answer takes, in milliseconds. */
export async function openSlowApi(ms: number): Promise<SlowApi> {
  const calls: string[] = [];
  const server = createServer((request, response) => void answer(request, response, ms, calls));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, ms: number, calls: string[]): Promise<void> {
  const method = request.url?.split('/').at(-1) ?? '';
  // Whether there are pages: there are none.
  if (request.method !== 'POST') return void response.writeHead(404).end();
  if (!polled.includes(method)) calls.push(method);
  const [input] = await Promise.all([text(request), pause(ms)]);
  // The start tries the token with a change of an incident that there is not.
  const isTrial = method === 'IncidentsService.UpdateIncidentIsDrill';
  const body = Buffer.from(
    isTrial ? JSON.stringify({ error: 'incident not found' }) : bodyOf(method, JSON.parse(input)),
  );
  response.writeHead(isTrial ? 404 : 200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
}

/** Calls of the bot for which no person asked: at its start, and every few seconds. */
const polled = [
  'IncidentsService.GetHomescreenVersion',
  'IncidentsService.QueryIncidentPreviews',
  'IncidentsService.UpdateIncidentIsDrill',
];

let items = 0;

function bodyOf(method: string, input: { readonly [name: string]: string }): string {
  switch (method) {
    case 'ActivityService.AddActivity':
      return JSON.stringify({ activityItem: toItem(input), error: '' });
    case 'ActivityService.QueryActivity':
      return JSON.stringify({ activityItems: [], cursor: { nextValue: '', hasMore: false }, query: {}, error: '' });
    case 'IncidentsService.GetIncident':
      return incidentBody.replace('"incidentID":"42"', `"incidentID":"${input.incidentID}"`);
    case 'IncidentsService.GetHomescreenVersion':
      return JSON.stringify({ version: 1, error: '' });
    case 'IncidentsService.QueryIncidentPreviews':
      return JSON.stringify({ incidentPreviews: [], cursor: { nextValue: '', hasMore: false }, query: {}, error: '' });
    case 'RolesService.GetRoles':
      return JSON.stringify({ roles: [], error: '' });
    case 'UsersService.QueryUsers':
      return JSON.stringify({ users: [], cursor: { nextValue: '', hasMore: false }, query: {}, error: '' });
    default:
      throw new Error(`Nothing is known to answer ${method} with.`);
  }
}

function toItem({ incidentID = '', activityKind = '', body = '', eventTime = '' }): ActivityItem {
  items += 1;
  return {
    activityItemID: `item-${items}`,
    incidentID,
    user: { userID: 'grafana-incident:user-1', name: 'Ada Lovelace', photoURL: '' },
    subjectUser: { userID: '', name: '', photoURL: '' },
    createdTime: eventTime,
    activityKind,
    body,
    eventTime,
    url: '',
    fieldValues: {},
    attachments: [],
    relevance: 'automatic',
    immutable: false,
    tags: [],
  };
}

if (import.meta.main) {
  const { url } = await openSlowApi(Number(process.argv[2]));
  process.send?.(url);
  process.on('disconnect', () => process.exit());
}
