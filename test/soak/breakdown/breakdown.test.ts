import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { canMount } from './ills.ts';
import { brokenPromises } from './promises.ts';
import { runBreakdown } from './run.ts';

/** Only root may mount the small disk, and not in every container. */
const disk = canMount() ? ([['disk', 5]] as const) : [];
/** `npm run breakdown` takes each away for as long as an outage lasts. */
const ills = isLong ? ([['database', 5], ...disk, ['token', 5], ['slack', 3]] as const) : ([['database', 5]] as const);

test.each(ills)(
  'what is acknowledged is done once or its person is told, and the operator knows, while this is away: %s',
  async (ill, seconds) => {
    expect(brokenPromises(ill, seconds, await runBreakdown({ ill, seconds }))).toEqual([]);
  },
);
