import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDashboardVerbs, withoutAddresses } from '../../../../support/dashboard-room.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { openFolder } from '../../../../support/folder.ts';
import { ownDatabase } from '../../../../support/fresh-database.ts';

const dora = { people: { actor: { userID: 'slack:U1', name: 'dora' } } };

test('JSON that is pasted becomes a dashboard, member for member', async () => {
  const { paste, api } = await openDashboardVerbs({ settings: await ownDatabase() });
  const model = {
    zeta: [1, { b: null, a: '<!channel> & “x”' }],
    title: 'Checkout',
    uid: 'checkout',
    tags: ['a'],
    panels: [{ id: 2, options: { ratio: 0.1, big: 9_007_199_254_740_991 } }, { id: 1 }],
    alpha: { nested: { deep: [[], {}] } },
  };
  expect(await paste(model, { folder: 'ops', message: 'first try' })).toContain(
    'You saved the dashboard Checkout in the folder ops, as version 1. /dash link checkout links it.',
  );
  const { dashboard, meta } = await api.Dashboards.get({ uid: 'checkout' });
  expect(dashboard).toMatchObject(model);
  expect(meta.folderUid).toBe('ops');

  expect(await paste({ dashboard: { ...model, version: 1 }, message: 'second' })).toContain('as version 2');
  expect((await api.Dashboards.get({ uid: 'checkout' })).meta.folderUid).toBe('ops');
  expect(await paste({ dashboard: { title: 'No uid', id: 1 }, folderUid: 'ops' })).toContain('as version 1');
  expect((await api.Dashboards.get({ uid: 'nginx' })).dashboard.title).toBe('NGINX Ingress controller');
});

test('numbers and the order of members reach the API as they were written', async () => {
  const grafana = await openFakeGrafana();
  const { paste } = await openDashboardVerbs({ settings: await ownDatabase(grafana.settings) });
  const json = '{"z":1.0,"b":12345678901234567890,"title":"Numbers","c":1e3,"d":[-0.0,0.10,{"y":1,"x":2}]}';
  expect(await paste(json)).toContain('You saved');
  const sent = grafana.bodies.find(body => body.includes('Numbers') && body.includes('"dashboard"'));
  expect(sent).toContain(`{"dashboard":${json.slice(0, -1)},"uid":"m`);
});

test('what is no dashboard is refused in the form, and nothing that was typed is lost', async () => {
  const { type, alice, act } = await openDashboardVerbs({ settings: await ownDatabase() });
  await type('/dash save {"title": "From the line"}');
  expect(JSON.stringify(alice.view)).toContain('From the line');
  for (const [values, field, words] of [
    [{ json: 'hello' }, 'json', 'That is not JSON'],
    [{ json: '[1]' }, 'json', 'it has no “title”'],
    [{ json: '{"dashboard":{"title":" "}}' }, 'json', 'it has no “title”'],
    [{ json: '{"title":"x"}', folder: 'a b' }, 'folder', 'A folder’s uid'],
    [{ json: '{"title":"x"}', folder: '', message: 'x'.repeat(501) }, 'message', 'at most 500'],
  ] as const) {
    await act(() => alice.submit(values));
    expect(alice.view?.errors[field], JSON.stringify(values)).toContain(words);
  }
});

test('somebody else’s change is shown, and is overwritten only as it was shown', async () => {
  const { paste, api, last, press, reads } = await openDashboardVerbs({ settings: await ownDatabase() });
  const mine = { uid: 'board', title: 'Board', version: 1, panels: [] };
  const theirs = (refresh: string) => api.Dashboards.save({ dashboard: { ...mine, refresh }, overwrite: true }, dora);
  await api.Dashboards.save({ dashboard: { uid: 'board', title: 'Board' } });
  await theirs('10s');
  const refusal = await paste({ ...mine, mine: true });
  expect(refusal).toContain(
    'The dashboard “Board” has been changed since your JSON was made: it is at version 2, changed last by dora',
  );
  expect(refusal).toContain('Yours is version 1. Nothing was saved.');
  await theirs('20s');
  await press(last(), 'Overwrite it');
  expect(reads()).toContain('it is at version 3, changed last by dora');
  await press(last(), 'Overwrite it');
  expect(reads()).toContain('as version 4');
  expect((await api.Dashboards.get({ uid: 'board' })).dashboard).toMatchObject({ mine: true });

  await paste(mine);
  await press(last(), 'Cancel');
  expect(reads()).toContain('Discarded: I will not save the dashboard “Board”');
  expect((await api.Dashboards.get({ uid: 'board' })).dashboard.version).toBe(4);
});

