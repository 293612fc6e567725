import { median, type Row } from './measure.ts';
import { openPage, type Stand, within } from './playground-stand.ts';

const loads = 7;
/** The longest time to the first paint, and until one can type, in milliseconds. */
const limit = 1000;

/** From the navigation to the first paint with something on it, and until one can type, in a browser that has nothing cached. */
export async function measurePaint(stand: Stand): Promise<Row[]> {
  const paints: number[] = [];
  const ready: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    await using page = await openPage(stand, 'checkout');
    const [painted = Number.NaN, now = Number.NaN] = await page.evaluate<number[]>(
      "[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]",
    );
    paints.push(painted);
    ready.push(now);
  }
  return [
    within(limit, { name: 'page-paint', value: median(paints), unit: 'ms' }),
    within(limit, { name: 'page-ready', value: median(ready), unit: 'ms' }),
  ];
}
