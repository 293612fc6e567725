import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { RpcError } from '../../contract/errors.ts';
import { invalidArgument } from '../call/errors.ts';
import { type BodyRoom, smallBody } from './body-budget.ts';

const unzip = promisify(gunzip);
const mebibyte = 1024 * 1024;
/** How many times its size a body may unzip to, when that is more than a MiB. */
const mostRatio = 50;

/** A body that has not been read. */
export interface UnreadBody {
  /** Its size in bytes as the request gives it; absent when it does not. */
  readonly length: number | undefined;
  /** Its `content-encoding`. */
  readonly encoding: string | undefined;
  /** Reads the bytes. `take` sees the size of each part; when it throws, reading ends with that error. */
  read(take: (bytes: number) => void): Promise<Buffer>;
}

/**
 * The text of a body, unzipped when it is zipped. Room for it is taken before it is kept. Throws `payload_too_large` after
 * `most` bytes, without reading the rest, and `unsupported_encoding` for any encoding but gzip.
 */
export async function readBody(body: UnreadBody, most: number, room: BodyRoom): Promise<string> {
  const { length = most } = body;
  const zipped = isZipped(body.encoding);
  if (length > most) throw tooLarge(most);
  const large = zipped || length > smallBody;
  if (large) await room.reserve(zipped ? length + mostUnzipped(length, most) : length);
  let size = 0;
  const bytes = await body.read(part => {
    size += part;
    if (size > most) throw tooLarge(most);
    if (!large) room.grow(part);
  });
  const plain = zipped ? await toUnzipped(bytes, most) : bytes;
  room.keep(plain.byteLength);
  return plain.toString('utf8');
}

/** The body of a web request. */
export function webBody(request: Request): UnreadBody {
  const length = request.headers.get('content-length');
  return {
    // The adapter keeps a connection whose body was not read.
    length: length !== null ? Number(length) : request.body === null ? 0 : undefined,
    encoding: request.headers.get('content-encoding') ?? undefined,
    read: take => readBytes(request, take),
  };
}

async function readBytes(request: Request, take: (bytes: number) => void): Promise<Buffer> {
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of request.body) {
      take(chunk.byteLength);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof RpcError ? error : brokenOff(error);
  }
  return Buffer.concat(chunks);
}

function isZipped(encoding = ''): boolean {
  const coding = encoding.trim().toLowerCase();
  if (coding !== '' && coding !== 'identity' && coding !== 'gzip') {
    throw new RpcError('unsupported_encoding', 'the body must be sent as it is or with content-encoding: gzip');
  }
  return coding === 'gzip';
}

function mostUnzipped(length: number, most: number): number {
  return Math.min(most, Math.max(mebibyte, length * mostRatio));
}

async function toUnzipped(bytes: Buffer, most: number): Promise<Buffer> {
  const limit = mostUnzipped(bytes.byteLength, most);
  try {
    return await unzip(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw invalidArgument('the body cannot be unzipped, although its content-encoding says gzip');
    }
    if (limit === most) throw tooLarge(most);
    throw new RpcError('payload_too_large', `the body unzips to more than ${mostRatio} times its size`);
  }
}

function tooLarge(most: number): RpcError {
  return new RpcError('payload_too_large', `the body must be at most ${most / 1024} KiB`);
}

/** Refuses a body of the process itself, which is there already, when it is larger than `most` bytes. */
export function checkSize(body: string, most: number): string {
  if (Buffer.byteLength(body) > most) throw tooLarge(most);
  return body;
}

/** The error for a body that broke off. */
export function brokenOff(cause?: unknown): RpcError {
  return new RpcError('invalid_argument', 'the body is incomplete: the connection ended before it did', { cause });
}
