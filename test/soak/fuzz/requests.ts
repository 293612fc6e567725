import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { encodePeople, peopleHeader } from '../../../src/contract/acting.ts';
import { http, rpc, rpcBase } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/define.ts';
import { Folders } from '../../../src/contract/folders.ts';
import { tokens } from '../../support/tokens.ts';
import { toArbitrary } from './shapes.ts';
import { anyValue, hostileText, longText, queryText } from './values.ts';

/** A request to send, by one of the three ways into the service. */
export interface FuzzRequest {
  readonly way: 'in process' | 'app' | 'HTTP';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

type Sketch = Omit<FuzzRequest, 'way'>;
type Body = Pick<FuzzRequest, 'body'> & { readonly encoding?: string };

const rarely = <T>(often: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: often }, { weight: 1, arbitrary: seldom });

/** Adds a member that nests as deep as JSON.parse can read, and JSON.stringify could not write. */
function withDeep(text: string, member: string): Body {
  const deep = `{"title":"Deep","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  return { body: Buffer.from(text.replace(/}$/, `,"${member}":${deep}}`)) };
}

/** How a body may be spoiled between its writer and the service. */
const spoil: fc.Arbitrary<(text: string) => Body> = fc.constantFrom<((text: string) => Body)[]>(
  text => ({ body: Buffer.from(text.slice(0, Math.floor(text.length / 2))) }),
  text => ({ body: Buffer.from(`${text}}`) }),
  text => ({ body: Buffer.from(`\uFEFF${text}`) }),
  text => ({ body: Buffer.from(`[${text}]`) }),
  text => ({ body: Buffer.from(text, 'utf16le') }),
  text => ({ body: Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0xc0])]) }),
  text => ({ body: Buffer.from(text.replace(/"[^"]*"/, '"\\ud83d\\u0000"')) }),
  text => ({ body: Buffer.from(text.replace(/"([a-z])/, '"\xC3\x28$1'), 'latin1') }),
  text => ({ body: Buffer.from(text.replace(/:\s*[-\d.e]+/, ':1e400')) }),
  text => ({ body: Buffer.from(text.replace(/:[^,}]+/, ':NaN')) }),
  text => ({ body: Buffer.from(text.replace('{', '{"incidentID":"1","__proto__":{"polluted":true},')) }),
  text => ({ body: gzipSync(text), encoding: 'gzip' }),
  text => ({ body: gzipSync(text).subarray(0, 15), encoding: 'gzip' }),
  text => ({ body: gzipSync(Buffer.alloc(12_000_000, text || ' ')), encoding: 'gzip' }),
  text => ({ body: Buffer.from(text), encoding: 'gzip' }),
  text => ({ body: Buffer.from(text), encoding: 'br' }),
  () => ({ body: Buffer.alloc(0) }),
  () => ({ body: undefined }),
  () => ({ body: Buffer.from('"text"') }),
  () => ({ body: Buffer.from('['.repeat(100_000)) }),
  text => withDeep(text, 'fieldValues'),
  text => withDeep(text, 'fieldValues'),
  text => withDeep(text, 'fieldValues'),
  text => withDeep(text, 'dashboard'),
  () => ({ body: Buffer.from(`{"body":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`) }),
);

function toBody(input: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  const plain = input.map((value): Body => ({ body: Buffer.from(JSON.stringify(value) ?? '') }));
  const spoiled = fc.tuple(input, spoil).map(([value, change]) => change(JSON.stringify(value) ?? ''));
  return rarely(plain, spoiled, 10);
}

const person = fc.record({
  userID: fc.constantFrom('user:a', 'user:b'),
  name: hostileText.map(each => each.slice(0, 200)),
});
const actors = fc.oneof(
  person.map(actor => encodePeople({ actor })),
  fc.constantFrom('e30', '!!', 'bnVsbA', 'W10'),
);
const credentials = fc.constantFrom(
  '',
  'Bearer',
  'Bearer  ',
  'Basic YTpi',
  `bearer ${tokens.Editor}`,
  `Bearer ${tokens.Viewer}`,
  `Bearer ${tokens.Viewer} x`,
  `Bearer ${'x'.repeat(5000)}`,
  'Bearer glsa_0000000000000000000000000000000000000000000_00000000',
);
const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    accept: fc.constantFrom('application/problem+json', '*/*', ',;q=', 'text/html'),
    'accept-encoding': fc.constantFrom('gzip', 'gzip;q=0', 'br, gzip;q=0.1', '*', 'identity;q=0', ';;;=,'),
    'content-type': fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'multipart/form-data', ''),
    [peopleHeader]: actors,
    authorization: credentials,
    'x-forwarded-for': fc.constant('1, 2'),
    range: fc.constant('bytes=0-1'),
    'if-none-match': fc.constant('*'),
  },
  { requiredKeys: [] },
);
const headers = rarely(fc.constant({}), oddHeaders, 4);

function toRequests(
  target: fc.Arbitrary<{ method: string; path: string }>,
  body: fc.Arbitrary<Body>,
): fc.Arbitrary<Sketch> {
  return fc.tuple(target, headers, body).map(([{ method, path }, given, { body: sent, encoding }]) => ({
    method,
    path,
    headers: {
      authorization: `Bearer ${tokens.Admin}`,
      ...given,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
    body: sent,
  }));
}

const base = rarely(
  fc.constantFrom(rpcBase('grafana-irm-app'), rpcBase('grafana-incident-app')),
  fc.constantFrom(rpcBase('x'), rpcBase("%22'%3E"), `${rpcBase('grafana-irm-app')}//`, rpcBase('%')),
);

