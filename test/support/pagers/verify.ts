import { createHash, createHmac } from 'node:crypto';

/**
 * Whether `GI-Signature: t=<seconds>,v1=<hex>` signs a body, written out after docs/api-rules.md A11 and without the code that signs: the
 * HMAC of `<base64 of the body's SHA-256>:<seconds>:v1`.
 */
export function verifyIndependently(body: string, header: string, secret: string): boolean {
  const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const digest = createHash('sha256').update(Buffer.from(body, 'utf8')).digest('base64');
  return createHmac('sha256', secret).update([digest, seconds, 'v1'].join(':')).digest('hex') === signature;
}
