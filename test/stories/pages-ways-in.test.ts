import { expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { linkIn, openBrowser } from '../support/browser-of.ts';
import { openIncident } from '../support/incident-room.ts';

const settings = { PAGES: 'slack' };
const own = '/a/grafana-irm-app/incidents/1/checkout-answers-500';

/** Where the newest link that a person read leads; it opens for them once. */
async function follow(place: Parameters<typeof openBrowser>[0], read: string): Promise<string | null> {
  return (await openBrowser(place).post(linkIn(read))).headers.get('location');
}

test.each(['', '--private', '--resolved'])('the receipt of a declaration opens the page (%s)', async flags => {
  const { place, alice, general, last, press, type } = await openIncident({ settings });
  await type(`/incident declare Mail is late ${flags} --now`, alice, general);
  const receipt = last(alice, general);
  expect(JSON.stringify(blocksOf(receipt))).toContain('Open page');
  await press(receipt, 'Open page');
  expect(await follow(place, place.lastRead(alice, general.id))).toBe('/a/grafana-irm-app/incidents/2/mail-is-late');
});

test('the card has one way to the page: the button of each person’s own', async () => {
  const { place, bob, card, press } = await openIncident({ settings });
  const shown = JSON.stringify(blocksOf(card()));
  expect(shown).toContain('Open page');
  expect(shown).not.toContain('Overview');
  expect(await follow(place, await press(card(), 'Open page', bob))).toBe(own);
});

test.each(['open', 'off'])('with PAGES=%s neither card nor receipt asks for a link', async pages => {
  const { alice, general, card, last } = await openIncident({ settings: { PAGES: pages } });
  expect(JSON.stringify(blocksOf(card()))).not.toContain('Open page');
  expect(JSON.stringify(blocksOf(last(alice, general)))).not.toContain('Open page');
});

test('the home tab opens the list for the person who looks at it', async () => {
  const { place, slack, carol, act } = await openIncident({ settings });
  await act(() => carol.openHome());
  expect(carol.home && renderView(slack, carol.home)).toContain('[Open the pages]');
  await act(() => carol.press('home', 'Open the pages'));
  expect(await follow(place, place.lastRead(carol, slack.openDm(carol).id))).toBe('/incidents');
});

test('a link for reading says that nobody was paged, and offers to page people', async () => {
  const PAGERS = 'sre=webhook:https://pager.example.com|a-secret-of-sixteen-characters';
  const { alice, home, last, press, type } = await openIncident({ settings: { ...settings, PAGERS } });
  const read = await type('/muster page', alice, home);
  expect(read).toContain('Nobody was paged.');
  expect(linkIn(read)).toContain('/door/');
  expect(await press(last(alice, home), 'Page somebody')).toContain('[Page sre]');
  for (const line of ['/muster web', '/muster Web.']) {
    const address = await type(line, alice, home);
    expect(linkIn(address), line).toContain('/door/');
    expect(address, line).not.toMatch(/paged|Page /);
  }
  expect(await type('/muster web is down', alice, home)).toContain('[Add it as a note: web is down]');
});
