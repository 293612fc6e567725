import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentedCommands } from '../../support/docs/commands.ts';
import { openInstalledClone } from '../../support/fresh-clone.ts';
import { lineOf } from '../../support/run-muster.ts';
import { typeLine } from '../../support/user-shell.ts';
import { openInstalledSlack } from '../../support/workplace.ts';
import { query } from '../chaos/query.ts';

/** How long an effect may take, in milliseconds. */
const soon = { timeout: 60_000 };

/** A clone in which Muster was installed as README.md says, for a Slack of its own. `start` starts it, and resolves to what stops it. */
async function openInstallation() {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice', realName: 'Alice Adler', email: 'alice@example.com' });
  const bob = slack.addPerson({ name: 'bob', realName: 'Bob Baker', email: 'bob@example.com' });
  slack.addChannel({ name: 'checkout', members: [alice, bob], botIsMember: true });
  const folder = await openInstalledClone();
  /** Writes the settings, as README.md says: its two tokens, where the stand-in for Slack is, any port, and what else is given. */
  const set = (more = '') =>
    writeFile(
      join(folder, '.env'),
      `SLACK_BOT_TOKEN=${slack.botToken}\nSLACK_APP_TOKEN=${slack.appToken}\nSLACK_API_URL=${slack.apiUrl}\nPORT=0\n${more}`,
    );
  const start = async () => {
    const muster = typeLine('npm start', folder);
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
    return (await query(`sqlite:${join(folder, 'data/muster.db')}`, all)).length;
  };
  const room = () => slack.channels.find(each => each.name.startsWith('inc-'));
  return { slack, alice, bob, folder, set, start, open, room };
}

test('the commands of docs/operating.md do what it says, one after the other, in a clone', {
  timeout: 480_000,
}, async () => {
  const { alice, bob, folder, set, start, open, room } = await openInstallation();
  const commands = documentedCommands['docs/operating.md'] ?? [];
  let listed = '';
  /** Runs lines as they stand, with the id of the first intent that was listed in the place of `<id>`. */
  const run = async (lines: typeof commands) => {
    for (const command of lines) {
      if (!('shows' in command)) continue;
      const { line, shows } = command;
      const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(listed)?.[0] ?? '';
      const { code, stdout, stderr } = await typeLine(line.replace('<id>', id), folder).ended;
      expect(code, `${line}: ${stderr}`).toBe(0);
      for (const fact of shows) expect.soft(`${stdout}${stderr}`, line).toMatch(fact);
      if (line === 'muster journal list') listed = stdout;
    }
  };
  const offline = commands.findIndex(each => each.line.startsWith('muster journal'));

  await set();
  const stop = await start();
  await alice.command('checkout', '/incident declare Checkout answers 500 --now');
  await expect.poll(() => room()?.members.has(alice.id), soon).toBe(true);
  bob.join(room()?.name ?? '');
  await bob.command(room()?.name ?? '', '/task add Roll back the release');
  await expect.poll(open, soon).toBe(0);
  await run(commands.slice(0, offline).filter(each => 'whileMusterRuns' in each));
  await stop();
  await run(commands.slice(0, offline).filter(each => !('whileMusterRuns' in each)));

  // The API is away: what bob notes waits.
  await set('GRAFANA_URL=http://127.0.0.1:9\nGRAFANA_TOKEN=glsa_nobody_answers\n');
  const stopAgain = await start();
  await bob.command(room()?.name ?? '', '/note add The replica is behind');
  await bob.command(room()?.name ?? '', '/note add Nobody knows why');
  const queued = () => bob.sees(room()?.name ?? '').filter(each => each.text.includes('Queued'));
  await expect.poll(() => queued().length, soon).toBe(2);
  await stopAgain();
  await set();
  await run(commands.slice(offline));
});
