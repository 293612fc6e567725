import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fuzz, toTable } from './fuzz.ts';

const seed = Number(process.env.MUSTER_SEED ?? 20_261_122);

test.skipIf(!existsSync('/proc/self/status'))(
  `half a minute of hostile inputs of all kinds breaks nothing and delays nobody (MUSTER_SEED=${seed})`,
  async () => {
    const report = await fuzz({ seed, seconds: 30 });
    expect(report.wrong, toTable(report)).toEqual([]);
    for (const [kind, { inputs }] of Object.entries(report.rows)) expect(inputs, kind).toBeGreaterThan(0);
  },
  180_000,
);
