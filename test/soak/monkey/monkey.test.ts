import { expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../../support/browser.ts';
import { runMonkey } from './run.ts';

if (hasNoBrowser) {
  test.skip(
    `no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to let the monkey play in the playground`,
  );
}

test.skipIf(hasNoBrowser)(
  'five people click at random while things break, nobody complains, and afterwards every place says the same',
  async () => {
    const acts: string[] = [];
    const { errors, differences, compared } = await runMonkey({
      ...{ seed: 3, seconds: 60, least: { done: 20, broken: 1 } },
      onAct: act => acts.push(act),
    });
    // What leads to a fault is read in the acts before it.
    if (errors.length + differences.length > 0) process.stdout.write(`${acts.join('\n')}\n`);
    expect([errors, differences]).toEqual([[], []]);
    expect(compared).toBeGreaterThan(0);
  },
);
