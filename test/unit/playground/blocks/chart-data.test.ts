import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisTicks, pieSlices, readChart } from '../../../../src/playground/page/blocks/chart-data.ts';

test('series stand on the categories of the axis, with gaps where they have no value', () => {
  expect(
    readChart({
      type: 'line',
      series: [
        { name: 'a', data: [{ label: '41', value: 2 }] },
        {
          name: 'b',
          data: [
            { label: '40', value: 1 },
            { label: '42', value: 3 },
          ],
        },
      ],
      axis_config: { categories: ['40', '41'], x_label: 'Week' },
    }),
  ).toEqual({
    kind: 'line',
    categories: ['40', '41', '42'],
    series: [
      { name: 'a', values: [undefined, 2, undefined] },
      { name: 'b', values: [1, undefined, 3] },
    ],
    xLabel: 'Week',
    yLabel: '',
  });
});

test('a kind of chart that nobody knows is none, and hostile numbers are 0', () => {
  expect(readChart({ type: 'radar' })).toBeUndefined();
  expect(readChart({})).toBeUndefined();
  expect(readChart({ type: 'pie', segments: [{ label: 'x', value: 'NaN' }, { label: 'y', value: -5 }, 7] })).toEqual({
    kind: 'pie',
    segments: [
      { label: 'x', value: 0 },
      { label: 'y', value: 0 },
    ],
  });
});

test.each([
  [
    [9, 4, 2],
    [0, 2, 4, 6, 8, 10],
  ],
  [
    [0.03, 0.01],
    [0, 0.01, 0.02, 0.03],
  ],
  [
    [-4, 6],
    [-4, -2, 0, 2, 4, 6],
  ],
  [[], [0, 0.2, 0.4, 0.6, 0.8, 1]],
])('the axis of %j names %j', (values, ticks) => {
  expect(axisTicks(values)).toEqual(ticks);
});

test('an axis holds every value, in few steps', () => {
  const value = fc.integer({ min: -1_000_000, max: 1_000_000 }).map(number => number / 8);
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), values => {
      const ticks = axisTicks(values);
      expect(ticks[0]).toBeLessThanOrEqual(Math.min(...values));
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(...values));
      expect(ticks.length).toBeLessThanOrEqual(8);
    }),
  );
});

test('a pie of one part is a whole, and one of nothing is empty', () => {
  const parts = (...values: number[]) =>
    pieSlices(
      values.map(value => ({ label: '', value })),
      96,
    );
  expect(parts(5)[0]).toContain('A96 96 0 1 1 0 96');
  expect(parts(0, 0)).toEqual(['', '']);
  expect(parts(1, 1)).toEqual([
    'M0 0L0.00 -96.00A96 96 0 0 1 0.00 96.00Z',
    'M0 0L0.00 96.00A96 96 0 0 1 -0.00 -96.00Z',
  ]);
});