const calls = Object.entries(rpc).flatMap(([service, methods]) =>
  Object.entries(methods).map(([name, method]) =>
    toRequests(
      base.map(path => ({ method: 'POST', path: `${path}/${service}.${name}` })),
      toBody(toArbitrary(method.input)),
    ),
  ),
);

const segment = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('board', 'other', 'team', 'short', 'absent') },
  {
    weight: 5,
    arbitrary: fc.constantFrom('%', '%2f', '%00', '..', '%2e%2e', "'", '%ff', '%E2%80%AE', ';x', '@', '*'),
  },
  { weight: 5, arbitrary: hostileText.map(toSegment) },
  { weight: 1, arbitrary: longText.map(text => toSegment(text.slice(0, 3000))) },
);

function toSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const endpoints = [...Object.values(http), Folders].flatMap((group: Readonly<Record<string, Endpoint>>) =>
  Object.values(group).map(endpoint =>
    toRequests(
      segment.map(uid => ({ method: endpoint.httpMethod, path: endpoint.path.replace(/:\w+/, uid) })),
      endpoint.httpMethod === 'GET' ? fc.constant({ body: undefined }) : toBody(toArbitrary(endpoint.input)),
    ),
  ),
);

const parameter = fc.tuple(
  fc.constantFrom(
    'title',
    'title',
    'severity',
    'status',
    'drill',
    'labels',
    'roomprefix',
    'url',
    'caption',
    'includes',
    'token',
  ),
  fc.oneof(hostileText, fc.constantFrom('incident', 'minor', 'true', 'a,b,,c', 'https://a.example/')),
);
const incoming = toRequests(
  fc
    .tuple(
      fc.constantFrom('/api/experimental/incoming-webhook', `${rpcBase('grafana-irm-app')}/incoming-webhooks`),
      fc.array(parameter, { maxLength: 6 }),
    )
    .map(([place, parameters]) => {
      const query = parameters.map(([name, value]) => `${name}=${toSegment(value.slice(0, 2000))}`).join('&');
      return { method: 'POST', path: `${place}/grafana.incident.create?${query}` };
    }),
  toBody(anyValue),
);

const pageQuery = fc.oneof(
  fc.constant(''),
  queryText.map(text => `?q=${toSegment(text.slice(0, 3000))}`),
  fc
    .tuple(
      fc.constantFrom('q', 'status', 'severity', 'drills', 'after', 'show', 'theme', 'version', 'from', 'to'),
      hostileText,
    )
    .map(([name, value]) => `?${name}=${toSegment(value.slice(0, 2000))}`),
);
const pages = toRequests(
  fc
    .tuple(
      fc.constantFrom(
        '/incidents',
        '/incidents/figures',
        '/incidents.csv',
        '/a/grafana-irm-app/incidents/1/x',
        '/a/x/incidents/2',
        '/d/board/x',
        '/d/board/x/model.json',
        '/openapi.json',
        '/reference',
      ),
      pageQuery,
      rarely(
        fc.constant(''),
        segment.map(each => `/${each}`),
        6,
      ),
    )
    .map(([path, query, more]) => ({ method: 'GET', path: `${path}${more}${query}` })),
  fc.constant({ body: undefined }),
);

const oddPath = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '/',
        '//',
        '..',
        '.',
        '%2f',
        '%',
        'api',
        'plugins',
        'grafana-irm-app',
        'resources',
        'v1',
        'd',
        'goto',
      ),
      {
        maxLength: 12,
      },
    )
    .map(parts => `/${parts.join('/')}`),
  fc.constantFrom(
    '/',
    '/?',
    '/api/dashboards/uid/board/',
    '/API/dashboards/home',
    '/api/dashboards/home?x=%',
    '/api/plugins/grafana-irm-app/resources/api/v1IncidentsService.GetIncident',
    '/api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.__proto__',
    '/api/plugins/grafana-irm-app/resources/api/v1/constructor.constructor',
    '/api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.GetIncident/..',
    '/api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.GetIncident%00',
    '/.env',
    '/api/../../etc/passwd',
  ),
  segment.map(each => `/goto/${each}`),
  longText.map(text => `/${toSegment(text.slice(0, 3000))}`),
);
const odd = toRequests(
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'get', 'QUERY'),
    path: oddPath,
  }),
  toBody(anyValue),
);

const wildMethods = fc
  .tuple(fc.oneof(...endpoints, ...calls), fc.constantFrom('GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'))
  .map(([request, method]): Sketch => ({ ...request, method }));

/** Requests to everything that the service answers, mostly of the contract's own shapes. */
export const requests: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    fc.constantFrom<FuzzRequest['way'][]>('in process', 'app', 'app', 'HTTP'),
    fc.oneof(
      { weight: 70, arbitrary: fc.oneof(...calls) },
      { weight: 20, arbitrary: fc.oneof(...endpoints) },
      { weight: 4, arbitrary: incoming },
      { weight: 3, arbitrary: pages },
      { weight: 4, arbitrary: odd },
      { weight: 2, arbitrary: wildMethods },
    ),
  )
  .map(([way, request]) => ({ ...request, way }));
