import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installUnits } from '../../support/deploy/systemd-installation.ts';
import { documentedCommands } from '../../support/docs/commands.ts';
import { openFolder } from '../../support/folder.ts';
import { openInstalledClone } from '../../support/fresh-clone.ts';
import { lineOf } from '../../support/run-muster.ts';
import { typeLine } from '../../support/user-shell.ts';
import { openInstalledSlack } from '../../support/workplace.ts';
import { query } from '../chaos/query.ts';

/** How long an effect may take, in milliseconds. */

/** How Muster is installed, and where its commands are typed. */
interface Way {
  /** The folder in which a person types. */
  readonly folder: string;
  /** The file of its settings. */
  readonly settings: string;
  readonly database: string;
  /** The line that starts it, and how its last program ends when it is interrupted. */
  readonly start: string;
  readonly prelude?: string;
}

/** In a clone, as README.md says. */
async function inClone(): Promise<Way> {
  const folder = await openInstalledClone();
  return {
    ...{ folder, settings: join(folder, '.env'), database: join(folder, 'data/muster.db') },
    start: 'npm start',
  };
}

/** With the units of deploy/systemd, typed in a folder that has nothing to do with Muster. */
async function withUnits(): Promise<Way> {
  return { ...(await installUnits()), folder: await openFolder() };
}

/** Muster, installed for a Slack of its own. `start` starts it, and resolves to what stops it. */
async function openInstallation({ folder, settings, database, start: line, prelude }: Way) {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice', realName: 'Alice Adler', email: 'alice@example.com' });
  const bob = slack.addPerson({ name: 'bob', realName: 'Bob Baker', email: 'bob@example.com' });
  slack.addChannel({ name: 'checkout', members: [alice, bob], botIsMember: true });
  /** Writes the settings: its two tokens, where the stand-in for Slack is, any port, and what else is given. */
  const set = (more = '') =>
    writeFile(
      settings,
      `SLACK_BOT_TOKEN=${slack.botToken}\nSLACK_APP_TOKEN=${slack.appToken}\nSLACK_API_URL=${slack.apiUrl}\nPORT=0\n${more}`,
      { mode: 0o600 },
    );
  const type = (typed: string) => typeLine(typed, folder, prelude);
  const start = async () => {
    const muster = type(line);
    await lineOf(muster.child, /"msg":"muster: ready"/);
    return async () => {
      muster.interrupt();
      expect((await muster.ended).stderr).toBe('');
    };
  };
  /** How much is not done yet of what people asked for. */
  const open = async () => {
    const all =
      "select id from bot_intent where state in ('pending', 'running') union all select key from bot_delivery where state = 'open'";
    return (await query(`sqlite:${database}`, all)).length;
  };
  const room = () => slack.channels.find(each => each.name.startsWith('inc-'));
  return { alice, bob, type, set, start, open, room };
}

test.each([
  ['in a clone', inClone],
  ['with the units of systemd, in another folder', withUnits],
] as const)('the commands of docs/operating.md do what it says, one after the other, %s', async (_where, install) => {
  const way = await install();
  const { alice, bob, type, set, start, open, room } = await openInstallation(way);
  const commands = documentedCommands['docs/operating.md'] ?? [];
  let listed = '';
  /** Runs lines as they stand, with the id of the first intent that was listed in the place of `<id>`. */
  const run = async (lines: typeof commands) => {
    for (const command of lines) {
      if (!('shows' in command)) continue;
      const { line, shows } = command;
      const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(listed)?.[0] ?? '';
      const { code, stdout, stderr } = await type(line.replace('<id>', id)).ended;
      // In a clone, the database is named by a path that begins there.
      const said = `${stdout}${stderr}`.replace(/^Database: .*\n/m, '').replaceAll(way.database, './data/muster.db');
      expect(code, `${line}: ${stderr}`).toBe(0);
      for (const fact of shows) expect.soft(said, line).toMatch(fact);
      if (!/--url|conformance/.test(line)) expect.soft(stderr, line).toContain(`Database: ${way.database}\n`);
      if (line === 'muster journal list') listed = stdout;
    }
  };
  const offline = commands.findIndex(each => each.line.startsWith('muster journal'));

  await set();
  const stop = await start();
  await alice.command('checkout', '/incident declare Checkout answers 500 --now');
  await expect.poll(() => room()?.members.has(alice.id)).toBe(true);
  bob.join(room()?.name ?? '');
  await bob.command(room()?.name ?? '', '/task add Roll back the release');
  await expect.poll(open).toBe(0);
  await run(commands.slice(0, offline).filter(each => 'whileMusterRuns' in each));
  await stop();
  await run(commands.slice(0, offline).filter(each => !('whileMusterRuns' in each)));

  // The API is away: what bob notes waits.
  await set('GRAFANA_URL=http://127.0.0.1:9\nGRAFANA_TOKEN=glsa_nobody_answers\n');
  const stopAgain = await start();
  await bob.command(room()?.name ?? '', '/note add The replica is behind');
  await bob.command(room()?.name ?? '', '/note add Nobody knows why');
  const queued = () => bob.sees(room()?.name ?? '').filter(each => each.text.includes('Saved. I’ll add'));
  await expect.poll(() => queued().length).toBe(2);
  await stopAgain();
  await set();
  await run(commands.slice(offline));
});
