import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { MessagePage, PinPage } from '../../../../playground/workspace/protocol.ts';
import { openPlayground } from '../../../support/playground.ts';
import { readList } from '../../../support/table.ts';

test('a page gets the workspace as its person sees it, and then each change at once', async () => {
  const { alice, bob, shop, openPage, slack, act } = await openPlayground();
  const page = await openPage('alice');
  const { workspace } = await page.heard('workspace');
  expect(workspace).toMatchObject({ team: 'Acme', me: alice.id, app: slack.botUserId });
  expect(workspace.people.map(each => [each.name, each.kind])).toEqual([
    ['muster', 'app'],
    ['slackbot', 'app'],
    ['alice', 'member'],
    ['bob', 'admin'],
    ['gina', 'guest'],
    ['petra', 'outsider'],
  ]);
  expect(workspace.channels).toMatchObject([{ name: 'shop', kind: 'public', isMember: true, unread: 0 }]);
  expect(workspace.commands.map(each => each.name)).toEqual(['/incident']);
  expect(await page.heard('system')).toMatchObject({ system: { bot: 'running' } });

  expect(await act('bob', { do: 'say', channel: shop.id, text: 'Hello @alice & all' })).toEqual({});
  const { message } = await page.heard('message');
  expect(message).toMatchObject({
    author: bob.id,
    text: `Hello <@${alice.id}> &amp; all`,
    isEphemeral: false,
    replies: 0,
  });
  await page.heard('channel', ({ channel }) => channel.unread === 1 && channel.mentions === 1);
  await act('alice', { do: 'read', channel: shop.id, ts: message.ts });
  await page.heard('channel', ({ channel }) => channel.readTs === message.ts && channel.unread === 0);
});

test('a press of a button of the watchdog reaches it', async () => {
  const { act, alerts } = await openPlayground();
  expect(await act('bob', { do: 'alert', event: 'Storm' })).toEqual({});
  expect(alerts).toEqual(['Storm']);
});

test('a page is acknowledged in the name of who looks; a page that nobody waits for is a sentence', async () => {
  const { act, acknowledged } = await openPlayground();
  expect(await act('alice', { do: 'acknowledge', key: 'page-1' })).toEqual({});
  expect(acknowledged).toEqual(['Alice Adler']);
  expect(await act('alice', { do: 'acknowledge', key: 'page-2' })).toEqual({
    problem: 'This page waits for nobody any more.',
  });
});

test('a thread, a reaction, an edit, a pin and a deletion show as they are', async () => {
  const { alice, shop, openPage, act, get } = await openPlayground();
  const page = await openPage('bob');
  await page.heard('workspace');
  const first = alice.say(shop, 'Checkout is slow');
  await act('bob', { do: 'say', channel: shop.id, text: 'I look', threadTs: first.ts });
  await page.heard('message', ({ message }) => message.ts === first.ts && message.replies === 1);
  await act('bob', { do: 'react', channel: shop.id, ts: first.ts, emoji: 'eyes' });
  await page.heard('message', ({ message }) => message.reactions[0]?.name === 'eyes');
  await act('alice', { do: 'edit', channel: shop.id, ts: first.ts, text: 'Checkout is down' });
  await page.heard('message', ({ message }) => message.isEdited && message.text === 'Checkout is down');
  await act('bob', { do: 'pin', channel: shop.id, ts: first.ts });
  await page.heard('message', ({ message }) => message.isPinned);
  const thread = await get<MessagePage>(`/messages?as=bob&channel=${shop.id}&threadTs=${first.ts}`);
  expect(thread.messages.map(each => each.text)).toEqual(['Checkout is down', 'I look']);
  const top = await get<MessagePage>(`/messages?as=bob&channel=${shop.id}`);
  expect(top.messages.map(each => each.text)).toEqual(['Checkout is down']);
  expect(await act('alice', { do: 'delete', channel: shop.id, ts: thread.messages[1]?.ts ?? '' })).toEqual({
    problem: 'alice did not write the message "I look".',
  });
  expect(await act('bob', { do: 'delete', channel: shop.id, ts: thread.messages[1]?.ts ?? '' })).toEqual({});
  await page.heard('messageGone');
});

