import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLinks } from '../../../../src/service/incidents/links.ts';
import { toIncidentSlug } from '../../../../src/service/incidents/slug.ts';
import { formatTime, parseTime, toSeconds, toWholeSecond } from '../../../../src/service/store/time.ts';

test.each([
  ['2026-09-19T09:30:00Z', '2026-09-19T09:30:00Z'],
  ['2026-09-19t09:30:00.120z', '2026-09-19T09:30:00.12Z'],
  ['2026-09-19T11:30:00.123456789+02:00', '2026-09-19T09:30:00.123456Z'],
  ['2026-09-19 09:30:00.5', '2026-09-19T09:30:00.5Z'],
  [' 2026-09-19 09:30:00 -0130 ', '2026-09-19T11:00:00Z'],
  ['1969-12-31T23:59:59.9Z', '1969-12-31T23:59:59.9Z'],
])('the time %s is written %s', (written, read) => {
  expect(formatTime(parseTime(written) ?? null)).toBe(read);
});

test.each([
  '',
  'now',
  '2026-09-19',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-09-19T25:00:00Z',
  '2026-09-19T09:30:00+99:00',
])('%j is not a time', written => {
  expect(parseTime(written)).toBeUndefined();
});

test('every time reads back as it was written', () => {
  const time = fc.integer({ min: -1e15, max: 4e15 });
  fc.assert(fc.property(time, each => parseTime(formatTime(each)) === each));
  fc.assert(fc.property(time, time, (from, until) => toSeconds(from, until) >= 0));
  fc.assert(fc.property(time, each => each - toWholeSecond(each) >= 0 && each - toWholeSecond(each) < 1_000_000));
});

test.each([
  ['[DevLake seed] Checkout service 5xx spike', 'devlake-seed-checkout-service-5xx-spike'],
  ['1111', '1111'],
  ['Café — déjà vu', 'cafe-deja-vu'],
  ['Straße über Łódź: Ærø', 'strasse-uber-lodz-aero'],
  ['日本', 'incident'],
  ['', 'incident'],
  [`${'a'.repeat(99)}-bc`, 'a'.repeat(99)],
])('%j is spelled %s in addresses', (title, slug) => {
  expect(toIncidentSlug(title)).toBe(slug);
});

test.each([
  ['see https://a.example/x. And http://b.example/?q=(1)!', ['https://a.example/x', 'http://b.example/?q=(1)']],
  ['(https://a.example/x), [https://b.example/y_(z)]', ['https://a.example/x', 'https://b.example/y_(z)']],
  ['<https://a.example/x>"https://b.example"', ['https://a.example/x', 'https://b.example']],
  ['https://a.example https://a.example', ['https://a.example']],
  ['https:// ftp://x javascript:alert(1) https://...', []],
])('%j has the addresses %j', (text, links) => {
  expect(findLinks(text)).toEqual(links);
});
