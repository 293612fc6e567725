import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Dashboards } from '../../../../src/contract/dashboards.ts';
import { parseInterval } from '../../../../src/contract/interval.ts';
import { toDraft } from '../../../../src/service/dashboards/draft.ts';
import { newUid, uidPattern } from '../../../../src/service/dashboards/uid.ts';
import { toSlug } from '../../../../src/service/store/slug.ts';
import { expectSteadyGrowth } from '../../../support/growth.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test.each([
  ['NGINX Ingress controller', 'nginx-ingress-controller'],
  ['  CPU & Memory @ edge  ', 'cpu-and-memory-at-edge'],
  ['Production  Overview', 'production--overview'],
  ['a - b', 'a---b'],
  ['snake_case-9', 'snake_case-9'],
  ['What\'s "up"? (1.5, 2)', 'whats-up-15-2'],
  ['Fußgänger über', 'fussganger-ueber'],
  ['Señor Łódź Ærø Œuvre', 'senor-lodz-aero-oeuvre'],
  ['Tiếng Việt', 'tieng-viet'],
  ['e\u0301te\u0301 İstanbul', 'ete-istanbul'],
  ['Жёлтый щит', 'zhjoltyj-schit'],
  ['Объём Ґанок', 'ob-jom-ganok'],
  ['שלום', 'wlvm'],
  ['100%/s', '100252fs'],
  ['日本', 'e697a5e69cac'],
  ['🔥', 'f09f94a5'],
  ['™ ©', 'tm-c'],
])('the slug of %j is %s', (title, slug) => {
  expect(toSlug(title)).toBe(slug);
});

test('a title that leaves no slug, or too long a one, becomes the UUID v5 of the title', () => {
  expect(toSlug('a'.repeat(50))).toBe('a'.repeat(50));
  expect(toSlug('a'.repeat(51))).toMatch(uuid);
  expect(toSlug('???')).toMatch(uuid);
  expect(toSlug('')).toBe('0a68eb57-c88a-5f34-9e9d-27f85e68af4f');
  expect(toSlug('a'.repeat(51))).not.toBe(toSlug('b'.repeat(51)));
});

test('a slug is always safe in an address and at most 50 bytes', () => {
  fc.assert(
    fc.property(fc.oneof(unicodeText({ maxLength: 60 }), fc.string({ maxLength: 60 })), title => {
      const slug = toSlug(title);
      expect(slug).toMatch(/^[a-z0-9_-]+$/);
      expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(50);
    }),
  );
});

test('a new uid has 26 characters, is lower case and legal', () => {
  const uids = Array.from({ length: 200 }, newUid);
  for (const uid of uids) {
    expect(uid).toMatch(/^[a-z][0-9a-f]{24}[a-z]$/);
    expect(uid).toMatch(uidPattern);
  }
  expect(new Set(uids).size).toBe(200);
});

test.each([
  ['1m30s', 90_000],
  ['1.5s', 1500],
  ['.5s', 500],
  ['250ms', 250],
  ['2000µs', 2],
  ['-3s', -3000],
  ['0', 0],
  ['1d', 86_400_000],
  ['2w', 1_209_600_000],
  ['1M', 2_629_800_000],
  ['1y', 31_557_600_000],
  ['5', undefined],
  ['1.5d', undefined],
  ['1d2h', undefined],
  ['s', undefined],
  ['', undefined],
])('the interval %j has %s milliseconds', (text, milliseconds) => {
  expect(parseInterval(text)).toBe(milliseconds);
});

// Each of them can be read as an interval in many ways up to its last character.
test.each(['000s', '0.0s', '1m', '.1ms'])('%s, often repeated before a wrong letter, is refused soon', async part => {
  await expectSteadyGrowth(6, count => expect(parseInterval(`${part.repeat(count)}n`)).toBeUndefined());
});

test.each([
  ['1s', '5s'],
  ['4999ms', '5s'],
  ['soon', '5s'],
  ['-1h', '5s'],
  ['5s', '5s'],
  ['1m', '1m'],
  ['1d', '1d'],
  ['auto', 'auto'],
  ['', ''],
  [false, false],
  [null, null],
  [undefined, undefined],
])('a refresh of %j is stored as %j when the minimum is 5s', (refresh, stored) => {
  const request = Dashboards.save.input.parse({ dashboard: { title: 'NGINX', refresh } });
  expect(toDraft(request, '5s').model.refresh).toBe(stored);
});
