import { expect, test } from 'vitest';
import { renderMessage } from '../../../../../playground/fake-slack/fake-slack.ts';
import { openDashboardVerbs } from '../../../../support/dashboard-room.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { lastMessage, notesOf } from '../../../../support/incident-room.ts';

const shortLink = /https:\/\/muster\.example\.com\/goto\/([\w-]+)\?orgId=1/;

test('a path, a uid and the forms people have in their fingers; absolute windows are kept', async () => {
  const { place, bob, room, says } = await openDashboardVerbs();
  expect(await says('/dash link /d/nginx/x?from=1795176000000&to=1795179600000')).not.toContain('pinned');
  const post = place.messages(bob, room.id).findLast(message => message.ephemeralTo === undefined);
  const uid = shortLink.exec(post?.text ?? '')?.[1] ?? '';
  expect((await place.api.ShortUrls.goto({ uid })).location).toContain('from=1795176000000&to=1795179600000');
  expect(await says('/dash 4GFbkOsZk --window incident')).toContain('Request Handling Performance');
  expect(await says('/dashboard add d/nginx --window incident')).toContain('so it shows the same tomorrow');
  expect(await says('/incident dash share "nginx?var-a=b" --window incident')).toContain(
    'You linked the dashboard NGINX Ingress controller',
  );
  expect(await notesOf(place, '1')).toHaveLength(4);
});

test('the last hour, or the window as it was pasted, is linked when somebody chooses it', async () => {
  const { place, says, press, last, wait, now, room, bob } = await openDashboardVerbs();
  wait(10);
  const at = now().getTime();
  const linked = async () => {
    const post = place.messages(bob, room.id).findLast(message => message.text.startsWith('Dashboard'));
    return (await place.api.ShortUrls.goto({ uid: shortLink.exec(post?.text ?? '')?.[1] ?? '' })).location;
  };
  await says('/dash link /d/nginx?from=now-5m&to=now what it shows');
  const question = last();
  await press(question, 'Last hour');
  expect(await linked()).toContain(`from=${at - 60 * 60_000}&to=${at}`);
  await press(question, 'As pasted');
  expect(await linked()).toContain(`from=${at - 5 * 60_000}&to=${at}`);
  await press(question, 'As pasted');
  expect(await notesOf(place, '1')).toHaveLength(2);
  expect(await says('/dash link nginx --window tomorrow')).toContain(
    'Give one window: last 3h, from 23:00 to 23:20, since 22:50 or around.',
  );
});

test('several dashboards are linked at once, and one by the title that was linked lately', async () => {
  const { place, says, bob, room } = await openDashboardVerbs();
  const { url } = await place.api.ShortUrls.create({ path: 'd/4GFbkOsZk?from=1795176000000&to=1795179600000' });
  const receipt = await says(`/dash link /d/nginx?from=1795176000000&to=1795179600000 ${url} both of them`);
  expect(receipt).toContain('NGINX Ingress controller');
  expect(receipt).toContain('Request Handling Performance');
  const posts = () => place.messages(bob, room.id).filter(each => each.text.startsWith('Dashboard'));
  expect(posts()).toHaveLength(2);
  expect((await notesOf(place, '1')).map(each => each.body.includes('both of them'))).toEqual([true, true]);

  const many = Array.from({ length: 6 }, (_, each) => `/d/nginx?from=${each + 1}&to=1795179600000`).join(' ');
  expect(await says(`/dash link ${many}`)).toContain('5 are the most that I make at once');
  expect(await says(`/dash link /d/nginx?from=1&to=2 /d/nosuch?from=1&to=2`)).toContain('I linked nothing: ');
  expect(posts()).toHaveLength(2);

  await says('/dash link nginx ingress controller the whole hour --window hour');
  expect(posts()).toHaveLength(3);
  expect((await notesOf(place, '1')).at(-1)?.body).toContain('the whole hour');
});

