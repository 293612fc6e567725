import { expect, test } from 'vitest';
import { addDashboards, openDashboardVerbs } from '../../../../support/dashboard-room.ts';
import { notesOf } from '../../../../support/incident-room.ts';
import { type openVerbs, shareVerbs } from '../../../../support/verbs.ts';

const hour = 60 * 60_000;

/** Two dashboards, an hour and a half into the incident; `linked` is the newest window that was posted, in epoch milliseconds. */
async function openLater() {
  const opened = await openDashboardVerbs();
  opened.wait(90);
  return withWindows(opened);
}

function withWindows(opened: Awaited<ReturnType<typeof openVerbs>>) {
  const { place, bob, home, now, type } = opened;
  const post = () => place.messages(bob, home.id).findLast(each => /^(Dashboard|Link) /.test(each.text));
  const linked = async () => {
    const uid = /\/goto\/([\w-]+)/.exec(post()?.text ?? '')?.[1] ?? '';
    const { location } = await place.api.ShortUrls.goto({ uid });
    const query = new URL(location, 'https://x.example').searchParams;
    return [Number(query.get('from')), Number(query.get('to'))];
  };
  const ago = (milliseconds: number) => now().getTime() - milliseconds;
  const captions = async () => (await notesOf(place, '1')).map(each => each.body.split('\n').at(-3) ?? '');
  return { ...opened, room: home, says: (line: string) => type(line), post, linked, ago, captions };
}

test.each([
  ['nginx last 3 hours', 3 * hour, 0],
  ['nginx last 3h the 5xx', 3 * hour, 0],
  ['nginx --last 3h', 3 * hour, 0],
  ['nginx past 30 min', hour / 2, 0],
  ['nginx the 5xx over the last hour', hour, 0],
  ['nginx --window 15m', hour / 4, 0],
  ['nginx around', 1.75 * hour, 0],
  ['nginx around the incident', 1.75 * hour, 0],
  ['nginx --around', 1.75 * hour, 0],
  ['nginx since 1h ago', hour, 0],
  ['nginx from 14:00 to 14:20', 0.75 * hour, (25 / 60) * hour],
  ['nginx --from 14:00 --to 14:20', 0.75 * hour, (25 / 60) * hour],
  ['nginx since 14:15', 0.5 * hour, 0],
  ['nginx 14:00-14:20', 0.75 * hour, (25 / 60) * hour],
  ['NGINX Ingress controller last 3h', 3 * hour, 0],
  ['request handling performance last 3h p95', 3 * hour, 0],
  ['/d/nginx?from=now-5m&to=now last 3h', 3 * hour, 0],
  ['nginx 3h', 3 * hour, 0],
  ['nginx -3h', 3 * hour, 0],
  ['nginx now-3h to now', 3 * hour, 0],
  ['nginx the last three hours please', 3 * hour, 0],
  ['nginx previous hour', hour, 0],
  ['nginx since 0:30', 14.25 * hour, 0],
  ['nginx today', 14.75 * hour, 0],
  ['nginx yesterday', 38.75 * hour, 14.75 * hour],
  ['nginx 14:00 to 14:20', 0.75 * hour, (25 / 60) * hour],
  ['nginx 14:00 - 14:20 the 5xx', 0.75 * hour, (25 / 60) * hour],
  ['nginx between 14h and 14h20', 0.75 * hour, (25 / 60) * hour],
  ['nginx from 14.00 Uhr bis 14.20 Uhr', 0.75 * hour, (25 / 60) * hour],
  ['nginx from 2pm to 2:20pm', 0.75 * hour, (25 / 60) * hour],
  ['nginx --window "14:00 to 14:20"', 0.75 * hour, (25 / 60) * hour],
  ['nginx at 14:10', (50 / 60) * hour, (20 / 60) * hour],
  ['nginx the 5xx around 14:40', (20 / 60) * hour, 0],
  ['nginx during the incident', 1.75 * hour, 0],
  ['nginx whole incident', 1.75 * hour, 0],
  ['the nginx dashboard last 3h', 3 * hour, 0],
])('/dash link %s is pinned to that time, and asks nothing', async (line, from, to) => {
  const { says, linked, ago, post } = await openLater();
  const answer = await says(`/dash link ${line}`);
  expect(answer, line).not.toContain('Which time');
  expect(await linked(), line).toEqual([ago(from), ago(to)]);
  // The words of the window are no caption.
  expect(JSON.stringify(post()?.blocks)).not.toMatch(/last 3|past 30|around|since|14:00-/);
});