test('a page that comes back gets what it missed, once; from another server it begins anew', async () => {
  const { alice, shop, openPage } = await openPlayground();
  const page = await openPage('bob');
  await page.heard('system');
  alice.say(shop, 'one');
  await page.heard('message', ({ message }) => message.text === 'one');
  await page.heard('channel');
  page.close();
  alice.say(shop, 'two');
  const again = await openPage('bob', page.lastId);
  await again.heard('message', ({ message }) => message.text === 'two');
  expect(again.told.filter(each => each.kind === 'workspace' || each.kind === 'message')).toHaveLength(1);
  const anew = await openPage('bob', 'other-5');
  await anew.heard('workspace');
  expect(anew.told.filter(each => each.kind === 'message')).toHaveLength(0);
});

test('a page that was away too long begins anew', async () => {
  const { alice, shop, openPage } = await openPlayground();
  const page = await openPage('bob');
  await page.heard('system');
  await expect.poll(() => page.lastId).not.toBe('');
  page.close();
  const message = alice.say(shop, 'Checkout is slow');
  for (let turn = 0; turn < 1100; turn += 1) {
    alice.react(message, `e${turn}`);
    await new Promise(setImmediate);
  }
  const again = await openPage('bob', page.lastId);
  await again.heard('workspace');
});

test('older messages come page by page', async () => {
  const { alice, shop, get } = await openPlayground();
  for (let number = 1; number <= 70; number += 1) alice.say(shop, `${number}`);
  const newest = await get<MessagePage>(`/messages?as=bob&channel=${shop.id}`);
  expect([newest.messages[0]?.text, newest.messages.at(-1)?.text, newest.hasOlder]).toEqual(['41', '70', true]);
  const older = await get<MessagePage>(`/messages?as=bob&channel=${shop.id}&before=${newest.messages[0]?.ts}`);
  const oldest = await get<MessagePage>(`/messages?as=bob&channel=${shop.id}&before=${older.messages[0]?.ts}`);
  expect(oldest.messages.map(each => each.text).slice(0, 2)).toEqual(['1', '2']);
  expect([oldest.messages.length, oldest.hasOlder]).toEqual([10, false]);
  const newer = await get<MessagePage>(`/messages?as=bob&channel=${shop.id}&after=${oldest.messages.at(-1)?.ts}`);
  expect([newer.messages[0]?.text, newer.messages.length, newer.hasOlder, newer.hasNewer]).toEqual([
    '11',
    30,
    true,
    true,
  ]);
  const last = await get<MessagePage>(`/messages?as=bob&channel=${shop.id}&after=${newest.messages.at(-2)?.ts}`);
  expect([last.messages.map(each => each.text), last.hasNewer]).toEqual([['70'], false]);
});

test('messages come around one of them, and the pinned ones by themselves', async () => {
  const { alice, shop, get, act, openPage } = await openPlayground();
  const said = Array.from({ length: 230 }, (_, index) => alice.say(shop, `${index + 1}`));
  const around = (ts: string) => get<MessagePage>(`/messages?as=bob&channel=${shop.id}&around=${ts}`);
  const texts = ({ messages }: MessagePage) => [messages.length, messages[0]?.text, messages.at(-1)?.text];
  const middle = await around(said[149]?.ts ?? '');
  expect([texts(middle), middle.hasOlder, middle.hasNewer]).toEqual([[30, '135', '164'], true, true]);
  const first = await around(said[0]?.ts ?? '');
  expect([texts(first), first.hasOlder, first.hasNewer]).toEqual([[30, '1', '30'], false, true]);
  const last = await around(said[229]?.ts ?? '');
  expect([texts(last), last.hasOlder, last.hasNewer]).toEqual([[16, '215', '230'], true, false]);
  const gone = await around('9999999999.000000');
  expect([texts(gone), gone.hasNewer]).toEqual([[15, '216', '230'], false]);

  const reply = alice.say(shop, 'in a thread', { threadTs: said[5]?.ts });
  for (const { ts } of [said[3] ?? reply, reply]) await act('bob', { do: 'pin', channel: shop.id, ts });
  const page = await openPage('bob');
  expect((await page.heard('workspace')).workspace.channels[0]?.pins).toBe(2);
  const pins = await get<PinPage>(`/pins?as=bob&channel=${shop.id}`);
  expect(pins.messages.map(each => [each.text, each.threadTs])).toEqual([
    ['in a thread', said[5]?.ts],
    ['4', undefined],
  ]);
  await act('bob', { do: 'unpin', channel: shop.id, ts: reply.ts });
  await page.heard('channel', ({ channel }) => channel.pins === 1);
});

