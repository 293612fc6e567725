import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '../../support/folder.ts';
import { muster } from '../../support/muster-process.ts';
import { lineOf, openSettings, runMuster, watch } from '../../support/run-muster.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = fileURLToPath(new URL('../../../bin/muster.js', import.meta.url));

test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s stops it in order', async signal => {
  const { settings } = await openSettings();
  const { child, ended } = runMuster(['start'], settings, { program });
  await lineOf(child, /"msg":"muster: ready"/);
  child.kill(signal);
  const { stdout, ...rest } = await ended;
  expect(rest).toMatchObject({ code: 0, stderr: '' });
  expect(
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .slice(-2),
  ).toMatchObject([{ msg: 'muster: stops', signal }, { msg: 'muster: stopped' }]);
});

test('a process that computes without end and hears no SIGTERM ends all the same, and says why', async () => {
  const { settings } = await openSettings();
  const hang = "process.on('SIGUSR2', () => { for (;;); })";
  const flags = [`--import=data:text/javascript,${encodeURIComponent(hang)}`];
  const { child, ended } = runMuster(['start'], settings, { program: muster, flags });
  await lineOf(child, /"msg":"muster: ready"/);
  child.kill('SIGUSR2');
  child.kill('SIGTERM');
  const { stdout } = await ended;
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    level: 'fatal',
    msg: expect.stringContaining('answers nobody'),
  });
});

test.for(['start', 'service'])('SIGTERM for npm stops what `npm run %s` has started', async script => {
  const { settings } = await openSettings();
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, npm_config_update_notifier: 'false', ...settings };
  const npm = spawn('npm', ['run', script], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  // Whatever npm leaves behind ends with its group.
  onTestFinished(() => killGroup(npm.pid));
  const { child, ended } = watch(npm);
  const line = await lineOf(child, /"msg":"muster: ready"|listens on/);
  const port = /(?<="port":|listens on \S*:)\d+/.exec(line)?.[0];
  const answer = () => fetch(`http://127.0.0.1:${port}/openapi.json`);
  expect((await answer()).status).toBe(200);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  await expect(answer()).rejects.toThrow();
});

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

test('an old Node says which one Muster needs, and where it is found', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
  const flags = [`--import=data:text/javascript,${encodeURIComponent(old)}`];
  const { code, stdout, stderr } = await runMuster(['start'], {}, { program, flags }).ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('Muster needs Node 26 or newer; this is Node 20.20.2');
  expect(stderr).toContain('node_modules/.bin/node');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a secret is read from its file, and a misspelt setting is one warning', async () => {
  const { settings } = await openSettings();
  const { SLACK_BOT_TOKEN: token, ...rest } = settings;
  const file = join(await openFolder(), 'token');
  await writeFile(file, `${token}\n`);
  const given = { ...rest, SLACK_BOT_TOKEN_FILE: file, SEVERITES: 'low,high' };
  const { child, printed, ended } = runMuster(['start'], given, { program });
  await lineOf(child, /"msg":"muster: ready"/);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  const warnings = printed.stdout.split('\n').filter(line => line.includes('"msg":"settings: '));
  expect(warnings).toEqual([
    expect.stringContaining('SEVERITES is no setting, so it changes nothing. Is SEVERITIES meant?'),
  ]);
  expect(warnings[0]).not.toContain('low,high');
});
