import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { openFolder } from '../../support/folder.ts';
import { isLong } from '../../support/length.ts';
import { query } from '../chaos/query.ts';
import { openStand } from '../chaos/stand.ts';

const program = fileURLToPath(new URL('../../support/poisoned-muster.ts', import.meta.url));

/** Three processes on one Postgres, and what they log. */
async function threeProcesses(stack: AsyncDisposableStack) {
  const url = stack.use(await startPostgres()).url('postgres');
  const lines: string[] = [];
  const options = { folder: await openFolder(), databases: [url, url, url], incidents: 3, seed: 1, program };
  const stand = stack.use(await openStand({ ...options, onLine: line => lines.push(line) }));
  const [alice, bob] = stand.crowd.people;
  const [one, two, three] = stand.stages.map(({ room }) => room);
  if (!alice || !bob || !one || !two || !three) throw new Error('The stand has too few people or rooms.');
  return {
    ...{ alice, bob, one, two, three, errors: stand.errors },
    general: stand.slack.channels.find(each => each.name === 'general') ?? one,
    ended: () => lines.filter(line => line.includes('answers nobody')).length,
    unfinished: () =>
      query(
        url,
        "select key from bot_delivery where state = 'open' union select id from bot_intent where state in ('pending', 'running')",
      ),
  };
}

/** In `npm run test:long` also a delivery without an intent. */
const poisons = [
  ['a delivery and its intent', 'one', /^journal: intent failed/],
  ...(isLong ? [['a delivery', 'general', /^delivery: set aside/] as const] : []),
] as const;

test.each(poisons)(
  '%s with which processes hang ends two of three, and everything else goes on',
  async (_, place, word) => {
    await using stack = new AsyncDisposableStack();
    const world = await threeProcesses(stack);
    const { alice, bob, two, three, errors, ended, unfinished } = world;
    const reads = (person: typeof bob, room: typeof two) => person.sees(room).map(({ text }) => text);
    const beside = bob.command(two, '/note add beside it');
    await alice.command(world[place], '/note add poison');
    await beside;
    await expect.poll(ended).toBe(1);
    // It is acknowledged and done, and the timers of the room go on.
    expect(await bob.command(three, '/note add behind it')).toMatchObject({ status: 200 });
    expect(ended()).toBe(1);
    await expect.poll(() => reads(bob, three).join('\n')).toContain('@bob noted: “behind it”');
    await expect.poll(() => reads(bob, two).join('\n')).toContain('@bob noted: “beside it”');
    // The operator and the sender are told.
    await expect.poll(() => [...errors.keys()].filter(each => word.test(each))).toHaveLength(1);
    await expect.poll(() => reads(alice, world[place]).join('\n')).toContain('I set aside what you asked for');
    await expect.poll(unfinished).toEqual([]);
    expect(ended()).toBe(2);
    expect(reads(bob, two).filter(each => each.includes('@bob noted'))).toHaveLength(1);
  },
);
