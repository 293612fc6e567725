import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { violations } from '../chaos/verdict.ts';
import { leastBacklog, runKills } from './run.ts';
import { moments } from './tap.ts';

/** In `.ci/run` each moment has its turn once. */
const { kills, incidents } = isLong ? { kills: 100, incidents: 10 } : { kills: moments.length, incidents: 8 };

test(`a backlog drains on Postgres while commands and pages come and processes are killed ${kills} times, at each moment of their life: nothing is lost, done twice, or acknowledged unstored`, async () => {
  const report = await runKills({ kills, incidents });
  expect(report.kills).toEqual(Object.fromEntries(moments.map(each => [each, kills / moments.length])));
  expect(report.accepted).toBeGreaterThan(kills);
  expect(report.backlog).toBeGreaterThan(leastBacklog);
  expect(violations(report)).toEqual({ lost: [], doubled: [], outOfOrder: [], overtaken: [] });
  expect(report.unstored).toEqual([]);
  expect({ unfinished: report.unfinished, shownTwice: report.shownTwice }).toEqual({ unfinished: 0, shownTwice: [] });
  const { pages, gauges } = report;
  expect(pages.accepted).toBeGreaterThan(0);
  expect(pages).toMatchObject({ lost: [], doubled: [], denied: [] });
  expect(pages.longest.sinceRestart).toBeLessThanOrEqual(30);
  expect(gauges.shown.deliveries).toBeGreaterThan(0);
  expect(gauges.blind).toBe(0);
  expect(report.errors).toEqual([]);
});