test('a caption never says another time than the link shows', async () => {
  const { says, post, captions, linked, ago } = await openLater();
  expect(await says('/dash link nginx last 3h --last 1h')).toContain('give one window, not two.');
  expect(await says('/dash link nginx over the last few hours')).toContain('say how long “last few hours” is');
  expect(await says('/dash link nginx --from 14:20 --around')).toContain('Give one window');
  expect(await says('/dash link nginx --to 14:20')).toContain('Give one window');
  expect(post()).toBeUndefined();
  await says('/dash link nginx errors of the last 3 hours in Berlin');
  expect(await captions()).toEqual(['errors of the last 3 hours in Berlin']);
  expect(await linked()).toEqual([ago(3 * hour), ago(0)]);
});

/** The incident of the windows that are none. */
const shared = shareVerbs({ settings: { PAGES: 'open' } }, async opened => {
  await addDashboards(opened.api);
  opened.wait(90);
});

test.each([
  ['nginx this morning', 'say how long “this morning” is'],
  ['nginx errors of last night', 'say how long “last night” is'],
  ['nginx last 0 minutes', 'say how long “last 0 minutes” is'],
  ['nginx last 400 days', 'say how long “last 400 days” is'],
  ['nginx from 14:20 to 14:00', '“14:00” is before “14:20”.'],
  ['nginx from 15:00 to 16:00', '“15:00” is still ahead today.'],
  ['nginx at 15:30', '“15:30” is still ahead today.'],
])('/dash link %s is no window: it says so, and links nothing', async (line, why) => {
  const { says, post } = withWindows(shared());
  const known = post();
  expect(await says(`/dash link ${line}`)).toContain(why);
  expect(post()).toBe(known);
});

test('a page is called by its address where a window alone stands behind it, and needs no scheme', async () => {
  const { says, place } = await openLater();
  await says('/dash link https://status.adyen.com/7 last 3h');
  await says('/dash link wiki.acme.com/runbook');
  const bodies = (await notesOf(place, '1')).map(each => each.body);
  expect(bodies[0]).toContain('Link “status.adyen.com/7”: https://status.adyen.com/7');
  expect(bodies[1]).toContain('Link “wiki.acme.com/runbook”: https://wiki.acme.com/runbook');
});

test.each([
  ['https://wiki.acme.com/spaces/OPS/pages/4711/Pooler+runbook', 'wiki.acme.com/…/Pooler runbook'],
  ['https://wiki.acme.com/a/b%20c/', 'wiki.acme.com/…/b c'],
  ['https://status.adyen.com/7?tab=2#x', 'status.adyen.com/7'],
  ['https://status.adyen.com', 'status.adyen.com'],
  ['https://acme.com/a/%E0%A4%A', 'acme.com/…/%E0%A4%A'],
])('without words the page %s is called “%s”, and the answer says how to give a title', async (address, title) => {
  const { says, place } = await openLater();
  const answer = await says(`/dash link ${address}`);
  expect(answer).toContain(`${title} (`);
  expect(answer).toContain('words behind an address become its title.');
  expect((await notesOf(place, '1'))[0]?.body).toContain(`Link “${title}”: `);
  expect(await says('/dash link https://acme.com/runbook The runbook')).not.toContain('words behind an address');
});

test('a title that two dashboards have is asked about, and one that is nearly meant is offered', async () => {
  const { says, api, last, press, linked, ago } = await openLater();
  await api.Dashboards.save({ dashboard: { uid: 'one', title: 'Checkout overview' } });
  await api.Dashboards.save({ dashboard: { uid: 'two', title: 'Checkout details' } });
  const asked = await says('/dash link checkout last 3h');
  expect(asked).toContain('I know no dashboard “checkout”');
  expect(asked).toContain('[Link “Checkout overview”]');
  expect(asked).toContain('[Link “Checkout details”]');
  await press(last(), 'Link “Checkout details”');
  expect(await linked()).toEqual([ago(3 * hour), ago(0)]);
});

