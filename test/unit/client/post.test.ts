import { expect, test } from 'vitest';
import { openPoster } from '../../../src/client/post.ts';
import { failureOf } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { openRoughServer, stall } from '../../support/rough-server.ts';

const request = { headers: {}, body: '{}', signal: undefined, timeout: 300 };

test('a failure names who was asked, and at which host', async () => {
  const host = `127.0.0.1:${await freePort()}`;
  await using post = openPoster();
  const asked = ['The pager sre', 'The pager db'].map(whom =>
    failureOf(post({ ...request, whom, url: `http://${host}/v2/enqueue` })),
  );
  expect((await Promise.all(asked)).map(each => each.message)).toEqual([
    `The pager sre at ${host} refused the connection.`,
    `The pager db at ${host} refused the connection.`,
  ]);
  await using server = await openRoughServer(stall);
  const slow = await failureOf(post({ ...request, whom: 'The pager sre', url: server.baseUrl }));
  expect(slow.message).toMatch(/^The pager sre at 127\.0\.0\.1:\d+ did not answer within 300 ms\.$/);
});
