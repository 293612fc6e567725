import { expect, test } from 'vitest';
import { openDashboardVerbs } from '../../../../support/dashboard-room.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { ownDatabase } from '../../../../support/fresh-database.ts';
import { phrases } from '../../../../support/phrases.ts';

test('a dashboard is deleted after a question, and Undo brings it back', async () => {
  const { says, last, press, reads, api } = await openDashboardVerbs({ settings: await ownDatabase() });
  expect(await says('/dash delete nginx')).toContain(
    'Delete the dashboard NGINX Ingress controller, version 1? It goes to the trash, where the server has one.',
  );
  await api.Dashboards.get({ uid: 'nginx' });
  await press(last(), 'Delete it');
  expect(reads()).toContain('You moved the dashboard NGINX Ingress controller to the trash.');
  await expect(api.Dashboards.get({ uid: 'nginx' })).rejects.toThrow('not found');
  await press(last(), 'Undo');
  expect(reads()).toContain('You restored the dashboard NGINX Ingress controller.');
  await api.Dashboards.get({ uid: 'nginx' });
});

test('restore takes a dashboard out of the trash, and purge deletes it for good', async () => {
  const { says, last, press, reads, api } = await openDashboardVerbs({ settings: await ownDatabase() });
  expect(await says('/dash purge nginx')).toContain('is not in the trash, so nothing was deleted. Delete it first.');
  await press(last(), 'Delete');
  expect(await says('/dash restore nginx')).toContain('You restored the dashboard NGINX Ingress controller.');
  expect(await says('/dash restore nginx')).toContain('no dashboard of that uid is in the trash');

  await api.Dashboards.delete({ uid: 'nginx' });
  expect(await says('/dash purge nginx')).toContain('Nobody can bring it back.');
  const question = last();
  await press(question, 'Delete for good');
  expect(reads()).toContain('You deleted the dashboard NGINX Ingress controller for good.');
  expect(await says('/dash restore nginx')).toContain('no dashboard of that uid is in the trash');
  await press(question, 'Delete for good');
  expect(reads()).toContain('no dashboard of that uid is in the trash');
});

test('what is not there is not deleted, and a title does not find what is in the trash', async () => {
  const { says, last, api } = await openDashboardVerbs({ settings: await ownDatabase() });
  expect(await says('/dash delete')).toContain('Which dashboard?');
  expect(await says('/dash delete nosuch')).toContain('There is no dashboard with the uid “nosuch”');
  expect(await says('/dash restore')).toContain('Give the uid of one dashboard');
  expect(await says('/dash purge NGINX Ingress controller')).toContain('Give the uid of one dashboard');
  expect(JSON.stringify(last().blocks)).not.toContain('"danger"');
  await api.Dashboards.get({ uid: 'nginx' });
});

test('a live dashboard of the same title keeps the trashed one out, and another folder takes it', async () => {
  const { says, api, last, press, submit, reads } = await openDashboardVerbs({ settings: await ownDatabase() });
  await api.Dashboards.save({ dashboard: { uid: 'one', title: 'Same' } });
  await api.Dashboards.delete({ uid: 'one' });
  await api.Dashboards.save({ dashboard: { uid: 'two', title: 'Same' } });
  await api.Dashboards.save({ dashboard: { uid: 'three', title: 'Other' }, folderUid: 'ops' });
  expect(await says('/dash restore one')).toContain(phrases.unchanged);
  expect(reads()).toContain('A dashboard with the same name in the folder already exists');
  await press(last(), 'Choose a folder');
  await submit({ folder: 'ops' });
  expect(reads()).toContain('You restored the dashboard Same in the folder ops.');
  expect((await api.Dashboards.get({ uid: 'one' })).meta.folderUid).toBe('ops');
});

