import { expect, onTestFinished, test, vi } from 'vitest';
import { createFileReader } from '../../../../src/bot/slack/files.ts';
import { patient } from '../../../support/deadlines.ts';

/** A reader of a file at that address, and every request that it makes. */
function openReader(address: string, answer: () => Response, size = 10) {
  const requests: { url: string; authorization: string | null; redirect: string | undefined }[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    requests.push({ url, authorization: new Headers(init.headers).get('authorization'), redirect: init.redirect });
    return answer();
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const web = { files: { info: async () => ({ ok: true, file: { url_private: address, size } }) } };
  const read = createFileReader({ web: web as never, botToken: 'xoxb-secret', slackApiUrl: '', deadlines: patient() });
  return { read: (most = 100) => read('F1', most), requests };
}

const own = 'https://files.slack.com/files-pri/T1-F1/a.json';
const text = { headers: { 'content-type': 'application/json' } };

test('a file of Slack is read with the bot’s token', async () => {
  const { read, requests } = openReader(own, () => new Response('{}', text));
  expect(await read()).toEqual({ text: '{}' });
  expect(requests).toEqual([{ url: own, authorization: 'Bearer xoxb-secret', redirect: 'manual' }]);
});

test.each([
  'http://files.slack.com/files-pri/T1-F1/a.json',
  'https://files.slack.com.evil.example/a.json',
  'https://files.slack.com:8443/a.json',
  'https://evil@files.slack.com/a.json',
  'https://files.slack.com@evil.example/a.json',
  'https://docs.example.com/a.json',
  'file:///etc/passwd',
  'nonsense',
  '',
])('the token never goes to %s', async address => {
  const { read, requests } = openReader(address, () => new Response('{}', text));
  expect(await read()).toEqual({ problem: 'elsewhere' });
  expect(requests).toEqual([]);
});

test.each([
  ['a redirect', () => new Response('', { status: 302, headers: { location: 'https://evil.example' } })],
  ['a page to sign in', () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } })],
  ['a missing file', () => new Response('gone', { status: 404 })],
  ['no answer', () => Response.error()],
])('%s is no file', async (_name, answer) => {
  expect(await openReader(own, answer).read()).toEqual({ problem: 'not given' });
});

test('a file that is too large is not read, whatever size was said', async () => {
  const big = () => new Response('x'.repeat(1000), text);
  const said = openReader(own, big, 1000);
  expect(await said.read()).toEqual({ problem: 'too large' });
  expect(said.requests).toEqual([]);
  expect(await openReader(own, big, 5).read()).toEqual({ problem: 'too large' });
});

test('bytes that are no UTF-8 are no text', async () => {
  expect(await openReader(own, () => new Response(Uint8Array.of(0xff, 0xfe), text)).read()).toEqual({
    problem: 'not text',
  });
});
