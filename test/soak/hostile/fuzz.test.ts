import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { fuzz, toTable } from './fuzz.ts';

const seed = Number(process.env.MUSTER_SEED ?? 20_261_122);

const seconds = isLong ? 30 : 5;

test.skipIf(!existsSync('/proc/self/status'))(
  `${seconds} seconds of hostile inputs of all kinds breaks nothing and delays nobody (MUSTER_SEED=${seed})`,
  async () => {
    const report = await fuzz({ seed, seconds });
    expect(report.wrong, toTable(report)).toEqual([]);
    for (const [kind, { inputs }] of Object.entries(report.rows)) expect(inputs, kind).toBeGreaterThan(0);
  },
);
