import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { addAllTables } from '../support/databases/all-tables.ts';
import { damageTables } from '../support/databases/damage.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openFolder } from '../support/folder.ts';
import { openGeneral } from '../support/general.ts';
import { grants } from '../support/grants.ts';
import { spawnMuster } from '../support/muster-process.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** Opens a Slack that grants less than the manifest asks for. */
async function openPoorSlack(missing: string) {
  const slack = await openInstalledSlack(undefined, { scopes: grants.scopes.filter(each => each !== missing) });
  return slack;
}

test('a member asks how Muster is doing, and is told alone what fails and what fixes it', async () => {
  const { place, slack, alice, general, type } = await openGeneral({ slack: await openPoorSlack('pins:write') });
  const report = await type('/muster doctor');
  expect(report).toContain('scope pins:write: Slack does not grant it.');
  expect(report).toContain('Stops working: the pinned card.');
  expect(report).toContain('add pins:write, then Install App → Reinstall');
  expect(report).toContain('Well: bot token');
  expect(place.messages(alice, general.name).at(-1)?.ephemeralTo).toBe(alice.id);
  for (const secret of [slack.botToken, slack.signingSecret, place.muster.url]) expect(report).not.toContain(secret);
});

test('the same by mention, in words for screen readers too', async () => {
  const { place, alice, general, act } = await openGeneral({ slack: await openPoorSlack('pins:write') });
  await act(() => alice.mention(general, 'doctor'));
  const answer = place.messages(alice, general.name).at(-1);
  expect(answer?.ephemeralTo).toBe(alice.id);
  expect(answer?.text).toContain('scope pins:write');
  expect(answer?.text).toContain('Stops working: the pinned card.');
});

test('a guest is told nothing', async () => {
  const { slack, general, type, place } = await openGeneral();
  const guest = slack.addPerson({ name: 'guest', isRestricted: true });
  const lobby = slack.addChannel({ name: 'lobby', members: [guest], botIsMember: true });
  expect(await type('/muster doctor', lobby.name, guest)).toBe(
    'Only full members of this workspace see how Muster is doing. Ask one of them to look.',
  );
  expect(place.reads(guest, lobby.name)).toHaveLength(1);
  expect(general.messages).toHaveLength(0);
});

test('a command that another app has taken is found by typing each once', async () => {
  const { place, slack, alice, general, type, act } = await openGeneral();
  slack.takeCommand('/task');
  const asked = await type('/muster doctor');
  expect(asked).not.toContain('command /task:');
  expect(asked).toContain('Type each of these once, then press the button: /incident help');
  expect(asked).not.toContain('/muster help,');
  const question = place.messages(alice, general.name).at(-1);
  for (const noun of ['incident', 'task', 'role', 'dash', 'note']) await alice.command(general, `/${noun} help`);
  if (!question) throw new Error('there is no answer');
  await act(() => alice.press(question, 'I typed them: check again'));
  const found = place.reads(alice, general.name).find(each => each.includes('command /task:')) ?? '';
  expect(found).toContain('command /task: It was typed and did not reach Muster: another app has taken /task');
  expect(found).toContain('“/muster task …” and a mention of the bot do the same');
});

test('commands that other apps have taken are one thing that fails, with one way to fix it', async () => {
  const { place, slack, alice, general, type, act } = await openGeneral();
  for (const noun of ['task', 'role']) slack.takeCommand(`/${noun}`);
  await type('/muster doctor');
  const question = place.messages(alice, general.name).at(-1);
  for (const noun of ['incident', 'task', 'role', 'dash', 'note']) await alice.command(general, `/${noun} help`);
  if (!question) throw new Error('there is no answer');
  await act(() => alice.press(question, 'I typed them: check again'));
  const report = place.reads(alice, general.name).find(each => each.includes('commands /task, /role:')) ?? '';
  expect(report).toContain('1 check fails');
  expect(report.match(/^Do: /gm)).toHaveLength(1);
  expect(report).toContain('“/muster task …”, “/muster role …” and a mention of the bot do the same');
});

/** Runs `muster doctor` in a process of its own, with an installation on a database, a fresh one when none is given. */
async function runDoctor(settings: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const DATABASE_URL = settings.DATABASE_URL ?? `sqlite:${join(await openFolder(), 'muster.db')}`;
  if (settings.DATABASE_URL === undefined) await addAllTables(DATABASE_URL);
  const child = spawnMuster(['doctor', ...args], { ...settings, DATABASE_URL });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: child.exitCode };
}

