import { parseAccept } from 'hono/utils/accept';

/*
 * The headers of pages. A page runs no script, loads nothing from elsewhere, and cannot be framed. Text of an incident could
 * not act even if it were sent unescaped.
 */

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

const inertPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const pagePolicy = `${inertPolicy}; style-src 'self'; img-src 'self'; script-src 'none'; form-action 'self'`;

const fresh = 'private, no-cache';
const forever = 'public, max-age=31536000, immutable';

/** An HTML page. */
export function toHtmlResponse(text: string, status = 200): Response {
  return answer(text, { type: 'text/html', policy: pagePolicy, cache: fresh, status });
}

/** Whether a browser has what a tag is of (RFC 9110, 13.1.2). */
export function knowsTag({ headers }: Request, tag: string): boolean {
  const bare = (each: string) => each.trim().replace(/^W\//, '');
  return (headers.get('if-none-match') ?? '').split(',').some(each => [bare(tag), '*'].includes(bare(each)));
}

/** The answer to a browser that has the page of a tag already. */
export function toUnchangedResponse(tag: string): Response {
  return new Response(null, { status: 304, headers: { ...always, 'cache-control': fresh, etag: tag } });
}

/** A JSON document to read or to download. */
export function toJsonResponse(value: unknown): Response {
  return answer(`${JSON.stringify(value, null, 2)}\n`, { type: 'application/json', policy: inertPolicy, cache: fresh });
}

/** A table to download. */
export function toCsvResponse(text: ReadableStream<Uint8Array>, name: string): Response {
  const response = answer(text, { type: 'text/csv', policy: inertPolicy, cache: fresh });
  response.headers.set('content-disposition', `attachment; filename="${name}"`);
  return response;
}

/** A file whose address changes when its content does. */
export function toAssetResponse(text: string, type: 'text/css' | 'image/svg+xml'): Response {
  return answer(text, { type, policy: inertPolicy, cache: forever });
}

/** The headers of an answer that is no page: a refusal in JSON, or a redirect. */
export const bareHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** A redirect to another page. */
export function toRedirect(location: string): Response {
  return new Response(null, { status: 302, headers: { ...bareHeaders, location } });
}

function answer(
  text: string | ReadableStream<Uint8Array>,
  { type, policy, cache, status = 200 }: { type: string; policy: string; cache: string; status?: number },
): Response {
  const own = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy, 'cache-control': cache };
  return new Response(text, { status, headers: { ...always, ...own } });
}

/** Whether a request would rather have a page than JSON, as browsers do. An address below `/api/` is never a page. */
export function asksForPage(request: Request): boolean {
  if (/^\/+api(?:\/|$)/.test(new URL(request.url).pathname)) return false;
  const asked = parseAccept(request.headers.get('accept') ?? '').filter(({ q }) => q > 0);
  const first = asked.find(({ type }) => /^(text\/html|application\/(xhtml\+xml|json))$/i.test(type));
  return first !== undefined && !/json$/i.test(first.type);
}
