import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AlertSource } from '../../config/alert-sources.ts';
import type { AlertGroup } from '../incident/state/alert-group.ts';
import { createHookDoor, type DoorParts, type Sender, type StoredResult } from './hook-door.ts';
import type { ReadBody } from './large-bodies.ts';
import { parseBody } from './parse-body.ts';
import { BodyHead } from './read/body-head.ts';

interface DoorDeps extends DoorParts {
  readonly sources: readonly AlertSource[];
  /** The group of alerts that a body tells of. Throws an `UnreadableAlert`. */
  readonly read: (source: AlertSource, body: unknown) => AlertGroup;
  /** Sees a body through its reading. */
  readonly hold: ReadBody;
  /** Stores what a group tells. Resolves when it is durable. */
  readonly hear: (source: AlertSource, group: AlertGroup) => Promise<StoredResult>;
}

/** The one answer to an unknown name, no token and a wrong one. */
const noEntry = {
  why: 'There is no such source, or the token is not its token. Send the token as Authorization: Bearer <token>, as the password of Basic, or at the end of the address: /hooks/alerts/<name>/<token>.',
  headers: { 'www-authenticate': 'Bearer, Basic realm="alerts"' },
};

/** Takes what monitoring sends to `/hooks/alerts/<name>`. It looks at the token before it reads the body. */
export function createAlertDoor({ sources, read, hold, hear, ...rest }: DoorDeps): RequestListener {
  return createHookDoor({
    ...{ many: 'alerts', one: 'alert', noEntry, ...rest },
    check: createTokenCheck(sources),
    // The paths of a mapping may lead anywhere in a body.
    partOf: ({ mapping }) => (mapping === undefined ? new BodyHead() : undefined),
    take: (source, body) => hold(source.name, body, async () => await hear(source, read(source, parseBody(body)))),
  });
}

/** Where tools send alerts: `/hooks/alerts/<name>`, or `/hooks/alerts/<name>/<token>` for those that send no headers. */
const alertsPath = '/hooks/alerts/';

/** A source, with the digests of its tokens. */
interface Lock {
  readonly source: AlertSource | undefined;
  readonly keys: readonly Buffer[];
}

/** Finds the source of a request by the name in its address and by its token. Takes as long for an unknown name as for a wrong token. */
function createTokenCheck(sources: readonly AlertSource[]): (request: IncomingMessage) => Sender<AlertSource> {
  // Two keys for every source, so that each check compares as often.
  const toLock = (source: AlertSource): Lock => {
    const keys = source.tokens.map(digest);
    return { source, keys: [...keys, ...keys].slice(0, Math.max(2, keys.length)) };
  };
  const locks = new Map(sources.map(source => [source.name, toLock(source)]));
  const nobodys: Lock = { source: undefined, keys: [randomBytes(32), randomBytes(32)] };
  return request => {
    const { name, token } = readAddress(request.url ?? '');
    const shown = tokensOf(request, token);
    const lock = locks.get(name) ?? nobodys;
    let fits = false;
    for (const each of shown.map(digest)) for (const key of lock.keys) fits = timingSafeEqual(each, key) || fits;
    if (!lock.source) return { source: undefined, name: '', why: 'unknown source' };
    if (fits) return { source: lock.source, name, why: '' };
    return { source: undefined, name, why: shown.length === 0 ? 'no token' : 'wrong token' };
  };
}

/** Digests are of one length, which those who compare in constant time need. */
function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The two parts of an address. A token may have slashes: what is made in base64 has some. */
function readAddress(url: string): { readonly name: string; readonly token: string } {
  const [path = ''] = url.split('?', 1);
  const rest = path.slice(alertsPath.length);
  const end = rest.indexOf('/');
  return end < 0 ? { name: rest, token: '' } : { name: rest.slice(0, end), token: toPlain(rest.slice(end + 1)) };
}

function toPlain(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The tokens that a request shows. Two headers of authorization show none: a proxy and Muster may each look at another one. */
function tokensOf({ headersDistinct }: IncomingMessage, inPath: string): readonly string[] {
  const { authorization = [] } = headersDistinct;
  const [header = ''] = authorization;
  if (authorization.length > 1) return [];
  return [toToken(header), inPath].filter(each => each !== '');
}

/** The token in a header of authorization: the one of Bearer, or the password of Basic. */
function toToken(header: string): string {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+) *$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : '';
}
