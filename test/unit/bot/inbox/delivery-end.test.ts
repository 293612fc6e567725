import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { toEnd } from '../../../../src/bot/inbox/inbox.ts';

/** How handling ends whose call to Slack was answered with this. */
async function endOf(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  const client = new WebClient('xoxb-1', {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: async () => new Response(body, { status, headers }),
  });
  return toEnd(await client.users.info({ user: 'U1' }).catch(error => error));
}

test.each<[status: number, body: string, headers?: Record<string, string>]>([
  [500, 'kaput'],
  [200, '<html>maintenance</html>', { 'content-type': 'text/html' }],
  [200, '{"ok":false,"error":"internal_error"}', { 'content-type': 'application/json' }],
  [200, '{"ok":false,"error":"token_revoked"}', { 'content-type': 'application/json' }],
  [429, '', { 'retry-after': '1' }],
])('a delivery that Slack answers with %s %s is answered soon after Slack is back', async (...answer) => {
  expect(await endOf(...answer)).toBe('unanswered');
});

test('what Slack refuses for good, and a fault of Muster, is a failure', async () => {
  const refused = '{"ok":false,"error":"user_not_found"}';
  expect(await endOf(200, refused, { 'content-type': 'application/json' })).toBe('failed');
  expect(toEnd(new TypeError('undefined is not a function'))).toBe('failed');
});