test('words that are no uid and no title: the answer says what was looked for, and a press links what may be meant', async () => {
  const { place, says, last, press, bob, room } = await openDashboardVerbs();
  const posts = () => place.messages(bob, room.id).filter(each => each.text.startsWith('Dashboard'));
  expect(await says('/dash link The shop')).toBe(
    [
      'I linked nothing: I know no dashboard “The shop”. Type its title, or paste its address from the browser.',
      'You typed: /dash link The shop',
    ].join('\n'),
  );
  await says('/dash link nginx --window hour');
  expect(await says('/dash link The shop')).toContain('[Recently linked dashboards]');
  expect(await press(last(), 'Recently linked dashboards')).toContain('NGINX Ingress controller');

  const asked = await says('/dash link ingress the 5xx & <rate> "--of it" --window incident');
  expect(asked).toContain('I know no dashboard “ingress the 5xx & <rate> --of it”');
  expect(asked).toContain('[Link “NGINX Ingress controller”]');
  expect(posts()).toHaveLength(1);
  const question = last();
  await press(question, 'Link “NGINX Ingress controller”');
  await press(question, 'Link “NGINX Ingress controller”');
  expect(posts()).toHaveLength(2);
  expect((await notesOf(place, '1')).at(-1)?.body).toContain('the 5xx & <rate> --of it');
});

test('a caption that is too long ends early, and the receipt says so', async () => {
  const { place, says } = await openDashboardVerbs();
  expect(await says(`/dash link /d/nginx ${'x'.repeat(998)}👩‍🚒! --window incident`)).toContain(
    'What it shows has more than 1000 characters',
  );
  const [note] = await notesOf(place, '1');
  expect(note?.body).toMatch(/\nx{998}…\n/);
});

test('the same command delivered or typed twice links once', async () => {
  const { place, slack, alice, bob, room, says } = await openDashboardVerbs();
  const line = '/dash link /d/nginx?from=1795176000000&to=1795179600000';
  await says(line);
  const delivery = slack.deliveries.findLast(each => JSON.stringify(each).includes('dash'));
  if (!delivery) throw new Error('no delivery');
  await slack.redeliver(delivery);
  await place.quiet();
  expect(await says(line)).toContain('to incident 1. Nothing was done twice.');
  await Promise.all([alice.command(room, line), bob.command(room, line)]);
  await place.quiet();
  expect(place.messages(bob, room.id).filter(message => message.text.startsWith('Dashboard'))).toHaveLength(1);
  expect(await notesOf(place, '1')).toHaveLength(1);
});

test('a short link of ours is noted as it is', async () => {
  const { place, says } = await openDashboardVerbs();
  const { url, uid } = await place.api.ShortUrls.create({ path: 'd/nginx/x?from=now-1h&to=now' });
  const receipt = await says(`/dash link ${url}`);
  expect(receipt).toContain('It was a short link already');
  expect(receipt).toContain('so it shows something else tomorrow. Link the dashboard’s full address to pin it');
  const [note] = await notesOf(place, '1');
  expect(note?.body).toContain(`Dashboard “NGINX Ingress controller”: ${url}`);
  expect(note?.body).toContain('Full path: /d/nginx/x?from=now-1h&to=now');
  expect(await says(`/dash link /goto/${uid}`)).toContain('You already linked');
  expect(await says('/dash link /goto/nothing')).toContain('There is no short link “nothing”');
  const other = await place.api.ShortUrls.create({ path: 'explore?left=1' });
  expect(await says(`/dash link /goto/${other.uid}`)).toContain('a short link');
  expect((await notesOf(place, '1'))[1]?.body).toContain(`/goto/${other.uid}`);
});

