import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import { runService } from '../../src/commands/service.ts';
import { readServiceConfig } from '../../src/config/config.ts';
import { patient } from '../support/deadlines.ts';
import { openFolder } from '../support/folder.ts';
import { openGeneral } from '../support/general.ts';
import { recover } from '../support/recover.ts';
import { openInstalledSlack, openWorkplace } from '../support/workplace.ts';

const quiet = { environment: {}, deadlines: patient(), onUncaught: () => undefined };

/** Declares an incident in Slack; gives its card, and Muster's own address. */
async function declare(settings: Readonly<Record<string, string>>) {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice', realName: 'Alice Adler' });
  slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  const place = await openWorkplace({ slack, settings });
  await alice.command('general', '/incident declare Disk is full --now');
  await place.quiet();
  const room = slack.channels.find(each => each.name.startsWith('inc-1'));
  const card = room?.messages.find(each => each.pinned) ?? expect.fail('There is no card');
  return { card: JSON.stringify(blocksOf(card)), url: place.muster.url, slack };
}

test('the card links to the overview, which opens for anybody, when pages are open', async () => {
  const { card, url } = await declare({ PAGES: 'open' });
  const [, path = ''] = /<https:\/\/muster\.example\.com(\/a\/[^|]+)\|Overview>/.exec(card) ?? [];
  expect(path).toBe('/a/grafana-irm-app/incidents/1/disk-is-full');
  const answer = await fetch(`${url}${path}`);
  expect(answer.status).toBe(200);
  const page = await answer.text();
  expect(page).toContain('<h1 dir="auto">Disk is full</h1>');
  expect(page).toMatch(/The incident was declared <span class="quiet">by <bdi>alice</);
  expect((await fetch(`${url}/`, { redirect: 'manual' })).headers.get('location')).toBe('/incidents');
});

test('a channel whose making goes on after a rename bookmarks the page once', async () => {
  const { slack, place, type } = await openGeneral({ settings: { PAGES: 'open' } });
  slack.fail('pins.add', { error: 'internal_error' }, { times: 1000 });
  await type('/incident declare Disk is full --now');
  const room = slack.channel('inc-1-disk-is-full');
  const pinned = () => room.messages.filter(each => each.pinned);
  expect([pinned().length, room.bookmarks.length]).toEqual([0, 1]);
  await type('/incident title Database is full --incident 1');
  await recover(place, slack);
  await place.quiet();
  expect(pinned()).toHaveLength(1);
  expect(room.bookmarks).toHaveLength(1);
  const page = new URL(room.bookmarks[0]?.link ?? '').pathname;
  expect(await (await fetch(`${place.muster.url}${page}`)).text()).toContain('<h1 dir="auto">Database is full</h1>');
});

test('no card links to pages that are off', async () => {
  const { card, url } = await declare({});
  expect(card).toContain('Disk is full');
  expect(card).not.toContain('Overview');
  expect((await fetch(`${url}/incidents`)).status).toBe(404);
});

test('the service alone opens its pages, and the short links to them, when told to', async () => {
  const folder = await openFolder();
  const common = { PORT: '0', SERVICE_TOKENS: 'glsa_of_the_pages_test:Editor', LOG_LEVEL: 'silent' };
  for (const [pages, status, kind] of [
    ['open', 200, 'text/html'],
    ['off', 404, 'application/json'],
  ] as const) {
    const settings = { ...common, PAGES: pages, DATABASE_URL: `sqlite:${join(folder, `${pages}.db`)}` };
    await using service = await runService(readServiceConfig(settings), quiet, new AbortController().signal);
    const root = `http://127.0.0.1:${service.port}`;
    const answer = await fetch(`${root}/incidents`);
    expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([status, kind]);
    const headers = { authorization: 'Bearer glsa_of_the_pages_test' };
    const made = await fetch(`${root}/api/short-urls`, { method: 'POST', headers, body: '{"path":"d/x"}' });
    const { uid } = (await made.json()) as { uid: string };
    const followed = await fetch(`${root}/goto/${uid}`, { redirect: 'manual' });
    expect(followed.status).toBe(pages === 'open' ? 302 : 401);
  }
});

test.each([
  ['closed', 'off', 404, false],
  ['open', 'open', 200, true],
] as const)(
  'over HTTP, a card links to pages only when they open: they are %s',
  async (_how, pages, status, isLinked) => {
    const folder = await openFolder();
    const token = 'glsa_a_token_long_enough';
    const environment = {
      DATABASE_URL: `sqlite:${join(folder, 'api.db')}`,
      PORT: '0',
      SERVICE_TOKENS: `${token}:Editor`,
      PAGES: pages,
      LOG_LEVEL: 'silent',
    };
    await using service = await runService(readServiceConfig(environment), quiet, new AbortController().signal);
    const root = `http://127.0.0.1:${service.port}`;
    const { card, slack } = await declare({ GRAFANA_URL: root, GRAFANA_TOKEN: token });
    expect((await fetch(`${root}/a/grafana-irm-app/incidents/1/disk-is-full`)).status).toBe(status);
    expect(card).toContain('Disk is full');
    expect(card.includes('Overview')).toBe(isLinked);
    expect(slack.channels.find(each => each.name.startsWith('inc-1'))?.bookmarks).toHaveLength(isLinked ? 1 : 0);
  },
);
