import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { RpcError } from '../../contract/errors.ts';
import { invalidArgument } from '../call/errors.ts';

const unzip = promisify(gunzip);

/**
 * The text of a request's body, unzipped when it is zipped. Throws `payload_too_large` after `most` bytes, without reading the
 * rest.
 */
export async function readRequestBody(request: Request, most: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most);
  return await toBodyText(await readBytes(request, most), request.headers.get('content-encoding') ?? undefined, most);
}

/** The text of a whole body. A body with `content-encoding: gzip` is unzipped, up to `most` bytes. */
export async function toBodyText(body: Buffer, encoding: string | undefined, most: number): Promise<string> {
  if (encoding?.trim().toLowerCase() !== 'gzip') return body.toString('utf8');
  try {
    return (await unzip(body, { maxOutputLength: most })).toString('utf8');
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(most);
    throw invalidArgument('the body cannot be unzipped, although its content-encoding says gzip');
  }
}

async function readBytes(request: Request, most: number): Promise<Buffer> {
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength;
      if (size > most) throw tooLarge(most);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw brokenOff(error);
  }
  return Buffer.concat(chunks);
}

/** The error for a body of more than `most` bytes. */
export function tooLarge(most: number): RpcError {
  return new RpcError('payload_too_large', `the body must be at most ${most / 1024} KiB`);
}

/** The error for a body that broke off. */
export function brokenOff(cause: unknown): RpcError {
  return new RpcError('invalid_argument', 'the body is incomplete: the connection ended before it did', { cause });
}