test('a uid that is taken: overwritten, or saved under another name', async () => {
  const { paste, api, last, press, reads, submit, alice } = await openDashboardVerbs({ settings: await ownDatabase() });
  const mine = { uid: 'nginx', title: 'Mine', tags: ['a'] };
  expect(await paste(mine)).toContain(
    'The uid nginx is taken by the dashboard “NGINX Ingress controller” in “General”',
  );
  await press(last(), 'Save under another name');
  expect(alice.view?.title).toBe('Save as a new one');
  await submit({ title: 'NGINX Ingress controller' });
  expect(reads()).toContain('Another dashboard of that folder is called “NGINX Ingress controller”');
  await press(last(), 'Save under another name');
  await submit({ title: 'Mine alone', folder: 'ops' });
  expect(withoutAddresses(reads())).toContain('You saved the dashboard Mine alone in the folder ops, as version 1.');
  expect((await api.Dashboards.get({ uid: 'nginx' })).dashboard.title).toBe('NGINX Ingress controller');

  await paste(mine);
  await press(last(), 'Overwrite it');
  expect((await api.Dashboards.get({ uid: 'nginx' })).dashboard.title).toBe('Mine');
});

test('a title that is taken: the other dashboard is replaced only when somebody says so', async () => {
  const { paste, api, last, press, reads } = await openDashboardVerbs({ settings: await ownDatabase() });
  expect(await paste({ title: 'NGINX Ingress controller', mine: 1 })).toContain('Nothing was saved.');
  await press(last(), 'Overwrite it');
  expect(reads()).toContain('as version 2');
  expect((await api.Dashboards.get({ uid: 'nginx' })).dashboard).toMatchObject({ mine: 1 });
});

test('a uid in the trash: the embedded service takes it over, as the next version', async () => {
  const { paste, api } = await openDashboardVerbs({ settings: await ownDatabase() });
  await api.Dashboards.delete({ uid: 'nginx' });
  expect(await paste({ uid: 'nginx', title: 'Other' })).toContain('You saved the dashboard Other, as version 2.');
});

test('a uid in the trash of a Grafana: the person reads how to restore it, or the other one gets a uid of its own', async () => {
  const grafana = await openFakeGrafana();
  const { paste, api } = await openDashboardVerbs({ settings: await ownDatabase(grafana.settings) });
  const body = '{"message":"A dashboard with the same uid already exists","status":"name-exists"}';
  grafana.fail({ when: /POST \/api\/dashboards\/db/, times: 1, answer: { status: 412, body } });
  await api.Dashboards.delete({ uid: 'nginx' });
  expect(await paste({ uid: 'nginx', title: 'Other' })).toContain(
    'A dashboard in the trash keeps its uid: /dash restore nginx takes it out.',
  );
});

test('a Grafana whose 412 names a dashboard that nobody can see still gives a choice', async () => {
  const grafana = await openFakeGrafana();
  const { paste, last, press, reads, api } = await openDashboardVerbs({
    settings: await ownDatabase(grafana.settings),
  });
  const body = '{"message":"changed by someone else","status":"version-mismatch"}';
  grafana.fail({ when: /POST \/api\/dashboards\/db/, times: 1, answer: { status: 412, body } });
  expect(await paste({ uid: 'fresh', title: 'Fresh' })).toContain('has been changed since your JSON was made.');
  await press(last(), 'Overwrite it');
  expect(reads()).toContain('as version 1');
  await api.Dashboards.get({ uid: 'fresh' });
});

/** Settings of a service with a dashboard of a plugin and one of files, which is the home page. */
async function ownedDashboards() {
  const file = join(await openFolder(), 'service-options.json');
  const options = {
    pluginDashboards: [{ pluginId: 'x', pluginName: 'Extra', model: { uid: 'plug', title: 'Plugged' } }],
    provisionedDashboards: [{ uid: 'files', title: 'From files' }],
    home: 'files',
  };
  await writeFile(file, JSON.stringify(options));
  return { SERVICE_OPTIONS: file };
}

test('dashboards of plugins and of files on the server: the person is told, and chooses', async () => {
  const { paste, last, press, submit, reads, says } = await openDashboardVerbs({
    settings: await ownDatabase(await ownedDashboards()),
  });
  expect(await paste({ uid: 'plug', title: 'Plugged', version: 1 })).toContain(
    'The dashboard “Plugged” belongs to a plugin, which may replace it at its next update: “The dashboard belongs to plugin Extra.”. Nothing was saved.',
  );
  await press(last(), 'Overwrite it');
  expect(reads()).toMatch(/Plugged .*as version 2/);

  expect(await paste({ uid: 'files', title: 'From files', version: 1 })).toContain(
    'comes from files on the server, so it is changed there and cannot be saved from here. Nothing was saved.',
  );
  await press(last(), 'Save under another name');
  await submit({ title: 'From Slack' });
  expect(reads()).toMatch(/You saved the dashboard From Slack /);

  expect(await says('/dash show files')).toContain('It comes from files on the server');
  expect(await says('/dash delete files')).toContain('so delete it there. Nothing was deleted.');
  expect(await says('/dash purge files')).toContain('is not in the trash');
  expect(JSON.stringify(last().blocks)).not.toContain('dash.delete');
  expect(await says('/dash home')).toContain('From files');
});

test('guests save nothing', async () => {
  const { type, slack } = await openDashboardVerbs({ settings: await ownDatabase() });
  expect(await type('/dash save', slack.person('gus'))).toContain('guests cannot change');
});
