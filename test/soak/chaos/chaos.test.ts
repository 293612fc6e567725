import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { runChaos } from './run.ts';
import { violations } from './verdict.ts';

/** Two processes share a Postgres, so more can go wrong there. */
const engines = isLong ? (['postgres', 'sqlite'] as const) : (['postgres'] as const);
const extent = isLong ? { actions: 60, seconds: 10 } : { actions: 40, seconds: 7 };

test.each(engines)(
  'on %s, what is acknowledged takes effect once and in order, though processes are killed, stopped and frozen and the API fails half of the time',
  async engine => {
    const report = await runChaos({ engine, ...extent, incidents: 4, failing: 0.5, seed: 1 });
    expect(report.accepted).toBeGreaterThanOrEqual(extent.actions);
    expect(report.kills).toBeGreaterThanOrEqual(1);
    expect(report.kills + report.stops + report.freezes).toBeGreaterThanOrEqual(4);
    expect(Object.values(report.faults).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(10);
    expect(report.unfinished).toBe(0);
    expect(violations(report)).toEqual({ lost: [], doubled: [], outOfOrder: [], overtaken: [] });
    // The moment between an acknowledgement and storing is milliseconds, and each kill meets at most one per incident.
    expect(report.unstored.length).toBeLessThanOrEqual(report.kills);
    expect([...report.errors.keys()]).toEqual([]);
  },
);
