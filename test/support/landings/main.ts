import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { actOn } from '../../soak/chaos/people.ts';
import { query } from '../../soak/chaos/query.ts';
import { openStand } from '../../soak/chaos/stand.ts';
import { countOpen } from '../../soak/drill/open-intents.ts';
import { startPostgres } from '../databases/postgres-server.ts';
import { dumpPostgres, dumpSqlite } from './dump.ts';
import { isKept, type KeptEngine, keep } from './kept.ts';
import { type Landing, landings, nameOf, unpack } from './landings.ts';

/*
 * `npm run landings`: runs each landing whose database is not kept yet, out of the history and with its own packages, lets people work and call
 * each other, takes its API away, and kills it with open intents. What it leaves is kept in databases/, as SQL text. Takes half a minute each.
 */

/** Open intents at the moment of the kill. */
const open = 8;

for (const landing of landings) {
  for (const engine of ['sqlite', 'postgres'] as const) {
    if (isKept(landing, engine)) continue;
    await make(landing, engine);
    process.stdout.write(`${nameOf(landing)} on ${engine}: kept\n`);
  }
}
// Postgres's package ends the process with 0 when nothing is left to do.
process.exit(0);

async function make(landing: Landing, engine: KeptEngine): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-landings-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { program } = stack.use(await unpack(landing, { installs: true }));
  const files = ['service', 'bot'].map(name => join(folder, `${name}.db`));
  const postgres = engine === 'postgres' ? stack.use(await startPostgres()).url('postgres') : undefined;
  const [serviceDatabase = '', database = ''] = files.map(file => postgres ?? `sqlite:${file}`);
  const lines: string[] = [];
  const stand = stack.use(
    await openStand({
      ...{ folder, serviceDatabase, databases: [database], incidents: 2, seed: 1, program },
      onLine: line => lines.push(line),
    }),
  );
  const { api, crowd, stages, slack, replicas, stopService } = stand;
  let isOver = false;
  const acting = Promise.all(stages.map(stage => actOn(crowd, stage, 300, () => isOver)));
  await wait(3000);
  const [alice] = crowd.people;
  const frank = slack.addPerson({ name: 'frank' });
  for (const { room } of stages) await alice?.command(room, `/incident call @${frank.name} the database is down`);
  await wait(1000);
  api.fail(1);
  const general = slack.channels.find(each => each.name === 'general');
  const title = 'The one that waits';
  if (general) await alice?.command(general, `/incident declare ${title} --now`);
  for (const until = Date.now() + 60_000; (await countOpen(database)) < open && Date.now() < until; ) await wait(100);
  isOver = true;
  const acts = (await acting).flat();
  await replicas[0]?.kill();
  await stopService();
  const at = new Date().toISOString();
  const sql = postgres === undefined ? dumpSqlite(files) : await dumpPostgres(postgres);
  const left = {
    ...{ at, title, slack: slack.save() },
    acts: acts.filter(act => act.acknowledged).map(({ incidentID, token }) => ({ incidentID, token })),
  };
  const rows = await query(database, 'select state, count(*) as n from bot_intent group by state order by state');
  process.stdout.write(`${JSON.stringify(rows)}, ${left.acts.length} acts\n`);
  for (const line of lines.filter(each => /"level":"error"/.test(each)).slice(0, 5)) process.stdout.write(`${line}\n`);
  await keep(landing, engine, sql, left);
}