test('any page is linked under the words that were given, or its address, and fetched by nobody', async () => {
  const { says, place, post, gus, home, bob } = await openLater();
  expect(await says('/dash link https://status.adyen.com/incidents/7 Adyen says <!channel>')).toContain(
    'You linked Adyen says <!channel> (https://status.adyen.com/incidents/7) to incident 1',
  );
  expect(JSON.stringify(post()?.blocks)).toContain('<https://status.adyen.com/incidents/7|');
  expect(JSON.stringify(post()?.blocks)).not.toContain('<!channel>');
  await says('/dash link https://wiki.acme.com/runbooks/pooler');
  const [first, second] = (await notesOf(place, '1')).map(each => each.body);
  expect(first).toContain('Link “Adyen says <!channel>”: https://status.adyen.com/incidents/7');
  expect(second).toContain('Link “wiki.acme.com/…/pooler”: https://wiki.acme.com/runbooks/pooler');
  await says('/dash link https://wiki.acme.com/runbooks/pooler');
  expect(await notesOf(place, '1')).toHaveLength(2);
  for (const line of [
    'javascript:alert(1)',
    'ftp://acme.com/x',
    'data:text/html,x',
    'https://bob:pw@acme.com/',
    '//acme.com',
  ])
    expect(await says(`/dash link ${line}`), line).toContain('I linked nothing: ');
  await gus.command(home, '/dash link https://acme.com/x');
  await place.quiet();
  expect(place.lastRead(gus, home.id)).toContain('guest');
  expect(await notesOf(place, '1')).toHaveLength(2);
  expect(place.reads(bob, home.id).join('\n')).toContain('Adyen says');
});

test('without words a form lists dashboards, and links what was picked', async () => {
  const { alice, says, submit, linked, ago, captions, type } = await openLater();
  await says('/dash link 4GFbkOsZk --window 1h');
  await type('/incident label nginx');
  await type('/dash link');
  const form = JSON.stringify(alice.view);
  expect(form).toContain('Link a dashboard');
  // Linked lately comes first, then what is tagged like the incident.
  expect(form.indexOf('Request Handling Performance')).toBeLessThan(form.indexOf('NGINX Ingress controller'));
  await submit({});
  expect(JSON.stringify(alice.view)).toContain('Link a dashboard');
  await submit({ board: 'nginx', window: '3h', caption: 'the 5xx' });
  expect(await linked()).toEqual([ago(3 * hour), ago(0)]);
  expect((await captions()).at(-1)).toBe('the 5xx');
  await type('/dash link');
  await submit({ board: 'nginx', window: 'around' });
  expect(await linked()).toEqual([ago(1.75 * hour), ago(0)]);
  await type('/dash link');
  const at = (milliseconds: number) => String(ago(milliseconds) / 1000);
  await submit({ board: 'nginx', window: 'between', from: at(hour), to: at(hour / 2) });
  expect(await linked()).toEqual([ago(hour), ago(hour / 2)]);
  await type('/dash link');
  await submit({ address: 'https://wiki.acme.com/pooler', caption: 'Runbook' });
  expect((await captions()).join('\n')).toContain('wiki.acme.com');
});

test.each([
  ['off', false],
  ['slack', true],
  ['open', true],
])('with PAGES=%s what is posted opens, or says that it does not', async (pages, opens) => {
  const { place, bob, room, says } = await openDashboardVerbs({ settings: { PAGES: pages } });
  const receipt = await says('/dash link nginx last 1h');
  const post = place.reads(bob, room.id).findLast(each => each.includes('linked by')) ?? '';
  expect([receipt.includes('/goto/'), post.includes('/goto/')]).toEqual([opens, opens]);
  expect(post.includes('pages are off')).toBe(!opens);
  if (!opens) expect(post).toContain('/d/nginx/');
  // The note keeps both: pages may be turned on one day.
  const [note] = await notesOf(place, '1');
  expect(note?.body).toMatch(/\/goto\/.*\n.*\nFull path: \/d\/nginx\//);
});
