import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HttpLine } from '../../../../playground/fake-slack/to-app/http-line.ts';

test('a request on a connection that the app has just ended is sent on another one', async () => {
  const bodies: string[] = [];
  const used = new WeakMap<object, number>();
  const server = createServer(async (incoming, answer) => {
    const times = (used.get(incoming.socket) ?? 0) + 1;
    used.set(incoming.socket, times);
    // As a server does that ends an idle connection while the next request is on its way.
    if (times > 1) {
      incoming.socket.destroy();
      return;
    }
    let body = '';
    for await (const chunk of incoming) body += chunk;
    bodies.push(body);
    answer.end('ok');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const line = new HttpLine();
  onTestFinished(() => line.close());
  line.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`);
  for (const body of ['one', 'two', 'three'])
    expect(await line.send({ headers: {}, body } as never, 3000)).toMatchObject({ status: 200 });
  expect(bodies).toEqual(['one', 'two', 'three']);
});

test('an app that ends a new connection has failed', async () => {
  const server = createServer(incoming => void incoming.socket.destroy());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const line = new HttpLine();
  onTestFinished(() => line.close());
  line.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await line.send({ headers: {}, body: 'one' } as never, 3000)).toEqual({ failed: 'dispatch_failed' });
});
