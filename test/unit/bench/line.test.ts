import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { behindLine, openLine } from '../../../bench/line.ts';
import type { Row } from '../../../bench/measure.ts';

const figure: Row = { name: 'figure', ratio: 1, limit: 2, bound: 'at most', baseline: 1, subject: 1, unit: 'ms' };

async function all(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

test.each([
  { asked: 1, idle: 1.1, used: 0.9, reported: ['line', 'line-used', 'figure'] },
  { asked: 2.5, idle: 2.7, used: 2.5, reported: ['line', 'line-used', 'figure'] },
  // A timer of whole milliseconds makes these of 1 and of 2.5 ms.
  { asked: 1, idle: 2.48, used: 1, reported: ['line'] },
  { asked: 2.5, idle: 2.49, used: 2.5, reported: ['line', 'line-used', 'figure'] },
  { asked: 1, idle: 0.7, used: 1, reported: ['line'] },
  { asked: 1, idle: Number.NaN, used: 1, reported: ['line'] },
  { asked: 1, idle: 1, used: 1.3, reported: ['line', 'line-used'] },
  { asked: 1, idle: 1, used: Number.NaN, reported: ['line', 'line-used'] },
])(
  'a line of $asked ms that takes $idle ms, and $used in use, lets $reported through',
  async ({ asked, idle, used, reported }) => {
    const rows = behindLine(
      { asked, used: async () => used },
      async () => idle,
      async () => [figure],
    );
    expect((await all(rows)).map(each => each.name)).toEqual(reported);
  },
);

test('nothing is measured behind a line that is another one from the start', async () => {
  const rows = behindLine(
    { asked: 1, used: async () => 1 },
    async () => 2.48,
    () => expect.unreachable(),
  );
  expect(await all(rows)).toHaveLength(1);
});

test('a line carries all bytes in their order, both ways, and what is on it when a side ends', async () => {
  const letters = Array.from({ length: 200 }, (_, index) => `${index} `.repeat(1 + (index % 7) * 500));
  // It answers when all has come. A stream that is iterated ends both ways.
  const server = createServer({ allowHalfOpen: true }, socket => {
    const heard: Buffer[] = [];
    socket.on('data', (data: Buffer) => heard.push(data)).on('end', () => socket.end(Buffer.concat(heard)));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using line = await openLine((server.address() as AddressInfo).port, 2.5);
  const socket = connect({ port: line.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  for (const letter of letters) socket.write(letter);
  socket.end();
  const answer = String(await buffer(socket));
  expect(answer.length).toBe(letters.join('').length);
  expect(answer === letters.join('')).toBe(true);
  expect(await line.used()).toBeGreaterThan(0);
});
