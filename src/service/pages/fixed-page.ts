import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '../call/accept-encoding.ts';
import { knowsTag } from './responses.ts';

/** A page that stays the same while the process runs. */
export interface FixedPage {
  /** Answers a request: the page, zipped where the client takes that, or 304 where it has it already (RFC 9110, 13.1.2). */
  answer(request: Request): Promise<Response>;
}

interface Made {
  readonly headers: Headers;
  readonly tag: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

const zip = promisify(gzip);

/** Keeps what `make` answers. It is made once, for the first request. */
export function createFixedPage(make: () => Promise<Response>): FixedPage {
  let made: Promise<Made> | undefined;
  const open = async (): Promise<Made> => {
    const response = await make();
    const plain = Buffer.from(await response.arrayBuffer());
    const tag = `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
    const headers = new Headers(response.headers);
    headers.set('etag', tag);
    headers.set('vary', 'Accept-Encoding');
    return { headers, tag, plain, zipped: await zip(plain) };
  };
  return {
    async answer(request) {
      made ??= open().catch(error => {
        made = undefined;
        throw error;
      });
      const { headers, tag, plain, zipped } = await made;
      if (knowsTag(request, tag)) return new Response(null, { status: 304, headers });
      if (!acceptsGzip(request.headers.get('accept-encoding'))) return new Response(plain, { headers });
      return new Response(zipped, { headers: [...headers, ['content-encoding', 'gzip']] });
    },
  };
}
