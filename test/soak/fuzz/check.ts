import { officialShapes } from '../../../src/conformance/shape-watch.ts';
import { tokens } from '../../support/tokens.ts';
import type { FuzzRequest } from './requests.ts';
import { markupMark } from './values.ts';

/** What came back. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What Node's server itself says to a request whose address or headers are too long. */
export const tooLong = 431;
/** The most milliseconds of its thread that an answer may take: an expression that goes wrong takes hours. */
const most = 10_000;
const call = /^\/api\/plugins\/[^/]+\/resources\/api\/v1\/*([A-Za-z]+\.[A-Za-z]+)$/;

/** Throws unless a request may be answered like this. `took`: milliseconds of the thread that answered. */
export function check(request: FuzzRequest, answer: FuzzAnswer, took = 0): void {
  const complaint = findComplaint(request, answer) ?? (took > most ? `it took ${Math.round(took)} ms` : undefined);
  if (complaint === undefined) return;
  const { method, path, way, body } = request;
  throw new Error(
    `${complaint}: ${way} ${method} ${path.slice(0, 300)} ${body?.toString('utf8').slice(0, 1000)} → ${answer.status} ${answer.text.slice(0, 500)}`,
  );
}

function findComplaint(request: FuzzRequest, { status, headers, text }: FuzzAnswer): string | undefined {
  if (status >= 500 || status < 200) return 'a failure of the service';
  const secrets = Object.values(tokens);
  const everything = `${text}${JSON.stringify([...headers])}`;
  if (secrets.some(each => everything.includes(each))) return 'a token in an answer';
  if (request.method === 'HEAD' || (text === '' && status < 400)) return undefined;
  if (status === tooLong) return undefined;
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/html') || type.startsWith('image/svg')) {
    return new RegExp(`<(script|img)[^>]*>?[^<]*${markupMark}`).test(text) ? 'markup that nobody escaped' : undefined;
  }
  if (!/^application\/(problem\+)?json/.test(type))
    return /^text\/(css|csv)/.test(type) ? undefined : `of type ${type}`;
  return findFault(request, status, JSON.parse(text));
}

/** What is wrong with the JSON of an answer. */
function findFault({ path, method }: FuzzRequest, status: number, body: Readonly<Record<string, unknown>>) {
  if (({} as Record<string, unknown>).polluted !== undefined) return 'a polluted prototype';
  const pathname = path.split('?')[0] ?? '';
  const operation = call.exec(pathname)?.[1];
  if (status < 300) {
    if (operation === undefined) return undefined;
    const shape = officialShapes[operation]?.safeParse(body);
    return shape?.error ? `not the official shape (${shape.error.message})` : undefined;
  }
  if (typeof body.message !== 'string' || body.message === '') return 'a refusal without message';
  const known = /^\/api\/plugins\//.test(pathname) && method === 'POST';
  return known && (typeof body.error !== 'string' || body.error === '') ? 'a refusal without error' : undefined;
}
