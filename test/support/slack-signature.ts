import { createHmac } from 'node:crypto';

/** How Slack signs a body at a moment, given in seconds. */
export function signAsSlack(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}
