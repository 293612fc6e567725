import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a body was not read to its end. */
type BodyProblem = 'too large' | 'too slow' | 'too many' | 'broken off';

/** How much may be read, and for how long. */
export interface BodyLimits {
  /** The most bytes of one body. */
  readonly most: number;
  /** Milliseconds in which a body must have arrived. */
  readonly timeout: number;
}

/** The status and the words that answer a request whose body was not read. */
export function refusalOf(
  problem: Exclude<BodyProblem, 'broken off'>,
  { most, timeout }: BodyLimits,
): readonly [status: number, why: string] {
  switch (problem) {
    case 'too large':
      return [413, `The body has more than ${most} bytes.`];
    case 'too slow':
      return [408, `The body did not arrive within ${timeout / 1000} s.`];
    case 'too many':
      return [503, 'Too many bodies arrive at once.'];
  }
}

/** Reads the bodies of requests. All bodies that are being read have a bounded size together. */
interface BodyReader {
  /** The bytes of a body, or why it was not read. After a problem the rest of the body is not kept. */
  read(request: IncomingMessage, limits: BodyLimits): Promise<Buffer | BodyProblem>;
}

/** Makes a reader whose unfinished bodies hold at most `room` bytes together. */
export function createBodyReader(room: number): BodyReader {
  let held = 0;
  return {
    read(request, { most, timeout }) {
      const { promise, resolve } = Promise.withResolvers<Buffer | BodyProblem>();
      const chunks: Buffer[] = [];
      let size = 0;
      const end = (result: Buffer | BodyProblem) => {
        clearTimeout(timer);
        request.off('data', take);
        held -= size;
        size = 0;
        resolve(result);
      };
      const take = (chunk: Buffer) => {
        size += chunk.length;
        held += chunk.length;
        if (size > most) end('too large');
        else if (held > room) end('too many');
        else chunks.push(chunk);
      };
      const timer = setTimeout(end, timeout, 'too slow');
      request.on('data', take);
      request.once('end', () => end(Buffer.concat(chunks)));
      request.once('error', () => end('broken off'));
      return promise;
    },
  };
}

/** Slack's signature of a request: its header `x-slack-signature` (docs/slack.md 8). `timestamp` is in Unix seconds. */
export function signatureOf(signingSecret: string, timestamp: string, body: string | Uint8Array): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}
