import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createBodyReader } from '../../../../src/bot/slack/http-receiver.ts';
import { patient } from '../../../support/deadlines.ts';

const kib = 1024;
const limits = { most: 1_000_000, timeout: patient().requestBody };

/** A request whose head has come, and what its body becomes for a reader. */
function requestWith(reader: ReturnType<typeof createBodyReader>, headers: Readonly<Record<string, string>>) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  const body = reader.read(request, limits);
  onTestFinished(() => void request.destroy());
  const send = async (bytes: number) => {
    const came = once(request, 'data');
    request.push(Buffer.alloc(bytes));
    await came;
  };
  const end = async () => {
    request.push(null);
    const read = await body;
    return Buffer.isBuffer(read) ? read.length : read;
  };
  return { send, end };
}

test('large bodies leave a mebibyte for small ones, whatever says how large they are', async () => {
  const reader = createBodyReader(1024 * kib + 64 * kib);
  const large = requestWith(reader, { 'content-length': '900000' });
  await large.send(64 * kib);
  for (const headers of [
    { 'content-length': '16384' },
    { 'transfer-encoding': 'chunked' },
    { 'content-length': 'x' },
  ]) {
    const other = requestWith(reader, headers);
    await other.send(kib);
    expect(await other.end(), JSON.stringify(headers)).toBe('too many');
  }
  const small = Array.from({ length: 69 }, () => requestWith(reader, { 'content-length': '16383' }));
  for (const each of small) await each.send(15 * kib);
  expect(await small.pop()?.end()).toBe('too many');
  expect(await small.pop()?.end()).toBe(15 * kib);
  // What is over gives its room back.
  expect(await large.end()).toBe(64 * kib);
  const next = requestWith(reader, { 'content-length': '64000' });
  await next.send(30 * kib);
  expect(await next.end()).toBe(30 * kib);
});
