import { createHmac } from 'node:crypto';

/** Slack's signature of a request: its header `x-slack-signature` (docs/slack.md 8). `timestamp` is in Unix seconds. */
export function signatureOf(signingSecret: string, timestamp: string, body: string | Uint8Array): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}
