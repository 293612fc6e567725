import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/*
 * How outgoing webhooks are signed and how a receiver checks it (docs/api-rules.md A11). A receiver needs this file alone.
 */

/** The header that carries the signature; names of headers know no case. */
export const signatureHeader = 'GI-Signature';

/** The user agent of the webhooks that Muster sends. */
export const webhookUserAgent = 'Muster';

/** Whether a request is a webhook of a Muster, told by its headers. Nothing proves it. */
export function isOwnWebhook(header: (name: string) => string | undefined): boolean {
  const agent = header('user-agent')?.split(/[\s/]/, 1)[0];
  return header(signatureHeader.toLowerCase()) !== undefined && agent === webhookUserAgent;
}

/** The value of {@link signatureHeader} for a body as it is sent, signed at `time`: `t=<unix seconds>,v1=<hex>`. */
export function signWebhook(body: string | Uint8Array, secret: string, time: Date): string {
  const seconds = String(Math.floor(time.getTime() / 1000));
  return `t=${seconds},v1=${toSignature(toBodyHash(body), secret, seconds)}`;
}

/** The signature of a body whose hash is known; `seconds` as the header has it. */
export function toSignature(bodyHash: string, secret: string, seconds: string): string {
  return createHmac('sha256', secret).update(`${bodyHash}:${seconds}:v1`).digest('hex');
}

function toBodyHash(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64');
}

/** Whether a webhook is genuine, and when it was signed; else why not, in the words of the official verifier. */
type WebhookVerdict =
  | { readonly genuine: true; readonly signedAt: Date }
  | {
      readonly genuine: false;
      readonly reason: 'empty GI-Signature' | 'invalid GI-Signature' | 'GI-Signature is too far from the present';
    };

/**
 * Checks a webhook that came in: `body` exactly as it was received, before anything parses it. Signatures are compared in constant time.
 * Without a tolerance the age does not matter, as in the official verifier; with one, a webhook that was recorded on its way cannot be sent
 * again later.
 */
export function verifyWebhook(
  header: string | null | undefined,
  body: string | Uint8Array,
  secret: string,
  /** How far from `now`, in seconds and in either direction, it may have been signed. */
  tolerance?: { readonly seconds: number; readonly now: Date },
): WebhookVerdict {
  if (!header) return { genuine: false, reason: 'empty GI-Signature' };
  const { t, v1 } = readHeader(header);
  if (t === undefined || v1 === undefined || secret === '' || !isEqual(v1, toSignature(toBodyHash(body), secret, t))) {
    return { genuine: false, reason: 'invalid GI-Signature' };
  }
  const signedAt = new Date(Number(t) * 1000);
  if (tolerance && !(Math.abs(tolerance.now.getTime() - signedAt.getTime()) <= tolerance.seconds * 1000)) {
    return { genuine: false, reason: 'GI-Signature is too far from the present' };
  }
  return { genuine: true, signedAt };
}

/** Pairs separated by commas; when a name comes twice, the last one counts. */
function readHeader(header: string): { readonly [name in 't' | 'v1']?: string } {
  return Object.fromEntries(
    header.split(',').map(pair => {
      const at = pair.indexOf('=');
      return at < 0 ? [pair.trim(), undefined] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

function isEqual(given: string, expected: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
