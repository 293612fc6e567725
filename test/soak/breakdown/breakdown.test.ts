import { expect, test } from 'vitest';
import { canMount } from './ills.ts';
import { runBreakdown } from './run.ts';

/** Lines of the log that may tell of one break within a minute. */
const mostLines = 20;

/** Only root may mount the small disk, and not in every container. */
const disk = canMount() ? ([['disk', 5]] as const) : [];

test.each([['database', 5], ...disk, ['token', 5], ['slack', 3]] as const)(
  'what is acknowledged is done once or its person is told, and the operator knows, while this is away: %s',
  async (ill, seconds) => {
    const report = await runBreakdown({ ill, seconds });
    expect(report.accepted).toBeGreaterThan(5);
    expect(report.doubled).toEqual([]);
    expect(report.unfinished).toBe(0);
    expect(report.complaints.length, report.complaints.join('\n')).toBeLessThanOrEqual(mostLines);
    // What could not be stored is not lost in silence.
    expect(report.lost.length, report.lost.join('\n')).toBeLessThanOrEqual(report.warned);
  },
  180_000,
);
