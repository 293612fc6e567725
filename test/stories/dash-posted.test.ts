import { expect, test } from 'vitest';
import { openDashboards, withoutAddresses } from '../support/dashboard-room.ts';
import { readFixture } from '../support/dashboards.ts';
import { grants } from '../support/grants.ts';
import { openInstalledSlack } from '../support/workplace.ts';

test('a file that somebody posted becomes a dashboard', async () => {
  const { save, bob, home, api, slack } = await openDashboards();
  const model = { ...readFixture('nginx-ingress-controller'), uid: 'copy', title: 'Copy of NGINX', id: null };
  const content = `\uFEFF${JSON.stringify(model, null, 2)}`;
  expect(content.length).toBeGreaterThan(10_000);
  const file = bob.upload(home, { name: 'nginx.json', content }, 'the new board');
  expect(await save(file, { folder: 'ops', message: 'from bob' })).toContain(
    'You saved the dashboard Copy of NGINX in the folder ops',
  );
  const { dashboard } = await api.Dashboards.get({ uid: 'copy' });
  const { id: _id, version: _version, ...rest } = model as Record<string, unknown>;
  expect(dashboard).toMatchObject(rest);
  expect(slack.callsOf('url_private').map(each => each.token)).toEqual([slack.botToken]);
});

test('what is no dashboard is refused, and the form is offered', async () => {
  const { save, alice, home, press, last } = await openDashboards();
  expect(await save(alice.say(home, 'hello'))).toContain('That message has no dashboard');
  await press(last(), 'Paste it into a form');
  expect(alice.view?.title).toBe('Save a dashboard');
  await alice.close();
  expect(await save(alice.upload(home, { name: 'a.json', content: '{"tit' }))).toContain('That is not JSON');
  expect(await save(alice.upload(home, { name: 'a.json', content: '\uFFFD'.repeat(1_000_000) }))).toContain(
    'That file has more than 1 MB',
  );
});

test('without the scope the answer names it, and the form is offered', async () => {
  const clock = () => new Date('2026-11-20T14:00:00Z');
  const scopes = grants.scopes.filter(each => each !== 'files:read');
  const slack = await openInstalledSlack(clock, { scopes });
  const { save, alice, home, last, press, submit, reads } = await openDashboards({ slack, clock });
  const read = await save(alice.upload(home, { name: 'a.json', content: '{"title":"x"}' }), { message: 'mine' });
  expect(read).toContain('the app lacks the permission files:read');
  await press(last(), 'Paste it into a form');
  expect(JSON.stringify(alice.view)).toContain('mine');
  await submit({ json: '{"title":"Pasted"}' });
  expect(withoutAddresses(reads())).toContain('You saved the dashboard Pasted');
});
