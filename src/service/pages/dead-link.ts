import { parseAccept } from 'hono/utils/accept';
import { errorCodes, type RpcError } from '../../contract/errors.ts';
import type { ServiceOptions } from '../call/options.ts';
import { toHtmlResponse } from './responses.ts';

/** Whether a request would rather have a page than JSON, as browsers do. An address below `/api/` is never a page. */
export function asksForPage(request: Request): boolean {
  if (/^\/+api(?:\/|$)/.test(new URL(request.url).pathname)) return false;
  const asked = parseAccept(request.headers.get('accept') ?? '').filter(({ q }) => q > 0);
  const first = asked.find(({ type }) => /^(text\/html|application\/(xhtml\+xml|json))$/i.test(type));
  return first !== undefined && !/json$/i.test(first.type);
}

/** The page for a person whose address cannot be answered: what was asked, why it fails, and where to go on. */
export async function errorPage(options: ServiceOptions, { url, method }: Request, error: RpcError): Promise<Response> {
  const { explain, toApology } = await import('./error-words.ts');
  const { pathname } = new URL(url);
  const words = explain(options, { path: pathname, method }, error);
  return toHtmlResponse(await toApology(options, pathname, words), errorCodes[error.code].status);
}
