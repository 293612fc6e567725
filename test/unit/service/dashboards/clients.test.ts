import { expect, test } from 'vitest';
import { openDesk, readFixture } from '../../../support/dashboards.ts';

type Desk = Awaited<ReturnType<typeof openDesk>>;
type Json = ReturnType<typeof JSON.parse>;

/** Calls, and stops as a tool does: at a status that it did not expect. */
async function ask(desk: Desk, method: string, path: string, body?: unknown, expected = [200]): Promise<Json> {
  const reply = await desk.call(method, path, body);
  if (expected.includes(reply.status)) return { ...reply.body, status: reply.status, list: reply.body };
  throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
}

const plain = (json: Json, uid: boolean) => {
  const { id: _id, version: _version, uid: _uid, ...rest } = json;
  return uid ? { ...rest, uid: _uid } : rest;
};

/** `grafana_dashboard` and `grafana_folder` of terraform-provider-grafana 4, call by call, with their state. */
function openTerraform(desk: Desk, config: { model: Json; folder?: string; overwrite?: boolean; message?: string }) {
  let state: { uid: string; id: number; folder: string; config: Json } | undefined;
  const wished = () => {
    const { id: _id, ...dashboard } = config.model;
    return { dashboard, folderUid: config.folder, overwrite: config.overwrite, message: config.message };
  };
  const read = async (uid: string): Promise<void> => {
    const found = await ask(desk, 'GET', `/api/dashboards/uid/${uid}`, undefined, [200, 404]);
    if (found.status === 404) state = undefined;
    else {
      const { dashboard, meta } = found;
      expect([typeof dashboard.id, typeof dashboard.version, typeof dashboard.uid]).toEqual([
        'number',
        'number',
        'string',
      ]);
      const kept = plain(dashboard, config.model.uid !== undefined);
      state = { uid: dashboard.uid, id: dashboard.id, folder: meta.folderUid, config: kept };
    }
  };
  const create = async () => await read((await ask(desk, 'POST', '/api/dashboards/db', wished())).uid);
  const destroy = async () => {
    if (state) await ask(desk, 'DELETE', `/api/dashboards/uid/${state.uid}`, undefined, [200, 404]);
    state = undefined;
  };
  const differs = () =>
    state === undefined ||
    JSON.stringify(sorted(state.config)) !==
      JSON.stringify(sorted(plain(config.model, config.model.uid !== undefined))) ||
    state.folder !== (config.folder ?? '');
  return {
    state: () => state,
    /** Whether a plan would change something. */
    plan: async () => {
      if (state) await read(state.uid);
      return differs();
    },
    apply: async () => {
      if (state) await read(state.uid);
      if (state === undefined) return await create();
      if (state.uid !== (config.model.uid ?? state.uid)) {
        await destroy();
        return await create();
      }
      if (!differs()) return;
      const { dashboard, ...rest } = wished();
      const update = { ...rest, dashboard: { ...dashboard, id: state.id }, overwrite: true };
      await read((await ask(desk, 'POST', '/api/dashboards/db', update)).uid);
    },
    replace: async () => {
      await destroy();
      await create();
    },
    destroy,
    forget: () => {
      state = undefined;
    },
  };
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(name => [name, sorted(value[name])]),
  );
}

const terraformFolder = {
  create: async (desk: Desk, body: object) => {
    const { uid } = await ask(desk, 'POST', '/api/folders', body);
    return await ask(desk, 'GET', `/api/folders/${uid}`);
  },
  update: async (desk: Desk, uid: string, title: string) => {
    await ask(desk, 'GET', `/api/folders/${uid}`);
    await ask(desk, 'PUT', `/api/folders/${uid}`, { overwrite: true, title });
    return await ask(desk, 'GET', `/api/folders/${uid}`);
  },
  destroy: async (desk: Desk, uid: string, isKeptFull = false) => {
    for (const type of isKeptFull ? ['dash-db', 'dash-folder'] : []) {
      const inside = await desk.call('GET', `/api/search?folderUIDs=${uid}&type=${type}`);
      if (inside.body.length > 0) throw new Error(`folder ${uid} is not empty`);
    }
    await ask(
      desk,
      'DELETE',
      `/api/folders/${uid}${isKeptFull ? '' : '?forceDeleteRules=true'}`,
      undefined,
      [200, 404],
    );
  },
};

const models: readonly (readonly [string, Json])[] = [
  ['a uid and nothing else', { uid: 'tf', title: 'By terraform' }],
  ['no uid', { title: 'By terraform', panels: [] }],
  ['a version of a file', { uid: 'tf', title: 'By terraform', version: 12 }],
  ['an id and a version of a file', { id: 1, uid: 'tf', title: 'By terraform', version: 3 }],
  ['null for the id', { id: null, uid: 'tf', title: 'By terraform' }],
  ['members of a wrong type', { uid: 'tf', title: 'By terraform', tags: '', refresh: 30, schemaVersion: '36' }],
  ['the newer format', { uid: 'tf', title: 'By terraform', elements: {}, layout: { kind: 'GridLayout', spec: {} } }],
  ['a real one', readFixture('nginx-ingress-controller')],
  ['another real one', readFixture('request-handling-performance')],
  ['a uid of 40 characters', { uid: 'u'.repeat(40), title: 'By terraform' }],
];