test('what cannot be linked is refused with what was typed', async () => {
  const { place, slack, alice, room, says, act } = await openDashboardVerbs();
  const before = place.messages(alice, room.id).filter(each => each.ephemeralTo === undefined).length;
  const refusals = [
    ['/dash link nosuch', 'I know no dashboard “nosuch”'],
    ['/dash link //evil.com', 'That link is of evil.com'],
    ['/dash link /d/nginx/../../admin', 'A path with “..” can lead anywhere'],
    ['/dash link javascript:alert(1)', 'is not a web address'],
    ['/dash link https://alice:pw@muster.example.com/d/nginx', 'holds a name or password'],
    ['/dash link /d/nginx%00', 'characters that no dashboard’s has'],
    ['/dash link /d/nginx?from=yesterday', 'from=yesterday is not a time that Grafana knows'],
    ['/dash link /d/nginx?from=1795179600000&to=1795176000000', 'ends before it begins'],
    ['/dash link <!channel>', 'I linked nothing'],
    [`/dash link /d/nginx?var-a=${'x'.repeat(70_000)}`, 'at most 8192 can be shortened'],
    ['/dash link nginx --incident 99', '99'],
  ];
  for (const [line = '', words] of refusals) {
    const read = await says(line);
    expect(read).toContain(words);
    expect(read).not.toContain('!!!');
    expect(read).toContain('You typed: /dash link');
  }
  expect(await notesOf(place, '1')).toEqual([]);
  expect(place.messages(alice, room.id).filter(each => each.ephemeralTo === undefined)).toHaveLength(before);
  const guest = slack.addPerson({ name: 'gina', isRestricted: true });
  alice.invite(room, guest);
  await act(() => guest.command(room, '/dash link nginx'));
  expect(place.lastRead(guest, room.name)).toContain('guest');
});

test('from elsewhere a picker asks for the incident, and the link is shown where it was asked for', async () => {
  const { place, slack, alice, bob, general, act } = await openDashboardVerbs();
  await act(() => alice.command(general, '/dash link nginx --window incident'));
  await act(() => alice.press(lastMessage(place, alice, general), '#1 Checkout answers 500'));
  expect(place.lastRead(bob, 'general')).toContain('NGINX Ingress controller');
  expect(place.lastRead(bob, 'general')).toContain('incident 1');

  const secret = slack.addChannel({ name: 'board', isPrivate: true, members: [alice] });
  await act(() => alice.command(secret, '/dash link 4GFbkOsZk --incident 1 --window hour'));
  expect(place.lastRead(alice, 'board')).toContain(
    'I could not post it here for everybody to see, so it is in #inc-1-checkout-answers-500.',
  );
});

test.each([
  [401, '{"message":"Unauthorized"}', 'does not accept Muster’s token'],
  [403, '{"message":"Access denied"}', 'must give its service account the role Editor'],
  [429, '{"message":"slow down"}', 'receiving too many requests'],
  [500, '{"message":"boom"}', 'cannot be reached right now'],
  [200, '<html>login</html>', 'a response Muster could not read'],
  [200, '{"dashboard":{"ti', 'a response Muster could not read'],
])('a Grafana that answers the look-up with %i %s is said', async (status, body, words) => {
  const grafana = await openFakeGrafana();
  const { place, says } = await openDashboardVerbs({ settings: grafana.settings });
  const headers = status === 429 ? { 'retry-after': '3600' } : undefined;
  grafana.fail({ when: /GET \/api\/dashboards/, answer: { status, body, ...(headers ? { headers } : {}) } });
  const read = await says('/dash link nginx');
  expect(read).toContain(words);
  expect(read).toContain('You typed: /dash link nginx');
  expect(grafana.requests.some(line => line.includes('short-urls'))).toBe(false);
  expect(await notesOf(place, '1')).toEqual([]);
});

