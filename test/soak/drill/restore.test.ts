import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { execute } from '../../support/databases/execute.ts';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { isLong } from '../../support/length.ts';
import { type Act, actOn } from '../chaos/people.ts';
import { query } from '../chaos/query.ts';
import { settle } from '../chaos/settle.ts';
import { openStand } from '../chaos/stand.ts';
import { judge } from '../chaos/verdict.ts';
import { runMuster } from './muster.ts';
import { untilOpen } from './open-intents.ts';
import { findDoubled } from './rooms.ts';

/** The bot's database before the disk is lost and after it, and what loses it. */
interface Disk {
  readonly before: string;
  readonly after: string;
  readonly lose: () => Promise<void>;
}

async function openDisk(kind: 'SQLite' | 'Postgres', folder: string, stack: AsyncDisposableStack): Promise<Disk> {
  if (kind === 'SQLite') {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const url = `sqlite:${join(disk, 'muster.db')}`;
    return { before: url, after: url, lose: () => rm(disk, { recursive: true }) };
  }
  const postgres = stack.use(await startPostgres());
  for (const name of ['lost', 'muster']) await execute(postgres.url('postgres'), `create database ${name}`);
  return {
    before: postgres.url('lost'),
    after: postgres.url('muster'),
    lose: async () => void (await execute(postgres.url('postgres'), 'drop database lost with (force)')),
  };
}

/** A command is stored within that of its acknowledgement, in milliseconds. */
const storing = 250;

/** In `.ci/run` the drill of the move writes a copy to Postgres. */
const kinds = isLong ? (['SQLite', 'Postgres'] as const) : (['SQLite'] as const);

test.each(kinds)(
  'under load the disk is lost: from the backup of before, all that was asked for by then is done, and nothing stands twice in API and Slack: %s',
  async kind => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-drill-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const copy = join(folder, 'copy.db');
    await using stack = new AsyncDisposableStack();
    const { before: lost, after: databaseUrl, lose } = await openDisk(kind, folder, stack);
    await using stand = await openStand({ folder, databases: [lost], incidents: 2, seed: 1 });
    const { api, crowd, stages, service } = stand;
    const [muster] = stand.replicas;
    let isOver = false;
    const acting = Promise.all(stages.map(stage => actOn(crowd, stage, 200, () => isOver)));

    // Much is open when the backup is made, and is done before the disk is lost.
    api.fail(0.9);
    await untilOpen(lost, 10);
    await wait(storing * 2);
    const backedUpAt = Date.now();
    await runMuster('backup', '--out', copy, '--database', lost);
    api.fail(0);
    await wait(3000);
    await muster?.kill();
    await lose();
    await runMuster('restore', copy, '--database', databaseUrl);
    stand.replicas.splice(0, 1, stand.replicaOn(databaseUrl));
    await stand.replicas[0]?.start();
    await wait(1000);
    isOver = true;
    const acts = (await acting).flat();
    expect(await settle(databaseUrl, performance.now())).toMatchObject({ unfinished: 0 });

    const intents = await query(`sqlite:${copy}`, 'select state, payload from bot_intent');
    const deliveries = await query(`sqlite:${copy}`, 'select body from bot_delivery');
    const isIntent = ({ incidentID, token }: Act) =>
      intents.map(each => String(each.payload)).some(each => each.includes(token) && each.includes(`"${incidentID}"`));
    const isDelivery = ({ token }: Act) => deliveries.some(each => String(each.body).includes(token));
    const before = acts.filter(act => act.acknowledged && act.acknowledged.at < backedUpAt - storing);
    expect(before.length).toBeGreaterThan(5);
    expect(before.filter(act => !isIntent(act) && !isDelivery(act))).toEqual([]);
    expect(intents.filter(({ state }) => state === 'pending' || state === 'running').length).toBeGreaterThan(5);

    const kept = acts.filter(isIntent).map(({ kind, incidentID, token }) => `${kind} ${incidentID}/${token}`);
    const verdict = await judge({ acts, serviceUrl: service.url, token: service.token, databaseUrl });
    const isKept = (name: string) => kept.includes(name.replace(/ \(.*/, ''));
    // A severity is a state: where it was changed again since, it is not turned back, and its person is asked.
    const asked = await query(databaseUrl, `select payload from bot_intent where outcome like '%"reason":"restored"%'`);
    const isAsked = (name: string) =>
      asked.some(
        ({ payload }) => name.startsWith(`severity `) && name.includes(`/${JSON.parse(String(payload)).severity}`),
      );
    expect([...verdict.lost, ...verdict.unstored].filter(each => isKept(each) && !isAsked(each))).toEqual([]);
    expect(verdict.doubled).toEqual([]);
    expect(findDoubled(stand)).toEqual([]);
    expect([...stand.errors.keys()]).toEqual([]);
    // It goes on as ever.
    const after = acts.filter(act => act.acknowledged && !isKept(`${act.kind} ${act.incidentID}/${act.token}`));
    expect(after.length).toBeGreaterThan(0);
  },
);
