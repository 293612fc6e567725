import { expect, test } from 'vitest';
import { comeIn, linkIn, openBrowser } from '../support/browser-of.ts';
import { openIncident } from '../support/incident-room.ts';

const settings = { PAGES: 'slack' };
const title = 'Checkout answers 500';
const own = '/a/grafana-irm-app/incidents/1/checkout-answers-500';
const none = '/a/grafana-irm-app/incidents/9999/checkout-answers-500';

/** What is left of an answer without the address that was asked for. */
const plain = ({ status, text }: { status: number; text: string }) => [status, text.replaceAll('9999', '1')];

test('a person opens a private incident from Slack, and a colleague outside its room finds nothing', async () => {
  const { place, alice, carol, home, general } = await openIncident({ settings, flags: '--private' });
  const { browser, path, entered } = await comeIn(place, alice, home.name);
  expect([entered.status, path]).toEqual([303, own]);
  const shown = await browser.ask(own);
  expect([shown.status, shown.text]).toEqual([200, expect.stringContaining(title)]);
  expect(shown.text).toMatch(/alice<\/bdi>.*Sign out/);
  expect((await browser.ask('/incidents')).text).toContain(title);

  const { browser: outside, path: list } = await comeIn(place, carol, general.name);
  expect(list).toBe('/incidents');
  expect((await outside.ask('/incidents')).text).not.toContain(title);
  expect((await outside.ask('/incidents/figures')).text).not.toContain(title);
  expect(plain(await outside.ask(own))).toEqual(plain(await outside.ask(none)));
  expect((await outside.ask(own)).status).toBe(404);
});

test('a browser without a cookie reads how to get in, the same for every address', async () => {
  const { place } = await openIncident({ settings });
  const stranger = openBrowser(place);
  const door = await stranger.ask(own);
  expect([door.status, door.text]).toEqual([401, expect.stringContaining('/muster web')]);
  expect(door.text).not.toContain(title);
  for (const path of [none, '/incidents', '/incidents/figures?q=x', '/d/x', '/dashboards/f/x', '/goto/x', `${own}?x=1`])
    expect((await stranger.ask(path)).text, path).toBe(door.text);
  expect((await stranger.ask('/reference')).status).toBe(200);
});

test('leaving the room, and then the workspace, ends what a person sees', async () => {
  const { place, slack, alice, carol, home, act } = await openIncident({ settings, flags: '--private' });
  await act(() => alice.invite(home, carol));
  const { browser } = await comeIn(place, carol, home.name);
  expect((await browser.ask(own)).text).toContain(title);
  await act(() => carol.leave(home));
  await slack.settled();
  await place.quiet();
  expect((await browser.ask(own)).status).toBe(404);
  expect((await browser.ask('/incidents')).text).not.toContain(title);
  carol.change({ deleted: true });
  await slack.settled();
  await place.quiet();
  expect((await browser.ask('/incidents')).status).toBe(401);
});

test('a guest reads the incidents whose room they are in, and no others', async () => {
  const { place, slack, alice, gus, home, type } = await openIncident({ settings });
  await type('/incident declare Mail is late --now', alice, home);
  await place.quiet();
  const { browser } = await comeIn(place, gus, home.name);
  const list = (await browser.ask('/incidents')).text;
  expect(list).toContain(title);
  expect(list).not.toContain('Mail is late');
  expect((await browser.ask(own)).status).toBe(200);
  expect((await browser.ask('/a/grafana-irm-app/incidents/2')).status).toBe(404);
  const dashboard = await browser.ask('/d/x/y');
  expect([dashboard.status, dashboard.text]).toEqual([403, expect.stringContaining('You are a guest')]);
  expect((await browser.ask('/dashboards')).status).toBe(403);
  expect(list).not.toContain('>Dashboards</a>');
  gus.leave(home);
  await slack.settled();
  await place.quiet();
  expect((await browser.ask(own)).status).toBe(404);
  expect((await browser.ask('/incidents')).text).not.toContain(title);
});

test('while Slack does not say who is in a room, its page stays shut, with words', async () => {
  const { place, slack, alice, home, wait } = await openIncident({ settings, flags: '--private' });
  const { browser } = await comeIn(place, alice, home.name);
  expect((await browser.ask(own)).status).toBe(200);
  slack.fail('conversations.members', { error: 'internal_error' }, { times: 100 });
  wait(20);
  const shut = await browser.ask(own);
  expect([shut.status, shut.text]).toEqual([503, expect.stringContaining('Slack does not answer')]);
  expect(shut.text).not.toContain(title);
  expect(plain(await browser.ask(none))).toEqual(plain(shut));
  const list = (await browser.ask('/incidents')).text;
  expect(list).not.toContain(title);
  expect(list).toContain('one of your rooms, so its incident is left out');
});

