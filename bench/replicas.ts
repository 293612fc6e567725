import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { type MakeDatabase, onPostgres } from './databases.ts';
import { apiTime, backlog, fillBacklog, openDesk } from './desk.ts';
import { interleave, type Row, summarise } from './measure.ts';

/** How far away Postgres is, in milliseconds for a way and back. */
const roundTrip = 1;
const replicas = 3;
const rounds = 5;
/** Three processes, a Postgres and an API share fewer cores than they keep busy, and then the cores are the limit. */
const enoughCores = 6;
const limited = { limit: 2.2, bound: 'at least' } as const;

/** Notes a second that three processes on one Postgres work off, over those of one; see {@link backlog}. */
export function benchReplicas(): AsyncIterable<Row> {
  return onPostgres(roundTrip, benchDrains);
}

async function benchDrains(make: MakeDatabase): Promise<Row[]> {
  const server = fork(new URL('./slow-api.ts', import.meta.url), [String(apiTime)]);
  try {
    const [baseUrl] = (await once(server, 'message')) as [string];
    let round = 0;
    const drainBy = async (count: number) => {
      round += 1;
      const url = await make(`replicas${round}`);
      {
        await using desk = await openDesk(url, () => Promise.reject(new Error('the API stays away')));
        await fillBacklog(desk, round);
      }
      const processes = Array.from({ length: count }, () =>
        fork(new URL('./desk-process.ts', import.meta.url), [url, baseUrl]),
      );
      await Promise.all(processes.map(each => once(each, 'message')));
      const ends = processes.map(each => once(each, 'exit'));
      const began = performance.now();
      for (const each of processes) each.send('go');
      await Promise.all(ends);
      return backlog / ((performance.now() - began) / 1000);
    };
    await drainBy(1);
    const pairs = await interleave(rounds, { baseline: () => drainBy(1), subject: () => drainBy(replicas) });
    const row = { name: 'replicas', ...summarise(pairs), unit: 'per s' };
    const hasEnoughCores = availableParallelism() >= enoughCores;
    return [{ ...row, ...(hasEnoughCores ? limited : { limit: undefined, reason: `needs ${enoughCores} cores` }) }];
  } finally {
    server.kill();
  }
}