/** A dashboard `lost` in the trash, whose folder `ops` is gone; there is a folder `web`. */
async function openLost() {
  const grafana = await openFakeGrafana();
  const opened = await openDashboardVerbs({ settings: await ownDatabase(grafana.settings) });
  const { api } = opened;
  const authorization = `Bearer ${grafana.settings.GRAFANA_TOKEN}`;
  const drop = async (uid: string) => {
    const answer = await fetch(`${grafana.url}/api/folders/${uid}`, { method: 'DELETE', headers: { authorization } });
    expect(answer.status).toBe(200);
  };
  await api.Dashboards.save({ dashboard: { uid: 'lost', title: 'Lost' }, folderUid: 'ops' });
  await api.Dashboards.save({ dashboard: { uid: 'other', title: 'Other' }, folderUid: 'web' });
  await drop('ops');
  const folder = async () => (await api.Dashboards.get({ uid: 'lost' })).meta.folderUid;
  return { ...opened, grafana, drop, folder };
}

test('a dashboard whose folder is gone comes back into General', async () => {
  const { says, last, press, reads, folder } = await openLost();
  expect(await says('/dash restore lost')).toContain('folder');
  expect(reads()).toContain(phrases.unchanged);
  await press(last(), 'Restore into General');
  expect(reads()).toContain('You restored the dashboard Lost in General.');
  expect(await folder()).toBe('');
});

test('or into a folder that the person chooses, however often they must', async () => {
  const { says, last, press, submit, alice, reads, folder, act } = await openLost();
  await says('/dash restore lost');
  const question = last();
  await press(question, 'Choose a folder');
  expect(alice.view?.title).toBe('Choose a folder');
  for (const [typed, words] of [
    [' ', 'Give the uid'],
    ['no folder!', 'A folder’s uid has'],
  ] as const) {
    await act(() => alice.submit({ folder: typed }));
    expect(alice.view?.errors.folder).toContain(words);
  }
  await submit({ folder: 'nosuch' });
  expect(reads()).toContain('“nosuch”');
  await press(last(), 'Choose a folder');
  await submit({ folder: 'web' });
  expect(reads()).toContain('You restored the dashboard Lost in the folder web.');
  expect(await folder()).toBe('web');
  await press(question, 'Restore into General');
  expect(reads()).toContain('no dashboard of that uid is in the trash');
  expect(await folder()).toBe('web');
});

test('the folder may be typed at once', async () => {
  const { says, folder, api } = await openLost();
  expect(await says('/dash restore lost --folder no/folder')).toContain('A folder’s uid has');
  expect(await says('/dash restore lost --folder web')).toContain('You restored the dashboard Lost in the folder web.');
  expect(await folder()).toBe('web');
  await api.Dashboards.delete({ uid: 'lost' });
  expect(await says('/dash restore lost --folder general')).toContain('You restored the dashboard Lost in General.');
  expect(await folder()).toBe('');
});

test('Undo of a deletion asks the same when the folder went meanwhile', async () => {
  const { says, last, press, reads, api, drop, folder } = await openLost();
  await api.Dashboards.save({ dashboard: { uid: 'lost', title: 'Lost' }, folderUid: 'ops2' });
  await says('/dash delete lost');
  await press(last(), 'Delete it');
  const deleted = last();
  await drop('ops2');
  await press(deleted, 'Undo');
  await press(last(), 'Restore into General');
  expect(reads()).toContain('You restored the dashboard Lost in General.');
  expect(await folder()).toBe('');
});

test('guests delete nothing', async () => {
  const { slack, type, api } = await openDashboardVerbs({ settings: await ownDatabase() });
  await api.Dashboards.delete({ uid: '4GFbkOsZk' });
  for (const line of ['delete nginx', 'restore 4GFbkOsZk', 'purge 4GFbkOsZk']) {
    expect(await type(`/dash ${line}`, slack.person('gus'))).toContain('guests cannot change');
  }
  await api.Dashboards.get({ uid: 'nginx' });
});

test('without a trash nobody is promised to get it back', async () => {
  const grafana = await openFakeGrafana();
  const { says, last, press, reads } = await openDashboardVerbs({ settings: await ownDatabase(grafana.settings) });
  grafana.fail({
    when: /DELETE \/api\/dashboards\/uid\/nginx$/,
    times: 1,
    answer: { status: 200, body: '{"title":"NGINX Ingress controller","message":"Dashboard NGINX deleted","id":1}' },
  });
  await says('/dash delete nginx');
  await press(last(), 'Delete it');
  expect(reads()).toContain('. If the server keeps a trash, /dash restore nginx takes it out again.');
  expect(JSON.stringify(last().blocks)).not.toContain('Undo');
});