test('a guest sees only their channels, an outsider only shared ones they are in', async () => {
  const { slack, alice, bob, gina, petra, shop, openPage, server, act } = await openPlayground();
  const secret = slack.addChannel({ name: 'secret', isPrivate: true, members: [bob] });
  const [guest, outsider, member] = await Promise.all(['gina', 'petra', 'alice'].map(name => openPage(name)));
  expect((await guest?.heard('workspace'))?.workspace.channels).toEqual([]);
  const outside = (await outsider?.heard('workspace'))?.workspace;
  expect([outside?.channels, outside?.commands, outside?.shortcuts]).toEqual([[], [], []]);
  expect((await member?.heard('workspace'))?.workspace.channels.map(each => each.name)).toEqual(['shop']);

  alice.say(shop, 'before');
  bob.say(secret, 'nobody else reads this');
  alice.invite(shop, gina);
  alice.invite(shop, petra);
  await guest?.heard('channel', ({ channel }) => channel.name === 'shop' && channel.isMember);
  expect(outsider?.told.filter(each => each.kind === 'channel' || each.kind === 'message')).toEqual([]);
  alice.share(shop);
  await outsider?.heard('channel', ({ channel }) => channel.isShared);
  alice.share(shop, false);
  await outsider?.heard('channelGone', ({ id }) => id === shop.id);
  gina.leave(shop);
  await guest?.heard('channelGone', ({ id }) => id === shop.id);
  for (const page of [guest, outsider, member]) expect(JSON.stringify(page?.told)).not.toContain(secret.id);

  for (const as of ['gina', 'petra']) {
    for (const what of ['messages', 'pins']) {
      const refused = await fetch(`${server.url}/${what}?as=${as}&channel=${shop.id}`);
      expect([refused.status, await refused.json()]).toEqual([404, { problem: 'You cannot see this channel.' }]);
    }
  }
  expect(await act('gina', { do: 'createChannel', name: 'mine', isPrivate: false })).toEqual({
    problem: 'Guests cannot make channels.',
  });
  expect(await act('alice', { do: 'say', channel: secret.id, text: 'hi' })).toHaveProperty('problem');
});

test('a file is read by who sees its channel, and runs nothing', async () => {
  const { slack, bob, server, act, get } = await openPlayground();
  const secret = slack.addChannel({ name: 'secret', isPrivate: true, members: [bob] });
  const file = { name: 'a.html', mimetype: 'text/html', content: '<script>alert(1)</script>', text: 'See' };
  await act('bob', { do: 'upload', channel: secret.id, ...file });
  const { messages } = await get<MessagePage>(`/messages?as=bob&channel=${secret.id}`);
  const url = messages[0]?.files[0]?.url ?? '';
  const response = await fetch(`${server.url}${url}`);
  expect(await response.text()).toBe(file.content);
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(response.headers.get('content-security-policy')).toContain('sandbox');
  expect((await fetch(`${server.url}${url.replace('bob', 'alice')}`)).status).toBe(404);
});