test.each(models)('terraform: create, plan, update, replace, destroy and apply again, with %s', async (_, model) => {
  await using desk = await openDesk();
  await desk.save({ uid: 'first', title: 'Somebody else’s' });
  const before = (await desk.get('first')).body;
  const config: Json = { model, message: 'by terraform' };
  const terraform = openTerraform(desk, config);

  await terraform.apply();
  expect(await terraform.plan()).toBe(false);
  const uid = terraform.state()?.uid ?? '';

  config.model = { ...model, title: 'Renamed' };
  expect(await terraform.plan()).toBe(true);
  await terraform.apply();
  expect(await terraform.plan()).toBe(false);
  expect(terraform.state()?.uid).toBe(uid);

  await terraform.replace();
  expect(await terraform.plan()).toBe(false);
  if (model.uid !== undefined) expect(terraform.state()?.uid).toBe(uid);

  await terraform.destroy();
  expect(await terraform.plan()).toBe(true);
  await terraform.destroy();
  await terraform.apply();
  expect(await terraform.plan()).toBe(false);

  await desk.call('DELETE', `/api/dashboards/uid/${terraform.state()?.uid}`);
  expect(await terraform.plan()).toBe(true);
  await terraform.apply();
  expect(await terraform.plan()).toBe(false);
  expect((await desk.get('first')).body).toEqual(before);
});

test('terraform: a new uid replaces the dashboard, and back', async () => {
  await using desk = await openDesk();
  const config: Json = { model: { uid: 'one', title: 'T' } };
  const terraform = openTerraform(desk, config);
  for (const uid of ['one', 'two', 'one', 'two', 'one']) {
    config.model = { uid, title: 'T' };
    await terraform.apply();
    expect([terraform.state()?.uid, await terraform.plan()]).toEqual([uid, false]);
  }
  expect((await desk.get('two')).status).toBe(404);
});

test('terraform: a lost state does not overwrite what is live, unless it may', async () => {
  await using desk = await openDesk();
  const config: Json = { model: { uid: 'tf', title: 'T' } };
  const terraform = openTerraform(desk, config);
  await terraform.apply();
  terraform.forget();
  await expect(terraform.apply()).rejects.toThrow('412');
  config.overwrite = true;
  await terraform.apply();
  expect(terraform.state()?.uid).toBe('tf');
});

test.each([
  ['with a uid', { uid: 'team', title: 'Team' }],
  ['with digits for a uid', { uid: '2024', title: 'Team' }],
  ['without a uid', { title: 'Team' }],
])('terraform: a folder %s and its dashboard are made, changed, destroyed and made again', async (_, body) => {
  await using desk = await openDesk({ autoCreateFolders: false });
  for (let round = 1; round <= 3; round += 1) {
    const folder = await terraformFolder.create(desk, body);
    expect(folder).toMatchObject({ ...body, title: 'Team', version: 1 });
    const terraform = openTerraform(desk, { model: { uid: 'tf', title: 'T' }, folder: folder.uid });
    await terraform.apply();
    expect([terraform.state()?.folder, await terraform.plan()]).toEqual([folder.uid, false]);

    const renamed = await terraformFolder.update(desk, folder.uid, `Team ${round}`);
    expect(renamed).toMatchObject({ uid: folder.uid, title: `Team ${round}`, version: 2 });
    await expect(terraformFolder.destroy(desk, folder.uid, true)).rejects.toThrow('is not empty');

    if (round === 1) await terraform.destroy();
    await terraformFolder.destroy(desk, folder.uid, round === 1);
    expect((await desk.call('GET', `/api/folders/${folder.uid}`)).status).toBe(404);
    expect(await terraform.plan()).toBe(true);
  }
});

