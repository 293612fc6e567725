import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createFixedPage } from '../../../../src/service/pages/pages.ts';
import { openService } from '../../../support/service.ts';

const get = (headers: Readonly<Record<string, string>> = {}) => new Request('http://test/', { headers });

test('a fixed page is made once, and again when that failed', async () => {
  let made = 0;
  const page = createFixedPage(async () => {
    made += 1;
    if (made === 1) throw new Error('not yet');
    return new Response('text', { headers: { 'content-type': 'text/plain' } });
  });
  await expect(page(get())).rejects.toThrow('not yet');
  const answers = await Promise.all([page(get()), page(get()), page(get())]);
  expect(await Promise.all(answers.map(each => each.text()))).toEqual(['text', 'text', 'text']);
  expect(made).toBe(2);
});

test.each(['/openapi.json', '/reference'])('%s is sent zipped, and not at all to who has it', async path => {
  await using opened = await openService();
  const fetch = (headers: Readonly<Record<string, string>> = {}) =>
    opened.service.fetch(new Request(`http://test${path}`, { headers }));
  const plain = await fetch();
  const tag = plain.headers.get('etag') ?? '';
  expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
  const zipped = await fetch({ 'accept-encoding': 'br, gzip' });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(zipped.headers.get('vary')).toBe('Accept-Encoding');
  expect(gunzipSync(await zipped.bytes()).toString()).toBe(await plain.text());
  for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
    const answer = await fetch({ 'if-none-match': known });
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, tag, '']);
  }
  expect((await fetch({ 'if-none-match': '"other"' })).status).toBe(200);
});
