import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { read } from '../support/docs/files.ts';
import { openFolder } from '../support/folder.ts';
import { openClone } from '../support/fresh-clone.ts';
import { importsBelow } from '../support/imports.ts';
import type { MusterProcess } from '../support/muster-process.ts';
import { lineOf, watch } from '../support/run-muster.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** A line of the Dockerfile. */
interface Step {
  readonly word: string;
  readonly rest: string;
}

const steps: readonly Step[] = read('Dockerfile')
  .split('\n')
  .flatMap(line => {
    const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    return word && rest ? [{ word, rest }] : [];
  });

const manifest: { version: string; devDependencies: object } = JSON.parse(read('package.json'));

/** The user `node` of the image. */
const node = 1000;
const revision = '0123456789abcdef0123456789abcdef01234567';

/**
 * Carries out the Dockerfile in a folder, without a container: its files belong to root, and what is done as the user `node` is done as
 * that one's id. The base image's Node is the one of this test. Returns the folder, and how something is run in it as Docker would.
 */
async function buildImage() {
  const clone = await openClone();
  const outer = await openFolder();
  await chmod(outer, 0o755);
  const app = join(outer, 'app');
  await mkdir(app);
  // Docker sees what .dockerignore lets through, and nothing else.
  const visible = read('.dockerignore')
    .split('\n')
    .flatMap(line => (line.startsWith('!') ? [line.slice(1)] : []));
  const here = (text: string) => text.replaceAll('/app', app).replaceAll('node:node', `${node}:${node}`);
  const environment: Record<string, string> = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    REVISION: revision,
    // Packages that this machine has need not come again.
    npm_config_cache: join(process.env.HOME ?? '', '.npm'),
    npm_config_prefer_offline: 'true',
  };
  let uid = 0;
  const options = (more: Readonly<Record<string, string>> = {}): SpawnOptions => ({
    ...{ cwd: app, uid, gid: uid },
    env: { ...environment, HOME: uid === 0 ? process.env.HOME : app, TMPDIR: '/tmp', ...more },
  });
  for (const { word, rest } of steps) {
    if (word === 'ENV') Object.assign(environment, Object.fromEntries([here(rest).split('=', 2)]));
    else if (word === 'USER') uid = rest === 'node' ? node : 0;
    else if (word === 'COPY') {
      const paths = rest.split(' ').slice(0, -1);
      expect(visible, 'Docker finds what it copies').toEqual(expect.arrayContaining(paths));
      for (const path of paths) await cp(join(clone, path), join(app, path), { recursive: true });
    } else if (word === 'RUN') {
      // The cache is this machine's, and not that of an image.
      const line = here(rest).replace('npm cache clean --force', 'true');
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { ...options(), encoding: 'utf8' });
      expect(status, `${rest}\n${stdout}${stderr}`).toBe(0);
    }
  }
  expect(uid, 'Muster runs as the user node').toBe(node);
  const run = (words: readonly string[], more?: Readonly<Record<string, string>>) => {
    const [program = '', ...args] = words;
    return spawn(program, args, { ...options(more), stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const ask = (words: readonly string[], more?: Readonly<Record<string, string>>) => {
    const [program = '', ...args] = words;
    const { status, stdout, stderr } = spawnSync(program, args, { ...options(more), encoding: 'utf8' });
    return { status, text: `${stdout}${stderr}` };
  };
  return { app, run, ask };
}

/** The exec form of an instruction, `CMD` say. */
function wordsOf(word: string): readonly string[] {
  const { rest = '' } = steps.find(each => each.word === word) ?? {};
  return JSON.parse(rest.slice(rest.indexOf('[')));
}

/** Every file and when it was changed, but for those of the data. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name));
  const own = files.filter(file => !file.startsWith(join(folder, 'data/')));
  return await Promise.all(own.map(async file => `${file} ${(await stat(file)).mtimeMs}`));
}

/** The packages of the demo that Muster itself does not need. */
const ofDemo = [...new Set(importsBelow('playground').map(each => each.specifier.split('/')[0] ?? ''))].filter(
  each => each in manifest.devDependencies,
);

test.skipIf(process.getuid?.() !== 0)(
  'the image starts as its user, without the demo, declares an incident, and writes nothing but its data',
  async () => {
    const { app, run, ask } = await buildImage();
    // As with `read_only: true`: the user owns its data alone.
    spawnSync('chown', ['-R', '0:0', join(app, 'compiled')]);
    for (const path of ['src/x', 'x', 'node_modules/x', 'compiled/x']) {
      expect(ask(['touch', join(app, path)]).status, path).not.toBe(0);
    }
    expect((await readdir(join(app, 'compiled'), { recursive: true })).length, 'what is compiled').toBeGreaterThan(
      1000,
    );
    const before = await listFiles(app);
    expect(
      before.filter(each => each.includes('/test/') && !each.includes('node_modules')),
      'no tests',
    ).toEqual([]);
    expect(ofDemo).toContain('preact');
    for (const path of ['playground', ...ofDemo.map(each => `node_modules/${each}`)])
      expect(existsSync(join(app, path)), path).toBe(false);
    expect(ask(['node', 'bin/muster.js', 'demo'])).toEqual({
      status: 1,
      text: expect.stringContaining('`npm run demo`'),
    });
    const service = watch(
      run(['node', 'bin/muster.js', 'service', '--port', '0', '--token', 'glsa_of_the_image_test:Admin'], {
        DATABASE_URL: 'sqlite::memory:',
      }) as MusterProcess,
    );
    const address = /http:\/\/\S+/.exec(await lineOf(service.child, /listens on/))?.[0] ?? '';
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });

    const slack = await openInstalledSlack();
    const alice = slack.addPerson({ name: 'alice' });
    const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
    const settings = {
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      DATABASE_URL: 'sqlite:./data/muster.db',
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
    };
    const muster = watch(run(wordsOf('CMD'), settings) as MusterProcess);
    const { metricsPort } = JSON.parse(await lineOf(muster.child, /"msg":"muster: ready"/));
    const ready = await (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).json();
    expect(ready).toMatchObject({
      ready: true,
      version: manifest.version,
      commit: revision.slice(0, 8),
    });

    await alice.command(general, '/incident declare Checkout answers 500 --now');
    await expect.poll(() => slack.channels.map(each => each.name)).toContainEqual(expect.stringMatching(/^inc-/));

    const health = wordsOf('HEALTHCHECK');
    const port = { METRICS_PORT: String(metricsPort) };
    expect(ask(health, port)).toEqual({ status: 0, text: '' });
    expect(ask([...health.slice(0, -1), '/readyz?for=traffic'], port).status).toBe(0);
    expect(ask([...health.slice(0, -1), '/nowhere'], port).status).not.toBe(0);
    expect(ask(health, { METRICS_PORT: '1' }).status, 'nobody listens').not.toBe(0);

    muster.child.kill('SIGTERM');
    expect(await muster.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await listFiles(app)).toEqual(before);
    expect((await readdir(join(app, 'data'))).toSorted()).toContain('muster.db');
  },
  // It installs the packages of an image.
  300_000,
);
