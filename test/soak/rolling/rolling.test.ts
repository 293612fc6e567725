import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { lastLanding, unpack } from '../../support/landings/landings.ts';
import { type Act, actOn } from '../chaos/people.ts';
import { settle } from '../chaos/settle.ts';
import { openStand } from '../chaos/stand.ts';
import { judge } from '../chaos/verdict.ts';
import { findDoubled } from '../drill/rooms.ts';

/** Acts that are acknowledged in each phase: the last landing alone, both at once, today's code alone. */
const each = { before: 6, beside: 30, after: 6 };
test('an update is rolled out on Postgres under load: the last landing and today’s code run beside each other, and nothing is lost, done twice or logged as an error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-rolling-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await using landing = await unpack(lastLanding);
  await using postgres = await startPostgres();
  const databaseUrl = postgres.url('postgres');
  const complaints: string[] = [];
  await using stand = await openStand({
    ...{ folder, databases: [databaseUrl, databaseUrl], incidents: 3, seed: 1, program: landing.program },
    onLine: line => {
      // A process that stops hands over what it has begun, and warns of that.
      if (/"level":"(?:error|fatal)"/.test(line)) complaints.push(line);
    },
  });
  const { crowd, stages, service, replicas } = stand;
  let accepted = 0;
  let isOver = false;
  const acting = Promise.all(
    stages.map(stage =>
      actOn(crowd, stage, 200, isAccepted => {
        accepted += isAccepted ? 1 : 0;
        return isOver;
      }),
    ),
  );
  const untilMore = async (count: number) => {
    const enough = accepted + count;
    await expect.poll(() => accepted).toBeGreaterThanOrEqual(enough);
  };
  await untilMore(each.before);
  const old = replicas.map(replica => replica.life);
  for (const index of replicas.keys()) {
    const today = stand.replicaOn(databaseUrl);
    await today.start();
    const [before] = replicas.splice(index, 1, today);
    if (before) replicas.push(before);
    await untilMore(each.beside / replicas.length);
    replicas.pop();
    await before?.terminate();
  }
  await untilMore(each.after);
  isOver = true;
  const acts = (await acting).flat();
  expect(await settle(databaseUrl, performance.now())).toMatchObject({ unfinished: 0 });

  const sources = { acts, serviceUrl: service.url, token: service.token, databaseUrl };
  const { takenUp: _takenUp, silent: _silent, ...verdict } = await judge(sources);
  expect(verdict).toEqual({ lost: [], doubled: [], unstored: [], outOfOrder: [], overtaken: [] });
  expect(findDoubled(stand)).toEqual([]);
  expect(complaints).toEqual([]);
  const isOld = ({ acknowledged }: Act) => old.some(life => life !== undefined && life === acknowledged?.life);
  const answered = acts.filter(act => act.acknowledged);
  expect(answered.filter(isOld).length).toBeGreaterThan(each.beside / 4);
  expect(answered.filter(act => !isOld(act)).length).toBeGreaterThan(each.beside / 4);
});
