import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyHead, leftOut } from '../../../../src/bot/alerts/read/body-head.ts';

function read(body: string, sizes: readonly number[] = [65_536]): string {
  const [head, bytes] = [new BodyHead(), Buffer.from(body)];
  const kept: Buffer[] = [];
  for (let [at, turn] = [0, 0]; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    kept.push(head.take(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat(kept).toString('utf8');
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

test('a small body is kept as it is, in whatever pieces it comes', () => {
  const body = fc.json().map(text => `{"alerts":[${text}],"key":${text}}`);
  fc.assert(
    fc.property(body, sizes, (text, pieces) => {
      expect(read(text, pieces)).toBe(text);
    }),
  );
});

test('of a large body the members are kept, the first alerts, and the number of the others', () => {
  const text = 'a "quoted\\" ]}, text '.repeat(60);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9000 }), fc.constantFrom('[', '"alerts":[{}]', ']}', '\\'), (count, odd) => {
      const alerts = Array.from({ length: count }, (_, id) => ({ id, text, labels: { alerts: [odd] } }));
      const body = JSON.stringify({
        status: 'firing',
        labels: { alerts: [odd] },
        alerts,
        groupKey: odd,
        truncatedAlerts: 3,
      });
      const kept = JSON.parse(read(body, [65_536, 1000, 3]));
      expect(kept).toMatchObject({ status: 'firing', groupKey: odd, truncatedAlerts: 3 });
      expect(kept.alerts).toEqual(alerts.slice(0, kept.alerts.length));
      expect(kept.alerts.length + (kept[leftOut] ?? 0)).toBe(count);
      expect(JSON.stringify(kept).length).toBeLessThan(1.1 * 1024 * 1024);
    }),
    { numRuns: 20 },
  );
});

test('a body that is no JSON stays none', () => {
  fc.assert(
    fc.property(fc.string(), sizes, (text, pieces) => {
      expect(read(text, pieces)).toBe(Buffer.from(text).toString('utf8'));
    }),
  );
});
