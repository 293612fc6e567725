import { parseAccept } from 'hono/utils/accept';
import { errorCodes, type RpcError } from '../../contract/errors.ts';
import type { ServiceOptions } from '../call/options.ts';
import { toHtmlResponse } from './responses.ts';

/** Whether a request would rather have a page than JSON, as browsers do. */
export function asksForPage(request: Pick<Request, 'headers'>): boolean {
  const asked = parseAccept(request.headers.get('accept') ?? '').filter(({ q }) => q > 0);
  const first = asked.find(({ type }) => /^(text\/html|application\/(xhtml\+xml|json))$/i.test(type));
  return first !== undefined && !/json$/i.test(first.type);
}

/** The page for a person whose short link does not lead on: why, and what they may do. */
export async function deadLinkPage(options: ServiceOptions, { code, message }: RpcError): Promise<Response> {
  const { toApology } = await import('./document.ts');
  const { status } = errorCodes[code];
  const unused =
    options.shortUrlDays === 0
      ? ''
      : `, or nobody opened it within ${options.shortUrlDays === 1 ? 'a day' : `${options.shortUrlDays} days`} and no timeline names it`;
  const [title, sentence] =
    code === 'not_found'
      ? [
          'This short link leads nowhere',
          `It was never made, its address is cut off${unused}. Ask the person who gave it to you for the full address, or look for the dashboard’s path in the note beside it.`,
        ]
      : code === 'unauthenticated' || code === 'permission_denied'
        ? [
            'This short link opens with a token only',
            'Short links open for everybody when the service runs with PAGES=open. Ask the person who runs it.',
          ]
        : ['Not right now', `${message}. Try again in a minute.`];
  return toHtmlResponse(await toApology(options, title, sentence), status);
}

/** The page for a person who came to an address where nothing is. */
export async function nowherePage(options: ServiceOptions): Promise<Response> {
  const { toApology } = await import('./document.ts');
  const sentence =
    options.pages === 'open'
      ? 'Check the address, or begin with the list of incidents.'
      : 'The pages of this service are off, so links to incidents and dashboards open nothing. The person who runs it can set PAGES=open.';
  return toHtmlResponse(await toApology(options, 'There is no such page', sentence), 404);
}