test('the page has a policy that only its own import map passes, and every address it names is there', async () => {
  const { server } = await openPlayground();
  const response = await fetch(server.url);
  const shell = await response.text();
  const policy = response.headers.get('content-security-policy') ?? '';
  const map = /<script type="importmap">(.+?)<\/script>/.exec(shell)?.[1] ?? '';
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(map))).toString('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(policy).toContain("img-src 'self' data: http://127.0.0.1:4711;");
  const safe = ['x-content-type-options', 'referrer-policy', 'cross-origin-resource-policy', 'x-frame-options'];
  expect(safe.map(name => response.headers.get(name))).toEqual(['nosniff', 'no-referrer', 'same-origin', 'SAMEORIGIN']);
  for (const path of Object.values<string>(JSON.parse(map).imports)) {
    const module = await fetch(server.url + path);
    expect([module.status, module.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  }
});

test('every script and style of the page is there, without an import that leads nowhere', async () => {
  const { server } = await openPlayground();
  const shell = await (await fetch(server.url)).text();
  const addresses = [...shell.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(addresses).toContain('/page/main.ts');
  expect(addresses.filter(path => path.endsWith('.css'))[0]).toBe('/page/style/base.css');
  const answers = await Promise.all(addresses.map(async path => [path, (await fetch(server.url + path)).status]));
  expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
});

test('TypeScript comes without its types, and again only when it changed', async () => {
  const { server } = await openPlayground();
  const address = `${server.url}/workspace/protocol.ts`;
  const first = await fetch(address);
  const code = await first.text();
  expect(code).toContain('export const faultNames = [');
  expect(code).not.toContain('interface');
  const etag = first.headers.get('etag') ?? '';
  expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

test.each(
  readList(`
  /workspace/app.ts | /page/../workspace/app.ts | /page/%2e%2e/workspace/app.ts | /page/tsconfig.json | /main.ts
  /fake-slack/workspace/workspace.ts | /modules/pg.js | /modules/../package.json
`),
)('no other file is served: %s', async path => {
  const { server } = await openPlayground();
  const status = await new Promise(resolve => {
    request({ port: server.port, path }, response => resolve(response.resume().statusCode)).end();
  });
  expect(status).toBe(404);
});

test.each([
  ['a foreign name for this machine', { host: 'evil.example' }],
  ['another site', { origin: 'https://evil.example' }],
  ['a page of another port', { origin: 'http://localhost:1' }],
  ['a form of another site', { 'sec-fetch-site': 'cross-site' }],
])('an act from %s is refused', async (_, headers) => {
  const { server, shop, alice } = await openPlayground();
  const body = JSON.stringify({ as: 'alice', act: { do: 'say', channel: shop.id, text: 'hi' } });
  const status = await new Promise(resolve => {
    const options = { port: server.port, path: '/acts', method: 'POST', headers };
    request(options, response => resolve(response.resume().statusCode)).end(body);
  });
  expect([status, alice.sees(shop)]).toEqual([403, []]);
});

test('something that is no act, and a person who is nobody, are refused in words', async () => {
  const { server, shop } = await openPlayground();
  const post = (body: unknown) => fetch(`${server.url}/acts`, { method: 'POST', body: JSON.stringify(body) });
  expect((await post({ as: 'alice', act: { do: 'explode' } })).status).toBe(400);
  expect((await post({ as: 'zoe', act: { do: 'say', channel: shop.id, text: 'hi' } })).status).toBe(404);
  expect((await post({ as: 'alice', act: { do: 'say', channel: shop.id, text: 'x'.repeat(6_000_000) } })).status).toBe(
    413,
  );
});

test('several windows hear over one stream, each what its person sees, and each goes on where it was', async () => {
  const { shop, server, act } = await openPlayground();
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  /** The events of a stream, until there are so many of a kind. */
  const listen = async (query: string, isEnough: (events: readonly string[][]) => boolean) => {
    const response = await fetch(`${server.url}/events?${query}`, { signal: closing.signal });
    const events: string[][] = [];
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = `${text}${chunk}`.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const read = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
        events.push([read('event'), JSON.parse(read('data')).kind, read('id')]);
      }
      if (isEnough(events)) return events;
    }
    return events;
  };
  const has = (events: readonly string[][], seat: string, kind: string) =>
    events.some(([s, k]) => s === seat && k === kind);
  const begun = await listen(
    'as=alice&as=nobody&as=petra',
    events => has(events, '0', 'system') && has(events, '2', 'system'),
  );
  expect(begun.filter(([, kind]) => kind === 'workspace').map(([seat]) => seat)).toEqual(['0', '2']);
  expect(begun.some(([seat]) => seat === '1')).toBe(false);
  const [first = '', nobody, third = ''] = begun.at(-1)?.[2]?.split(',') ?? [];
  expect([first, nobody, third]).toEqual([expect.stringContaining('-'), '', expect.stringContaining('-')]);
  await act('alice', { do: 'say', channel: shop.id, text: 'Meanwhile' });
  const after = await listen(
    `as=petra&as=alice&as=alice&from=${third},${first},`,
    events => has(events, '1', 'message') && has(events, '2', 'system'),
  );
  expect(after.some(([seat]) => seat === '0')).toBe(false);
  expect(after.filter(([, kind]) => kind === 'workspace').map(([seat]) => seat)).toEqual(['2']);
});
