import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readBuild } from '../../../src/operations/version.ts';
import { openFolder } from '../../support/folder.ts';
import { openProgram } from '../../support/program.ts';
import { lineOf, runMuster as muster, openSettings } from '../../support/run-muster.ts';
import { openInstalledSlack } from '../../support/workplace.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('an unknown subcommand is refused', async () => {
  const { code, stderr } = await muster(['strat']).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('strat');
});

test('start without settings names every problem at once, and no stack', async () => {
  const { run, said } = openProgram({ PORT: 'http', GRAFANA_URL: 'grafana', LOG_LEVEL: 'loud' });
  const refusal = await run('start').then(
    () => '',
    (error: Error) => error.message,
  );
  expect(said.printed).toBe('');
  for (const name of ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'PORT', 'GRAFANA_URL', 'GRAFANA_TOKEN', 'LOG_LEVEL']) {
    expect(refusal).toContain(name);
  }
  expect(refusal).not.toMatch(/^\s+at /m);
});

test('start without settings ends with the lines to write, and no stack', async () => {
  const { code, stdout, stderr } = await muster(['start']).ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Muster cannot start without 2 more settings\./);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).toMatch(/\nSLACK_BOT_TOKEN=.*\n(#.*\n)+SLACK_APP_TOKEN=.*\n#.*\n# ANNOUNCE_CHANNEL=.*\n$/);
});

test('settings of .env are read without a word, and the environment wins', async () => {
  const folder = await openFolder();
  const printed = async (settings: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await muster(['manifest'], settings, { cwd: folder }).ended;
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  await mkdir(join(folder, '.env'));
  expect(await printed()).toContain('command: /muster\n');
  await rm(join(folder, '.env'), { recursive: true });
  await writeFile(join(folder, '.env'), 'COMMAND_ROOT=from-file\n');
  expect(await printed()).toContain('command: /from-file\n');
  expect(await printed({ COMMAND_ROOT: 'from-environment' })).toContain('command: /from-environment\n');
});

/** Runs a command in a folder as a user who owns nothing there. */
function runAsNobody(folder: string) {
  const nobody = { uid: 65_534, gid: 65_534, env: { NODE_COMPILE_CACHE: '/nowhere' } };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin/muster.js'), 'manifest'], {
    ...{ cwd: folder, encoding: 'utf8', ...nobody },
  });
  return { status, stdout, stderr };
}

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)(
  'an .env that the user may not read is one sentence with its path, its owner and the cure',
  async () => {
    const folder = await openFolder();
    await chmod(folder, 0o755);
    await writeFile(join(folder, '.env'), 'COMMAND_ROOT=from-file\n', { mode: 0o600 });
    const { status, stdout, stderr } = runAsNobody(folder);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    for (const each of [join(folder, '.env'), 'root', '0600', 'chown', 'EACCES']) expect(stderr).toContain(each);
  },
);

test.skipIf(!isRoot)('a folder that the user may not enter has no .env, and neither is an error', async () => {
  const folder = await openFolder();
  await writeFile(join(folder, '.env'), 'COMMAND_ROOT=from-file\n');
  await chmod(folder, 0o700);
  const { status, stdout, stderr } = runAsNobody(folder);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('command: /muster\n');
});

test('a start that fails says why on standard error, and as the last line of its log too', async () => {
  const { settings } = await openSettings();
  const { code, stdout, stderr } = await muster(['start'], { ...settings, SLACK_BOT_TOKEN: 'xoxb-of-nobody' }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('invalid_auth');
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ level: 'fatal', msg: 'muster: does not start' });
  expect(last.err.message).toContain('invalid_auth');
});

test('the help of start and doctor says where the settings stand', async () => {
  for (const command of ['start', 'doctor']) {
    const { stdout } = await muster([command, '--help']).ended;
    for (const each of ['SLACK_BOT_TOKEN', 'GRAFANA_URL', 'DATABASE_URL', '.env', 'docs/settings.md'])
      expect(stdout, command).toContain(each);
  }
});