test('a person in many private rooms sees all of them, and reads it when Slack is too slow for some', async () => {
  const { place, slack, alice, home, general, wait, act } = await openIncident({ settings, flags: '--private' });
  for (let count = 2; count <= 34; count += 1) {
    await act(() => alice.command(general, `/incident declare Private ${count} --private --now`));
  }
  const { browser } = await comeIn(place, alice, home.name);
  const list = async () => (await browser.ask('/incidents')).text;
  const count = async () => (await list()).match(/ class="name"/g)?.length;
  wait(20);
  await expect.poll(count).toBe(34);
  const mute = slack.channels.filter(({ name }) => /^inc-(2|17|33)-/.test(name)).map(({ id }) => id);
  const when = ({ channel }: { channel?: unknown }) => mute.includes(String(channel));
  slack.fail('conversations.members', { error: 'internal_error' }, { times: 1000, when });
  wait(20);
  await expect.poll(count).toBe(31);
  expect(await list()).toContain('3 of your rooms, so their incidents are left out here');
  const file = await browser.ask('/incidents.csv');
  expect([file.status, file.text]).toEqual([503, expect.stringContaining('Slack does not answer')]);
  slack.heal();
  await expect.poll(count).toBe(34);
  expect(await list()).not.toContain('left out here');
  expect((await browser.ask('/incidents.csv')).text.trim().split('\n')).toHaveLength(35);
});

test('a link opens once, for ten minutes, and looking at it uses nothing up', async () => {
  const { place, alice, home, type, wait } = await openIncident({ settings });
  const read = async () => linkIn(await type('/muster page', alice, home));
  const browser = openBrowser(place);
  const link = await read();
  expect((await browser.ask(link)).text).toContain('<form method="post">');
  expect((await browser.ask(link)).status).toBe(200);
  expect((await browser.post(link)).status).toBe(303);
  const door = (await openBrowser(place).post('/door/never-made')).text;
  const again = await openBrowser(place).post(link);
  expect([again.status, again.text]).toEqual([401, door]);
  const late = await read();
  wait(11);
  expect((await openBrowser(place).post(late)).text).toBe(door);
  const races = await read();
  const both = await Promise.all([openBrowser(place).post(races), openBrowser(place).post(races)]);
  expect(both.map(each => each.status).sort()).toEqual([303, 401]);
  const log = place.logged.join('\n');
  expect(log).toContain('pages: a person was let in');
  for (const each of [link, late, races]) expect(log).not.toContain(each.split('/').at(-1));
});

test('a person signs out, and another one comes in with a link of their own', async () => {
  const { place, alice, home } = await openIncident({ settings });
  const { browser } = await comeIn(place, alice, home.name);
  expect((await browser.ask('/incidents')).status).toBe(200);
  expect((await browser.post('/sign-out')).text).toContain('signed out');
  expect((await browser.ask('/incidents')).status).toBe(401);
});

test('any name but the right one in an address leads to the right one', async () => {
  const { place, alice, home } = await openIncident({ settings });
  const { browser } = await comeIn(place, alice, home.name);
  const moved = await browser.ask('/a/grafana-irm-app/incidents/1/all-is-well?show=notes');
  expect([moved.status, moved.headers.get('location')]).toEqual([302, `${own}?show=notes`]);
  expect(moved.headers.get('cache-control')).toBe('no-store');
});

test.each([
  ['slack', '--private'],
  ['slack', ''],
  ['open', ''],
])('with PAGES=%s the page of an incident leads to its channel (%s)', async (pages, flags) => {
  const { place, slack, alice, home, type, last, press } = await openIncident({ settings: { PAGES: pages }, flags });
  const { ask } = pages === 'open' ? openBrowser(place) : (await comeIn(place, alice, home.name)).browser;
  const address = `https://acme.slack.com/archives/${home.id}`;
  const before = await ask(own);
  expect(channelLink(before.text)).toBe(address);
  // A person who writes it down adds no second link.
  await type(`/note add all are in ${address}/`, alice, home);
  const after = (await ask(own)).text;
  expect(after.slice(after.indexOf('<aside>'))).not.toContain(address);
  if (flags !== '') return;
  const other = slack.addChannel({ name: 'war-room', members: [alice], botIsMember: true });
  await type('/incident unlink', alice, home);
  await press(last(), 'Unlink');
  const tag = (await ask(own)).headers.get('etag') ?? '';
  expect(channelLink((await ask(own)).text)).toBeUndefined();
  await type('/incident link 1', alice, other);
  const moved = await ask(own, { headers: { 'if-none-match': tag } });
  expect(channelLink(moved.text)).toBe(address.replace(home.id, other.id));
});

/** Where “Open in Slack” leads; undefined where the page has none. */
function channelLink(page: string): string | undefined {
  return /href="([^"]+)"[^>]*>Open in Slack/.exec(page)?.[1];
}
