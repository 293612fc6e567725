import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { attack } from './attack.ts';
import type { AttackName } from './attacker.ts';
import { heldUp } from './held-up.ts';
import { openStand, type Stand } from './stand.ts';

/** The most memory of the process, in MiB. */
const mostMemory = 500;

/** How long two of them last: in `.ci/run` a bystander who is held up in the tenth wave is so in the fourth. */
const length = isLong ? 10 : 4;

const attacks: readonly (readonly [words: string, name: AttackName, requests: number, statuses: readonly number[]])[] =
  [
    ['90 zipped bodies of 10 MB at once', 'zipped', 90, [200, 412, 413, 503]],
    [`${10 * length},000 pipelined requests`, 'pipelined', 5000 * length, [200, 304, 404]],
    ['unsigned forms of 1 MB, forty at once', 'forms', 400, [401]],
    [`${20 * length} readers of 6,000 notes, twenty at once`, 'readers', 20 * length, [200]],
    // The server gives a request half a minute to arrive.
    ...(isLong ? [['1,000 bodies of 10 MB that come slowly', 'slow', 1000, [408, 503]] as const] : []),
  ];

describe.skipIf(!existsSync('/proc/self/status'))('one process, attacked again and again', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand();
  });
  afterAll(() => stand?.[Symbol.asyncDispose]());

  test.each(attacks)('a bystander hardly notices %s', async (_words, name, requests, statuses) => {
    const { bystander } = stand;
    const before = bystander.waits.length;
    const { answers, closed, unanswered } = await attack(name, stand.port, length);
    const waits = bystander.waits.slice(before);
    expect(unanswered).toBe(0);
    const answered = Object.values(answers).reduce((sum, each) => sum + each, 0);
    expect(answered + closed).toBe(requests);
    expect(Object.keys(answers).filter(status => !statuses.includes(Number(status)))).toEqual([]);
    expect(bystander.failures).toEqual([]);
    expect(waits.length).toBeGreaterThan(10);
    expect(heldUp(waits)).toEqual([]);
    // Of its whole life so far.
    expect(stand.peakMemory()).toBeLessThan(mostMemory);
    expect(await stand.errors()).toEqual([]);
  });
});