test('in a shell the doctor ends with 0 when nothing fails, and says what it cannot see from there', async () => {
  const slack = await openInstalledSlack();
  const settings = { SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.apiUrl };
  const { out, err, code } = await runDoctor(settings);
  expect(err).toMatch(/^Database: \S+muster\.db\n$/);
  expect(code).toBe(0);
  expect(out).toMatch(/^ok {7}database: It can be read and written\.$/m);
  expect(out).toMatch(/^unknown {2}commands: \d+ commands have not arrived lately; .*\/task/m);
  expect(out).toMatch(/^ok {7}changes made elsewhere: Slack shows within 5 s/m);
  expect(out).toMatch(/^unknown {2}app manifest: A bot is not told/m);
  expect(out).toMatch(/^ok {7}bot token: Slack knows it: muster in the workspace Acme\.$/m);
  expect(out).toMatch(/No problems found: \d+ checks passed, \d+ cannot be checked from here\.\n$/);
});

test('in a shell the doctor ends with 1 where there is no database, and makes none', async () => {
  const slack = await openInstalledSlack();
  const folder = await openFolder();
  const { out, code } = await runDoctor({
    ...{ SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.apiUrl },
    DATABASE_URL: `sqlite:${join(folder, 'data', 'muster.db')}`,
  });
  expect(code).toBe(1);
  expect(out).toMatch(/^FAILING {2}database: There is no database at \S+muster\.db; is DATABASE_URL set\?$/m);
  expect(out).toContain('1 check fails');
  expect(await readdir(folder)).toEqual([]);
});

test('in a shell the doctor ends with 1 where the database is damaged, and says of it what a start says', async () => {
  const slack = await openInstalledSlack();
  const file = join(await openFolder(), 'muster.db');
  await addAllTables(`sqlite:${file}`);
  // No look of the doctor's reads it.
  await damageTables(file, table => table === 'bot_draft');
  const { out, code } = await runDoctor({
    ...{ SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.apiUrl },
    DATABASE_URL: `sqlite:${file}`,
  });
  expect(code).toBe(1);
  expect(out).toMatch(
    /^FAILING {2}database: The database \S+muster\.db .*: it is damaged\. Restore a backup, or .*\.recover/m,
  );
  expect(out).toMatch(/1 check fails \(database\)/);
});

test('in a shell the doctor ends with 1 when something fails, for machines too', async () => {
  const slack = await openPoorSlack('chat:write');
  const grafana = await openFakeGrafana();
  grafana.fail({ when: /GetRoles/, answer: { status: 401, body: '{"message":"Invalid API key"}' } });
  const settings = {
    ...{ SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.apiUrl },
    ...grafana.settings,
  };
  const { out, err, code } = await runDoctor(settings, '--json');
  expect({ err, code }).toEqual({ err: expect.stringMatching(/^Database: \S+\n$/), code: 1 });
  const report = JSON.parse(out);
  expect(report.well).toBe(false);
  const failing = report.findings.filter((each: { state: string }) => each.state === 'failing');
  expect(failing.map((each: { subject: string }) => each.subject)).toEqual(['scope chat:write', 'API token']);
  for (const each of failing)
    expect(each).toMatchObject({ stops: expect.stringMatching(/./), fix: expect.stringMatching(/./) });
  for (const secret of [slack.botToken, slack.appToken, grafana.settings.GRAFANA_TOKEN])
    expect(out).not.toContain(secret);
});

test('settings that change nothing and a bad SERVICE_OPTIONS are lines of the report', async () => {
  const slack = await openPoorSlack('');
  const { out, code } = await runDoctor({
    ...{ SLACK_BOT_TOKEN: slack.botToken, SLACK_SIGNING_SECRET: slack.signingSecret, SLACK_API_URL: slack.apiUrl },
    ...{ SEVERITES: 'hidden', DATABASE_POOL: '5', SERVICE_OPTIONS: './nowhere.json' },
  });
  expect(code).toBe(1);
  expect(out).toContain('setting SEVERITES: SEVERITES is no setting');
  expect(out).toContain('setting DATABASE_POOL: ');
  expect(out).toMatch(/FAILING {2}service options: .*nowhere\.json cannot be used/);
  expect(out).toMatch(/fails? \(.*service options.*\)/);
  expect(out).toMatch(/events: \d+ events have not arrived yet/);
  expect(out).not.toContain('hidden');
});
