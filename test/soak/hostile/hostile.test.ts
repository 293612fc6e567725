import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { attack } from './attack.ts';
import type { AttackName } from './attacker.ts';
import { heldUp } from './held-up.ts';
import { openStand } from './stand.ts';

/** The most memory of the process, in MiB. */
const mostMemory = 500;

const attacks: readonly (readonly [words: string, name: AttackName, requests: number, statuses: readonly number[]])[] =
  [
    ['90 zipped bodies of 10 MB at once', 'zipped', 90, [200, 412, 413, 503]],
    ['100,000 pipelined requests', 'pipelined', 50_000, [200, 304, 404]],
    ['unsigned forms of 1 MB, forty at once', 'forms', 400, [401]],
    ['200 readers of 6,000 notes, twenty at once', 'readers', 200, [200]],
    // The server gives a request half a minute to arrive.
    ...(isLong ? [['1,000 bodies of 10 MB that come slowly', 'slow', 1000, [408, 503]] as const] : []),
  ];

test.skipIf(!existsSync('/proc/self/status')).each(attacks)(
  'a bystander hardly notices %s',
  async (_words, name, requests, statuses) => {
    await using stand = await openStand();
    const { answers, closed, unanswered } = await attack(name, stand.port);
    const { waits, failures } = stand.bystander;
    expect(unanswered).toBe(0);
    const answered = Object.values(answers).reduce((sum, each) => sum + each, 0);
    expect(answered + closed).toBe(requests);
    expect(Object.keys(answers).filter(status => !statuses.includes(Number(status)))).toEqual([]);
    expect(failures).toEqual([]);
    expect(waits.length).toBeGreaterThan(10);
    expect(heldUp(waits)).toEqual([]);
    expect(stand.peakMemory()).toBeLessThan(mostMemory);
    expect(await stand.errors()).toEqual([]);
  },
);
