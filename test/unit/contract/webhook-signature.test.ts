import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { signatureHeader, signWebhook, toSignature, verifyWebhook } from '../../../src/contract/webhook-signature.ts';

const secret = 'some-secret-value';
const signedAt = new Date('2023-03-09T11:09:45Z');
const body = '{"event":"grafana.incident.created","incident":{"title":"ü"}}';
const header = signWebhook(body, secret, signedAt);

test('the official vector comes out (grafana/incident-go, webhook_test.go, TestVerifySignature)', () => {
  // The SHA-256 of the vector's body, in base64.
  const bodyHash = 'AONdeqj1v3eIUp3UqD0Fm7YTSDlQOTi6DQXQuqqkXho=';
  expect(toSignature(bodyHash, secret, '1678360185')).toBe(
    '66ed620915831e9ab71604bf35d9b7cf2e71978ed6e62be6fd0e5194289849c7',
  );
});

test('the header has the second it was signed in, and the signature over the hash of the raw bytes', () => {
  const bodyHash = createHash('sha256').update(Buffer.from(body, 'utf8')).digest('base64');
  expect(signatureHeader).toBe('GI-Signature');
  expect(header).toBe(`t=1678360185,v1=${toSignature(bodyHash, secret, '1678360185')}`);
  expect(signWebhook(Buffer.from(body), secret, new Date(signedAt.getTime() + 999))).toBe(header);
});

test('what was signed is genuine, as text and as bytes, however old', () => {
  expect(verifyWebhook(header, body, secret)).toEqual({ genuine: true, signedAt });
  expect(verifyWebhook(header, Buffer.from(body), secret)).toEqual({ genuine: true, signedAt });
});

test('without a header it is empty', () => {
  for (const none of ['', null, undefined]) {
    expect(verifyWebhook(none, body, secret)).toEqual({ genuine: false, reason: 'empty GI-Signature' });
  }
});

test.each([
  ['another body', header, `${body} `, secret],
  ['another secret', header, body, 'other'],
  ['no secret', header, body, ''],
  ['another time', header.replace('t=1678360185', 't=1678360186'), body, secret],
  ['another signature', 't=123456,v1=some-bad-signature', body, secret],
  ['a cut signature', header.slice(0, -1), body, secret],
  ['no time', header.slice(header.indexOf('v1=')), body, secret],
  ['no signature', 't=1678360185', body, secret],
  ['no pairs', 'nonsense', body, secret],
  ['letters outside ASCII', 't=1678360185,v1=é', body, secret],
])('%s is invalid', (_, given, received, key) => {
  expect(verifyWebhook(given, received, key)).toEqual({ genuine: false, reason: 'invalid GI-Signature' });
});

test('with a tolerance, the age counts in both directions', () => {
  const at = (ms: number) => ({ seconds: 300, now: new Date(signedAt.getTime() + ms) });
  const late = { genuine: false, reason: 'GI-Signature is too far from the present' };
  expect(verifyWebhook(header, body, secret, at(300_000))).toEqual({ genuine: true, signedAt });
  expect(verifyWebhook(header, body, secret, at(-300_000))).toEqual({ genuine: true, signedAt });
  expect(verifyWebhook(header, body, secret, at(300_001))).toEqual(late);
  expect(verifyWebhook(header, body, secret, at(-300_001))).toEqual(late);
  const odd = `t=soon,v1=${toSignature(createHash('sha256').update(body).digest('base64'), secret, 'soon')}`;
  expect(verifyWebhook(odd, body, secret, at(0))).toEqual(late);
});
