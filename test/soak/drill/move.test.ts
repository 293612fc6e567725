import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { execute } from '../../support/databases/execute.ts';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { isLong } from '../../support/length.ts';
import { actOn } from '../chaos/people.ts';
import { settle } from '../chaos/settle.ts';
import { openStand } from '../chaos/stand.ts';
import { judge } from '../chaos/verdict.ts';
import { runMuster } from './muster.ts';
import { countOpen, untilOpen } from './open-intents.ts';
import { findDoubled } from './rooms.ts';

test(`under load Muster is moved to Postgres and back${isLong ? ', twice' : ''}: all that was acknowledged is done, once and in order`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-drill-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await startPostgres();
  await execute(postgres.url('postgres'), 'create database again');
  const places = [
    `sqlite:${join(folder, 'first.db')}`,
    postgres.url('postgres'),
    `sqlite:${join(folder, 'second.db')}`,
    ...(isLong ? [postgres.url('again'), `sqlite:${join(folder, 'third.db')}`] : []),
  ];
  const [home = '', ...others] = places;
  await using stand = await openStand({ folder, databases: [home], incidents: 2, seed: 1 });
  const { api, crowd, stages, service, replicas } = stand;
  let isOver = false;
  api.fail(0.9);
  const acting = Promise.all(stages.map(stage => actOn(crowd, stage, 300, () => isOver)));

  let from = home;
  for (const to of others) {
    await untilOpen(from, 4);
    await replicas.pop()?.terminate();
    expect(await countOpen(from), `open before the move to ${to.split(':', 1)[0]}`).toBeGreaterThan(1);
    await runMuster('move', '--from', from, '--to', to);
    const muster = stand.replicaOn(to);
    await muster.start();
    replicas.push(muster);
    from = to;
  }
  isOver = true;
  const acts = (await acting).flat();
  api.fail(0);
  expect(await settle(from, performance.now())).toMatchObject({ unfinished: 0 });

  const {
    takenUp: _takenUp,
    silent: _silent,
    ...verdict
  } = await judge({
    ...{ acts, serviceUrl: service.url, token: service.token, databaseUrl: from },
  });
  expect(verdict).toEqual({ lost: [], doubled: [], unstored: [], outOfOrder: [], overtaken: [] });
  expect(acts.filter(act => act.acknowledged).length).toBeGreaterThan(3);
  expect(findDoubled(stand)).toEqual([]);
  expect([...stand.errors.keys()]).toEqual([]);
});
