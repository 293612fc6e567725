import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { eventsPath, type SignedRequest, signed } from '../../support/signed-command.ts';
import { signAsSlack } from '../../support/slack-signature.ts';
import { strangePayloads } from '../../support/strange-payloads.ts';
import { tokens } from '../../support/tokens.ts';
import { type FuzzRequest, requests } from '../fuzz/requests.ts';
import { anyValue, hostileText, longText } from '../fuzz/values.ts';
import type { Stand } from './stand.ts';

/** One input: a request to send as it is written, or the bytes of a connection. */
export type Input =
  | { readonly kind: 'calls and pages'; readonly request: FuzzRequest }
  | { readonly kind: Exclude<Kind, 'calls and pages'>; readonly bytes: Buffer };

/** The kinds of input, as the table of a run lists them. */
export const kinds = ['calls and pages', 'wire', 'pipelined', 'large and zipped', 'unsigned', 'signed'] as const;
/** One of {@link kinds}. */
export type Kind = (typeof kinds)[number];

const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`;

const target = fc.oneof(
  fc.constantFrom(
    '/',
    '*',
    '/incidents?q=a',
    '/openapi.json',
    '/api/dashboards/db',
    eventsPath,
    'http://x/healthz',
    '//',
    '/%',
  ),
  hostileText,
);
const headerLine = fc.oneof(
  fc.constantFrom(
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 5, 6',
    'Content-Length: 99999999999999999999',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Content-Encoding: gzip',
    'Expect: 100-continue',
    'Expect: tea',
    'Upgrade: websocket',
    'Connection: upgrade, keep-alive',
    ' folded',
    'No colon',
    ': nameless',
    `Authorization: Bearer ${tokens.Viewer}`,
    `Authorization: Bearer ${tokens.Editor}`,
    `Cookie: ${'x'.repeat(20_000)}`,
  ),
  hostileText.map(text => `X-Odd: ${text}`),
);
/** Heads and bodies that no client of HTTP would write. */
const wire = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'PRI', 'G\0T'),
    target,
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''),
    headers: fc.array(headerLine, { maxLength: 6 }),
    body: fc.oneof(fc.constantFrom('', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', 'hello', '\n5;x=y\nhello'), longText),
  })
  .map(({ method, target, version, headers, body }) => {
    return Buffer.from(lines(`${method} ${target} ${version}`, 'Host: x', ...headers) + body, 'latin1');
  });

const pipelined = fc
  .array(fc.constantFrom('/openapi.json', '/reference', '/incidents', '/healthz', '/a/x/incidents/1', '/nowhere'), {
    minLength: 2,
    maxLength: 6,
  })
  .chain(paths => fc.integer({ min: 1, max: 30 }).map(times => ({ paths, times })))
  .map(({ paths, times }) => {
    const round = paths.map(path => lines(`GET ${path} HTTP/1.1`, 'Host: x', 'If-None-Match: *')).join('');
    return Buffer.from(round.repeat(times));
  });

const piece = fc.constantFrom('{}', '[]', '0', '"x"', 'null', '{"a":[{"b":1}]}', '"\\u0000"', '[[[[]]]]');
const large = fc
  .record({
    path: fc.constantFrom(
      '/api/dashboards/db',
      '/api/plugins/grafana-irm-app/resources/api/v1/ActivityService.AddActivity',
    ),
    piece,
    bytes: fc.constantFrom(70_000, 1_000_000, 10_000_000),
    zipped: fc.boolean(),
    missing: fc.constantFrom(0, 0, 0, 100),
    role: fc.constantFrom('Viewer', 'Editor'),
  })
  .map(({ path, piece, bytes, zipped, missing, role }) => {
    const items = Array.from({ length: Math.floor(bytes / (piece.length + 1)) }, () => piece).join(',');
    const plain = Buffer.from(`{"dashboard":{"title":"Large","a":[${items}]},"incidentID":"1","overwrite":true}`);
    const body = zipped ? gzipSync(plain, { level: 1 }) : plain;
    const head = lines(
      `POST ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${tokens[role as 'Viewer' | 'Editor']}`,
      `Content-Length: ${body.length}`,
      ...(zipped ? ['Content-Encoding: gzip'] : []),
    );
    return Buffer.concat([Buffer.from(head), body.subarray(0, body.length - missing)]);
  });

const form = 'application/x-www-form-urlencoded';
const toPost = ({ headers, body }: SignedRequest) => {
  const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return Buffer.from(lines(`POST ${eventsPath} HTTP/1.1`, 'Host: x', 'Connection: close', length, ...given) + body);
};

const slackBody = fc.oneof(
  fc.constantFrom(
    'a&'.repeat(499_000),
    'ssl_check=1&token=x',
    `ssl_check=1&${'a&'.repeat(9000)}`,
    '',
    '{',
    'payload=%7B',
  ),
  fc.string({ maxLength: 3000 }),
);
const unsigned = fc
  .record({
    body: slackBody,
    contentType: fc.constantFrom(form, 'application/json', ''),
    signature: fc.constantFrom(undefined, 'v0=1', `v0=${'0'.repeat(64)}`, 'v1=x'),
    timestamp: fc.constantFrom(undefined, 'now', '0', 'soon', '999999999999'),
  })
  .map(({ body, contentType, signature, timestamp }) => {
    const now = String(Math.floor(Date.now() / 1000));
    const headers = {
      'content-type': contentType,
      ...(signature === undefined ? {} : { 'x-slack-signature': signature }),
      ...(timestamp === undefined ? {} : { 'x-slack-request-timestamp': timestamp === 'now' ? now : timestamp }),
    };
    return toPost({ headers, body });
  });

/** A payload with one member, at any depth, replaced. */
const bent = fc
  .tuple(fc.constantFrom(...strangePayloads.map(([, payload]) => payload)), fc.string({ maxLength: 12 }), anyValue)
  .map(([payload, name, value]) => {
    const names = [...Object.keys(payload), name];
    return { ...payload, [names[name.length % names.length] ?? name]: value };
  });

function toSigned({ slack, where }: Pick<Stand, 'slack' | 'where'>): fc.Arbitrary<Buffer> {
  const sign = (body: string, contentType: string) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signAsSlack(slack.signingSecret, timestamp, body);
    const headers = {
      'content-type': contentType,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signature,
    };
    return toPost({ headers, body });
  };
  const responseUrl = `${new URL(slack.apiUrl).origin}/respond/fuzz`;
  const words = fc.oneof(
    hostileText,
    longText.map(text => text.slice(0, 4000)),
  );
  return fc.oneof(
    fc
      .tuple(fc.constantFrom('/incident', '/task', '/note', '/role', '/dash', '/muster', '/none'), words)
      .map(([command, text]) => toPost(signed(slack, { command, text, responseUrl, ...where }))),
    fc
      .oneof(bent, anyValue)
      .map(value => sign(new URLSearchParams({ payload: JSON.stringify(value) ?? '' }).toString(), form)),
    fc.oneof(bent, anyValue).map(value => sign(JSON.stringify(value) ?? '', 'application/json')),
    slackBody.map(body => sign(body, form)),
  );
}

/** Everything that a hostile client may send to a Muster, also one that can sign as its Slack. */
export function toInputs(stand: Pick<Stand, 'slack' | 'where'>): fc.Arbitrary<Input> {
  const of = (kind: Exclude<Kind, 'calls and pages'>, bytes: fc.Arbitrary<Buffer>) =>
    bytes.map(each => ({ kind, bytes: each }));
  return fc.oneof(
    { weight: 40, arbitrary: requests.map(request => ({ kind: 'calls and pages' as const, request })) },
    { weight: 20, arbitrary: of('wire', wire) },
    { weight: 2, arbitrary: of('pipelined', pipelined) },
    { weight: 2, arbitrary: of('large and zipped', large) },
    { weight: 10, arbitrary: of('unsigned', unsigned) },
    { weight: 25, arbitrary: of('signed', toSigned(stand)) },
  );
}
