import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { acceptsGzip } from '../call/accept-encoding.ts';
import { knowsTag } from './responses.ts';

/** Answers a request: the page, zipped where the client takes that, or 304 where it has it already (RFC 9110, 13.1.2). */
type FixedPage = (request: Request) => Promise<Response>;

const zip = promisify(gzip);

/** Keeps what `make` answers while the process runs. It is made once, for the first request, and again if that failed. */
export function createFixedPage(make: () => Promise<Response>): FixedPage {
  let made: ReturnType<typeof keep> | undefined;
  const keep = async () => {
    const response = await make();
    const plain = Buffer.from(await response.arrayBuffer());
    const tag = `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
    const headers = [...response.headers, ['etag', tag], ['vary', 'Accept-Encoding']] as [string, string][];
    return { tag, headers, plain, zipped: await zip(plain, { level: constants.Z_BEST_COMPRESSION }) };
  };
  return async request => {
    made ??= keep().catch(error => {
      made = undefined;
      throw error;
    });
    const { tag, headers, plain, zipped } = await made;
    if (knowsTag(request, tag)) return new Response(null, { status: 304, headers });
    if (!acceptsGzip(request.headers.get('accept-encoding'))) return new Response(plain, { headers });
    return new Response(zipped, { headers: [...headers, ['content-encoding', 'gzip']] });
  };
}