/** `community.grafana.grafana_dashboard` and `grafana_folder` of Ansible, call by call. */
const ansible = {
  version: async (desk: Desk) => {
    const { buildInfo } = await ask(desk, 'GET', '/api/frontend/settings');
    expect(Number(buildInfo.version.split('.')[0])).toBeGreaterThanOrEqual(5);
  },
  async present(desk: Desk, model: Json, folder = 'General', overwrite = false): Promise<boolean> {
    const payload: Json = { dashboard: { ...model } };
    await ansible.version(desk);
    const folders = folder === 'General' ? [{ title: folder, id: 0 }] : (await ask(desk, 'GET', '/api/folders')).list;
    const place = folders.find((each: Json) => each.title === folder);
    if (!place) throw new Error(`Dashboard folder '${folder}' does not exist.`);
    payload.folderId = place.id;
    let uid = model.uid;
    if (uid === undefined) {
      const query = new URLSearchParams({ folderIds: String(place.id), query: model.title, type: 'dash-db' });
      const { list } = await ask(desk, 'GET', `/api/search?${query}`);
      uid = list.find((each: Json) => each.title === model.title)?.uid;
    }
    await ansible.version(desk);
    const found = uid ? await ask(desk, 'GET', `/api/dashboards/uid/${uid}`, undefined, [200, 404]) : { status: 404 };
    if (found.status === 200) {
      const same = JSON.stringify(sorted(plain(found.dashboard, model.uid !== undefined)));
      if (same === JSON.stringify(sorted(plain(model, model.uid !== undefined))) && place.id === 0) return false;
      await ask(desk, 'POST', '/api/dashboards/db', { ...payload, ...(overwrite && { overwrite }) });
      return true;
    }
    delete payload.dashboard.id;
    await ask(desk, 'POST', '/api/dashboards/db', payload);
    return true;
  },
  async absent(desk: Desk, uid: string): Promise<boolean> {
    await ansible.version(desk);
    const { status } = await ask(desk, 'GET', `/api/dashboards/uid/${uid}`, undefined, [200, 404]);
    if (status === 404) return false;
    await ask(desk, 'DELETE', `/api/dashboards/uid/${uid}`);
    return true;
  },
  async folder(desk: Desk, title: string, state: 'present' | 'absent'): Promise<boolean> {
    const [major, minor, rev, ...more] = (await ask(desk, 'GET', '/api/health')).version.split('.').map(Number);
    expect([major >= 5, minor >= 0, rev >= 0, more]).toEqual([true, true, true, []]);
    const find = async () => {
      const query = `type=dash-folder&query=${encodeURIComponent(title)}`;
      return (await ask(desk, 'GET', `/api/search?${query}`)).list.find((each: Json) => each.title === title);
    };
    const found = await find();
    if ((found !== undefined) === (state === 'present')) return false;
    if (found) await ask(desk, 'DELETE', `/api/folders/${found.uid}`);
    else await ask(desk, 'POST', '/api/folders', { title });
    expect((await find()) !== undefined).toBe(state === 'present');
    return true;
  },
};

test.each(models)('Ansible: present, present, changed, export, absent, absent, present, with %s', async (_, model) => {
  await using desk = await openDesk();
  expect(await ansible.present(desk, model)).toBe(true);
  expect(await ansible.present(desk, model)).toBe(false);
  const listed = await ask(desk, 'GET', '/api/search?type=dash-db');
  const uid = model.uid ?? listed.list[0].uid;
  if (model.uid !== undefined) {
    expect(await ansible.present(desk, { ...model, id: null, title: 'Changed' }, 'General', true)).toBe(true);
    expect((await ask(desk, 'GET', `/api/dashboards/uid/${uid}`)).dashboard.title).toBe('Changed');
  }
  expect(await ansible.absent(desk, uid)).toBe(true);
  expect(await ansible.absent(desk, uid)).toBe(false);
  expect(await ansible.present(desk, model)).toBe(true);
});

test('Ansible: folders, and dashboards in them', async () => {
  await using desk = await openDesk();
  await expect(ansible.present(desk, { uid: 'a', title: 'A' }, 'Ops & más')).rejects.toThrow('does not exist');
  expect(await ansible.folder(desk, 'Ops & más', 'present')).toBe(true);
  expect(await ansible.folder(desk, 'Ops & más', 'present')).toBe(false);
  expect(await ansible.present(desk, { uid: 'a', title: 'A' }, 'Ops & más')).toBe(true);
  expect((await ask(desk, 'GET', '/api/dashboards/uid/a')).meta.folderTitle).toBe('Ops & más');
  expect(await ansible.folder(desk, 'Ops & más', 'absent')).toBe(true);
  expect(await ansible.folder(desk, 'Ops & más', 'absent')).toBe(false);
  expect(await ansible.folder(desk, 'Ops & más', 'present')).toBe(true);
  expect(await ansible.present(desk, { uid: 'a', title: 'A' }, 'Ops & más')).toBe(true);
});

test('n8n: all dashboards, one of them, its update and its end', async () => {
  await using desk = await openDesk();
  await ask(desk, 'POST', '/api/dashboards/db', { dashboard: { id: null, title: 'New', overwrite: false } });
  const [{ uid }] = (await ask(desk, 'GET', '/api/search?qs=&limit=50&type=dash-db')).list;
  const { dashboard } = await ask(desk, 'GET', `/api/dashboards/uid/${uid}`);
  await ask(desk, 'POST', '/api/dashboards/db', { overwrite: true, dashboard: { ...dashboard, title: 'Newer' } });
  expect((await ask(desk, 'GET', '/api/search?query=Newer')).list).toHaveLength(1);
  await ask(desk, 'DELETE', `/api/dashboards/uid/${uid}`);
  expect((await ask(desk, 'GET', '/api/search?type=dash-db')).list).toEqual([]);
});
