import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { openFolder } from '../../support/folder.ts';
import { isLong } from '../../support/length.ts';
import { query } from '../chaos/query.ts';
import { openStand } from '../chaos/stand.ts';

const program = fileURLToPath(new URL('../../support/poisoned-muster.ts', import.meta.url));

/** Some processes on one Postgres, which are started again when they end, and what they log. */
async function someProcesses(stack: AsyncDisposableStack, count: number) {
  const url = stack.use(await startPostgres()).url('postgres');
  const lines: string[] = [];
  const options = {
    folder: await openFolder(),
    databases: Array<string>(count).fill(url),
    incidents: 3,
    seed: 1,
    program,
  };
  const stand = stack.use(await openStand({ ...options, onLine: line => lines.push(line) }));
  const starting = new Set<unknown>();
  const supervisor = setInterval(() => {
    for (const replica of stand.replicas) {
      if (replica.life || starting.has(replica)) continue;
      starting.add(replica);
      void replica.start().then(
        () => starting.delete(replica),
        () => undefined,
      );
    }
  }, 100);
  stack.defer(() => clearInterval(supervisor));
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
  ['a delivery and its intent', 2, 'one', /^journal: intent failed/],
  ...(isLong ? [['a delivery', 3, 'general', /^delivery: set aside/] as const] : []),
] as const;
/** How long other work may wait, in milliseconds: less than the time of a lease for each process that hangs. */
const longestWait = 25_000;

test.each(poisons)(
  '%s with which processes hang ends two, of %i, and everything else goes on soon',
  async (_, count, place, word) => {
    await using stack = new AsyncDisposableStack();
    const world = await someProcesses(stack, count);
    const { alice, bob, two, three, errors, ended, unfinished } = world;
    const reads = (person: typeof bob, room: typeof two) => person.sees(room).map(({ text }) => text);
    const beside = bob.command(two, '/note add beside it');
    await alice.command(world[place], '/note add poison');
    const began = performance.now();
    await beside;
    await expect.poll(ended).toBe(1);
    // It is acknowledged and done, and the timers of the room go on.
    expect(await bob.command(three, '/note add behind it')).toMatchObject({ status: 200 });
    await expect.poll(() => reads(bob, three).join('\n')).toContain('@bob noted: “behind it”');
    await expect.poll(() => reads(bob, two).join('\n')).toContain('@bob noted: “beside it”');
    expect(performance.now() - began).toBeLessThan(longestWait);
    // The operator and the sender are told.
    await expect.poll(() => [...errors.keys()].filter(each => word.test(each))).toHaveLength(1);
    await expect.poll(() => reads(alice, world[place]).join('\n')).toContain('I set aside what you asked for');
    await expect.poll(unfinished).toEqual([]);
    expect(ended()).toBe(2);
    expect(reads(bob, two).filter(each => each.includes('@bob noted'))).toHaveLength(1);
  },
);
