import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFixture } from '../support/dashboards.ts';
import { openFolder } from '../support/folder.ts';
import { serve } from '../support/served.ts';
import { tokens } from '../support/tokens.ts';

/** Debian's package `ansible` brings the collection `community.grafana`. */
const isInstalled = spawnSync('ansible-playbook', ['--version']).status === 0;

/** One task, and whether it changes something. */
const step = (module: string, changed: boolean, options: object) => ({
  [`community.grafana.${module}`]: options,
  register: 'done',
  failed_when: `done.failed or done.changed != ${changed}`,
});

test.skipIf(!isInstalled)(
  'ansible makes, exports and removes a dashboard in a folder, and says what it changed',
  async () => {
    await using server = await serve();
    const folder = await openFolder();
    const model = { ...readFixture('nginx-ingress-controller'), id: null };
    const [path, exported, playbook] = ['given.json', 'exported.json', 'playbook.json'].map(name => join(folder, name));
    await writeFile(path ?? '', JSON.stringify(model));
    const at = { url: server.address, grafana_api_key: tokens.Editor };
    const ops = { ...at, title: 'Ops & más' };
    const placed = { ...at, folder: ops.title, path };
    const gone = { ...at, uid: model.uid, state: 'absent' };
    const tasks = [
      step('grafana_folder', true, ops),
      step('grafana_folder', false, ops),
      step('grafana_dashboard', true, { ...at, path }),
      step('grafana_dashboard', false, { ...at, path }),
      step('grafana_dashboard', true, { ...placed, overwrite: true, commit_message: 'by ansible' }),
      step('grafana_dashboard', true, { ...at, uid: model.uid, state: 'export', path: exported }),
      step('grafana_dashboard', true, gone),
      step('grafana_dashboard', false, gone),
      step('grafana_dashboard', true, placed),
      step('grafana_folder', true, { ...ops, state: 'absent' }),
      step('grafana_folder', false, { ...ops, state: 'absent' }),
      step('grafana_folder', true, ops),
      step('grafana_dashboard', true, placed),
    ];
    const play = { hosts: 'localhost', connection: 'local', gather_facts: false, tasks };
    await writeFile(playbook ?? '', JSON.stringify([play]));

    const env = { ...process.env, HOME: folder, ANSIBLE_NOCOLOR: '1', ANSIBLE_LOCALHOST_WARNING: 'false' };
    const child = spawn('ansible-playbook', ['-i', 'localhost,', playbook ?? ''], { env, cwd: folder });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        said += chunk;
      });
    }
    const [code] = await once(child, 'close');

    expect(said).toContain(`ok=${tasks.length} `);
    expect(code).toBe(0);
    const { dashboard, meta } = JSON.parse(await readFile(exported ?? '', 'utf8'));
    expect(dashboard).toEqual({ ...model, id: dashboard.id, version: 2 });
    expect(meta.folderTitle).toBe(ops.title);
  },
);