test.each([
  [401, '{"message":"Unauthorized"}', 'does not accept Muster’s token'],
  [403, '{"message":"Access denied"}', 'does not let Muster do this'],
  [404, '{"message":"Not found"}', 'could not find it'],
  [412, '{"message":"changed by someone else","status":"version-mismatch"}', 'The reason: '],
])(
  'a Grafana that answers the shortening with %i %s is said, and the same command works afterwards',
  async (status, body, words) => {
    const grafana = await openFakeGrafana();
    const { place, bob, room, says } = await openDashboardVerbs({ settings: grafana.settings });
    const headers = status === 429 ? { 'retry-after': '3600' } : undefined;
    grafana.fail({ when: /POST \/api\/short-urls/, answer: { status, body, ...(headers ? { headers } : {}) } });
    const line = `/dash link ${grafana.url}/d/nginx?from=1795176000000&to=1795179600000`;
    const read = await says(line);
    expect(read).toContain('I could not link the dashboard “NGINX Ingress controller” to incident 1.');
    expect(read).toContain(words);
    expect(await notesOf(place, '1')).toEqual([]);
    grafana.heal();
    expect(await says(line)).toContain('You linked the dashboard NGINX Ingress controller');
    expect(place.messages(bob, room.id).filter(each => each.text.startsWith('Dashboard'))).toHaveLength(1);
    expect(await notesOf(place, '1')).toHaveLength(1);
  },
);

test('a note that the API refuses is said, and a press adds only what is missing', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, bob, room, says, act } = await openDashboardVerbs({ settings: grafana.settings });
  grafana.fail({ when: /AddActivity/, times: 1, answer: { status: 403, body: '{"error":"no"}' } });
  const line = '/dash link /d/nginx?from=1795176000000&to=1795179600000';
  await says(line);
  const read = place.reads(alice, room.name).join('\n');
  expect(read).toContain('to incident 1.');
  expect(read).toContain('I could not add “Dashboard “NGINX Ingress controller”');
  expect(await notesOf(place, '1')).toEqual([]);
  const refusal = place.messages(alice, room.id).findLast(each => each.text.includes('I could not add'));
  if (!refusal) throw new Error('The refusal is gone');
  await act(() => alice.press(refusal, 'Try again'));
  expect(await says(line)).toContain('You already linked');
  expect(await notesOf(place, '1')).toHaveLength(1);
  expect((await notesOf(place, '1'))[0]?.body).toContain('https://grafana.example.com/goto/');
  expect(place.messages(bob, room.id).filter(each => each.text.startsWith('Dashboard'))).toHaveLength(1);
});

test.each([{ dropAfterEffect: true }, { halfBody: true }] as const)(
  'a link whose posting lost its answer (%o) stands once',
  async fault => {
    const { place, slack, bob, room, says } = await openDashboardVerbs();
    slack.fail('chat.postMessage', fault);
    const read = await says('/dash link /d/nginx?from=1795176000000&to=1795179600000');
    expect(read).toContain('to incident 1.');
    expect(read).not.toContain('could not post');
    expect(place.messages(bob, room.id).filter(each => each.text.startsWith('Dashboard'))).toHaveLength(1);
  },
);

test('addresses that somebody pasted are linked from the menu of their message', async () => {
  const { place, slack, alice, bob, room, press, last, reads, act } = await openDashboardVerbs();
  const use = async (text: string) => {
    await act(() => alice.shortcut('link_dashboards', bob.say(room, text)));
    return reads();
  };
  const fixed = 'https://muster.example.com/d/nginx/x?from=1795176000000&to=1795179600000';
  expect(await use(`look at ${fixed} and https://example.com/d/nginx, ${fixed} !`)).toContain(
    'NGINX Ingress controller',
  );
  expect((await notesOf(place, '1')).map(note => note.fieldValues)).toMatchObject([{ addedBy: 'alice' }]);
  expect(await use(fixed)).toContain('You already linked');

  expect(await use('now https://muster.example.com/d/4GFbkOsZk?from=now-5m&to=now')).toContain(
    'Which time should the link to “Request Handling Performance” show? Nothing is posted yet.',
  );
  await press(last(), 'Around the incident');
  const posts = place.messages(bob, room.id).filter(each => each.text.startsWith('Dashboard'));
  expect(posts.map(each => renderMessage(slack, each))).toEqual([
    expect.stringContaining('NGINX Ingress controller'),
    expect.stringContaining('Request Handling Performance'),
  ]);

  expect(await use('no address, https://example.com/d/nginx')).toContain('that message has no dashboard address');
  expect(await notesOf(place, '1')).toHaveLength(2);
});