test('start becomes ready, answers, and stops on SIGTERM', async () => {
  const { settings } = await openSettings();
  const { child, ended } = muster(['start'], settings);
  const ready = JSON.parse(await lineOf(child, /"msg":"muster: ready"/));
  const health = await fetch(`http://127.0.0.1:${ready.port}/healthz`);
  expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}']);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('start loads nothing that only some need', async () => {
  const { settings } = await openSettings();
  const tell = `import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    process.on('exit', () => process.stderr.write(urls.join('\\n')));`;
  const { child, ended } = muster(['start'], {
    ...settings,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}`,
  });
  await lineOf(child, /"msg":"muster: ready"/);
  child.kill('SIGTERM');
  const { stderr } = await ended;
  expect(stderr).toContain('/node_modules/@slack/bolt/');
  const packages = ['d3-scale', 'date-fns', 'express', 'pg', 'prom-client', 'ws', 'yaml'];
  const loaded = [
    ...packages.map(name => `/node_modules/${name}/`),
    // The way to read an address is a small file of its own.
    '/node_modules/hono/dist/hono-base.js',
    '/src/contract/openapi.ts',
    '/src/conformance/',
    '/src/transfer/',
    '/src/bot/secrets/',
    '/src/commands/journal.ts',
    '/src/commands/service.ts',
  ];
  expect(loaded.filter(each => stderr.includes(each))).toEqual([]);
});

test('a SIGTERM that comes while it starts stops it too', async () => {
  const { slack, settings } = await openSettings();
  const { child, ended } = muster(['start'], settings);
  await slack.until(() => slack.callsOf('auth.test').length > 0);
  child.kill('SIGTERM');
  const { stdout, ...rest } = await ended;
  expect(rest).toMatchObject({ code: 0, stderr: '' });
  const said = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(said.slice(-2)).toMatchObject([{ msg: 'muster: stops', signal: 'SIGTERM' }, { msg: 'muster: stopped' }]);
});

test('start says in a sentence that Slack refuses the token', async () => {
  const { settings } = await openSettings();
  const { code, stderr } = await muster(['start'], { ...settings, SLACK_BOT_TOKEN: 'xoxb-of-somebody-else' }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('invalid_auth');
  expect(stderr).toContain('SLACK_BOT_TOKEN');
  expect(stderr).not.toContain('somebody-else');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('the service alone says where it listens, wants a token, and stops on SIGTERM', async () => {
  const database = `sqlite:${join(await openFolder(), 'service.db')}`;
  const { child, ended } = muster([
    'service',
    '--port',
    '0',
    '--database',
    database,
    '--token',
    'glsa_of_the_boot_test:Admin',
  ]);
  const address = /http:\/\/\S+/.exec(await lineOf(child, /listens on/))?.[0] ?? '';
  const url = `${address}/api/plugins/grafana-irm-app/resources/api/v1/RolesService.GetRoles`;
  const call = (headers: Record<string, string>) =>
    fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...headers } });
  const answered = await call({ authorization: 'Bearer glsa_of_the_boot_test' });
  expect(answered.status).toBe(200);
  expect(await answered.json()).toMatchObject({ roles: expect.arrayContaining([expect.anything()]) });
  expect((await call({})).status).toBe(401);
  expect((await call({ authorization: 'Bearer glsa_y' })).status).toBe(401);
  expect(await (await fetch(`${address}/healthz`)).json()).toEqual({ status: 'ok' });
  const readiness = await fetch(`${address}/readyz`);
  expect([readiness.status, await readiness.json()]).toEqual([
    200,
    { ready: true, database: { state: 'ok' }, problems: [], ...readBuild() },
  ]);
  expect((await fetch(`${address}/readyz?for=traffic`)).status).toBe(200);
  const metrics = await (await fetch(`${address}/metrics`)).text();
  expect(metrics).toContain('\nmuster_database_up 1\n');
  expect(metrics).not.toMatch(/^muster_slack_connected/m);
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const port = Number(new URL(address).port);
  expect(
    stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toMatchObject([
    { msg: 'service: listens', port },
    { msg: 'service: ready', port },
    { msg: 'service: a request was refused', reason: 'no token' },
    { msg: 'service: a request was refused', reason: 'unknown token' },
    { msg: 'service: stops', signal: 'SIGTERM' },
    { msg: 'service: stopped' },
  ]);
});

test('the service says in a sentence that a port is taken, and which token is none', async () => {
  const slack = await openInstalledSlack();
  const database = `sqlite:${join(await openFolder(), 'service.db')}`;
  const taken = await muster(['service', '--port', new URL(slack.apiUrl).port, '--database', database]).ended;
  expect(taken.code).toBe(1);
  expect(taken.stderr).toContain(new URL(slack.apiUrl).port);
  expect(taken.stderr).not.toMatch(/^\s+at /m);
  const wrong = await muster(['service', '--port', '0', '--database', database, '--token', 'glsa_x']).ended;
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('token:Role');
  expect(wrong.stderr).not.toContain('glsa_x');
});

test.for([
  ['openapi', 'openapi.json'],
  ['manifest', 'manifest.yml'],
] as const)('%s prints %s', async ([name, file]) => {
  const { run, said } = openProgram();
  await run(name);
  expect(said.printed).toBe(readFileSync(join(root, file), 'utf8'));
});

test.for(['openapi', 'manifest'])('%s ends quietly when nobody reads on', async name => {
  const { child, ended } = muster([name]);
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('an error that nothing caught is logged, and the process ends so that its supervisor starts it again', async () => {
  const { settings } = await openSettings();
  const fault = 'process.on("SIGUSR2", () => void Promise.reject(new Error("out of the blue")))';
  const { child, ended } = muster(['start'], settings, {
    flags: [`--import=data:text/javascript,${encodeURIComponent(fault)}`],
  });
  await lineOf(child, /muster: ready/);
  child.kill('SIGUSR2');
  const { code, stdout } = await ended;
  expect(code).toBe(1);
  const line = stdout.split('\n').find(each => each.includes('nothing caught'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'fatal', err: { message: 'out of the blue' } });
});
