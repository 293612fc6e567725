import { expect, test } from 'vitest';
import { openDashboardVerbs } from '../../../../support/dashboard-room.ts';
import { declareNow, notesOf } from '../../../../support/incident-room.ts';

test('a dashboard is shown by its uid, its address, and a short link', async () => {
  const { says, api } = await openDashboardVerbs();
  const shown = await says('/dash show nginx');
  expect(shown).toContain('NGINX Ingress controller');
  for (const fact of ['General', 'nginx', 'now-1h to now']) expect(shown).toContain(fact);
  expect(shown).toMatch(/Panels\s+\d\d/);
  expect(shown).toMatch(/Version\s+1/);
  expect(await says('/dash show https://muster.example.com/d/nginx/whatever?from=now-5m')).toBe(shown);
  expect(await says('/dash get /d/nginx')).toBe(shown);
  const { uid } = await api.ShortUrls.create({ path: 'd/nginx/x?from=now-1h&to=now' });
  expect(await says(`/dash view /goto/${uid}`)).toBe(shown);
  expect(await says('/dash show /goto/nothing')).toContain('No dashboard is behind the short link “nothing”');
  expect(await says('/dash show https://evil.example.net/d/nginx')).toContain('That link is of evil.example.net');
  expect(await says('/dash show')).toContain('Which dashboard?');
});

test('it says who changed it last, its folder, and that it comes from files', async () => {
  const { says, api, slack, alice, place, type } = await openDashboardVerbs();
  const people = { actor: { userID: 'slack:U1', name: 'dora' } };
  const dashboard = {
    uid: 'rows',
    title: 'Rows | *and* <!channel>',
    tags: ['a`b'],
    panels: [{ type: 'row', panels: [{ type: 'stat' }, { type: 'graph' }] }, { type: 'text' }],
    rows: [{ panels: [{}, {}] }],
  };
  await api.Dashboards.save({ dashboard, folderUid: 'operations' }, { people });
  const shown = await says('/dash show rows');
  expect(shown).toMatch(/Panels\s+5/);
  expect(shown).toContain('operations');
  expect(shown).toContain('dora');
  expect(shown).not.toContain('!!!');
  const guest = slack.addPerson({ name: 'gina', isRestricted: true });
  alice.invite(place.slack.channel('inc-1-checkout-answers-500'), guest);
  for (const verb of ['show rows', 'tags', 'home']) {
    expect(await type(`/dash ${verb}`, guest)).toContain('I show dashboards to full members only');
  }
});

test('a dashboard is linked and deleted from where it is shown', async () => {
  const { says, last, press, place, api } = await openDashboardVerbs();
  await says('/dash show nginx');
  const shown = last();
  await press(shown, 'Link in the channel');
  await press(last(), 'Around the incident');
  expect(await notesOf(place, '1')).toHaveLength(1);
  await press(shown, 'Delete');
  await expect(api.Dashboards.get({ uid: 'nginx' })).rejects.toThrow('not found');
});

test('the dashboards linked lately are listed, and found by their titles', async () => {
  const { says, last, press, reads, place, alice, general, type, slack } = await openDashboardVerbs();
  expect(await says('/dash recent')).toContain('No dashboard was linked recently');
  expect(await says('/dash show NGINX Ingress controller')).toContain('now-1h to now');
  expect(await says('/dash show No such board')).toContain('I know no dashboard “No such board”.');
  await says('/dash link /d/nginx?from=1795176000000&to=1795179600000');
  const other = await declareNow(place, alice, general, 'Board leak --private');
  await type('/dash link /d/4GFbkOsZk?from=1795176000000&to=1795179600000', alice, other);

  const listed = await says('/dash recent');
  expect(listed).toContain('NGINX Ingress controller');
  expect(listed).toContain('Request Handling Performance');
  expect(listed.indexOf('NGINX')).toBeLessThan(listed.indexOf('Request'));
  expect(listed).toContain('linked by alice');
  await press(last(), { text: 'Show', value: JSON.stringify({ uid: 'nginx' }) });
  expect(reads()).toContain('now-1h to now');
  expect(await says('/dash show nginx ingress CONTROLLER')).toContain('now-1h to now');

  expect(await says('/dash show ingress')).toContain('There is no dashboard with the uid “ingress”');
  await press(last(), 'NGINX Ingress controller');
  expect(reads()).toContain('now-1h to now');

  const bob = slack.person('bob');
  expect(await type('/dash list', bob)).not.toContain('Request Handling');
  const gus = slack.person('gus');
  expect(await type('/dash recent', gus)).toContain('NGINX Ingress controller');
});

test('the tags of all dashboards are counted, page by page', async () => {
  const { says, api, last, press, reads } = await openDashboardVerbs();
  const many = Array.from({ length: 130 }, (_, each) => `tag-${String(each).padStart(3, '0')}`);
  await api.Dashboards.save({ dashboard: { uid: 'many', title: 'Many', tags: [...many, 'nginx'] } });
  const first = await says('/dash tags');
  expect(first).toContain('Page 1 of 3');
  expect(first.indexOf('nginx')).toBeLessThan(first.indexOf('tag-000'));
  expect(first).toMatch(/nginx`? 3/);
  await press(last(), 'Next ›');
  expect(reads()).toContain('Page 2 of 3');
  await press(last(), '‹ Previous');
  expect(reads()).toBe(first);
});

test('the home dashboard is shown', async () => {
  const { says } = await openDashboardVerbs();
  expect(await says('/dash home')).toContain('Home');
});