test('a message with addresses of dashboards that is put on the timeline offers to link them', async () => {
  const { place, alice, bob, room, press, last, act } = await openDashboardVerbs();
  const add = async (text: string) => {
    await act(() => alice.shortcut('add_timeline', bob.say(room, text)));
    return renderMessage(place.slack, last());
  };
  expect(await add('see https://example.com/d/nginx and https://muster.example.com/reference')).not.toContain('[Link');
  const fixed = 'https://muster.example.com/d/nginx/x?from=1795176000000&to=1795179600000';
  expect(await add(`look at ${fixed}, and <${fixed}>`)).toContain('[Link dashboards]');
  expect(await press(last(), 'Link dashboards')).toContain('NGINX Ingress controller');
  const sources = (await notesOf(place, '1')).map(note => String(note.fieldValues.source));
  expect(sources.toSorted()).toEqual(['dashboard', 'message', 'message']);
});

test('a linked dashboard is one line of the timeline, although the API attaches its address too', async () => {
  const { place, says } = await openDashboardVerbs();
  await says('/dash link /d/nginx?from=1795176000000&to=1795179600000');
  const query = { incidentID: '1', activityKind: ['contextAttached' as const] };
  expect((await place.api.ActivityService.QueryActivity({ query })).activityItems).toHaveLength(1);
  for (const line of ['/incident status', '/incident timeline']) {
    const lines = (await says(line)).split('\n').filter(each => each.includes('/goto/'));
    expect(lines, line).toHaveLength(1);
  }
});

test('an answer without an address is built from base and uid', async () => {
  const grafana = await openFakeGrafana();
  const { place, bob, room, says } = await openDashboardVerbs({ settings: grafana.settings });
  grafana.fail({
    when: /POST \/api\/short-urls/,
    times: 1,
    answer: { status: 200, body: '{"uid":"AT76wBvGk","url":""}' },
  });
  expect(await says('/dash link /d/nginx?from=1795176000000&to=1795179600000')).toContain('You linked');
  const post = place.messages(bob, room.id).findLast(message => message.text.startsWith('Dashboard'));
  expect(post?.text).toContain(`${grafana.url}/goto/AT76wBvGk`);
  const [note] = await notesOf(place, '1');
  expect(note?.body).toContain(`${grafana.url}/goto/AT76wBvGk`);
});

test.each<[string, object]>([
  ['tags that are a word', { tags: '' }],
  ['tags within tags', { tags: [['prod', ['x']], 'nginx'] }],
  ['a refresh that is a number', { refresh: 30 }],
  ['a schemaVersion that is a word', { schemaVersion: '36' }],
  ['a timezone that is an object', { timezone: { name: 'utc' } }],
  ['a version of elsewhere', { version: 'v3' }],
  ['a window of numbers', { time: { from: 1_795_176_000_000, to: 1_795_179_600_000 } }],
  ['a window that is a word', { time: 'now-1h' }],
  ['a window that is a list', { time: ['now-1h', 'now'] }],
  ['half a window', { time: { from: 'now-2h' } }],
  ['a window of nothing', { time: { from: null, to: {} } }],
  ['a window that is no time', { time: { from: 'yesterday', to: 'soon' } }],
])('a dashboard with %s can be linked and shown', async (_, strange) => {
  const { place, says } = await openDashboardVerbs();
  await place.api.Dashboards.save({ dashboard: { id: null, uid: 'odd', title: 'Odd', ...strange } });
  expect(await says('/dash link odd --window incident')).toContain('Odd (https://muster.example.com/goto/');
  expect((await notesOf(place, '1'))[0]?.body).toMatch(/^Dashboard “Odd”: https.*\nShows 20/);
  expect(await says('/dash show odd')).toContain('Odd');
});
