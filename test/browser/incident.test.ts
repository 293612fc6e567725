import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { openPlayground, type PlaygroundInBrowser } from '../support/playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the playground in a browser`);
}

/** Whole incidents in the playground. Each test says what people see, and what the service has stored. */
describe.skipIf(hasNoBrowser)('an incident in the playground', () => {
  const stack = new AsyncDisposableStack();
  let playground: PlaygroundInBrowser;

  beforeAll(async () => {
    playground = stack.use(await openPlayground());
  });

  afterAll(() => stack.disposeAsync());

  const type = async (page: Page, line: string): Promise<void> => {
    const composer = page.getByRole('textbox', { name: /^Message to / });
    await composer.fill(line);
    await composer.press('Enter');
  };
  const channel = (page: Page, name: string | RegExp) =>
    page.getByRole('navigation', { name: 'Channels' }).getByRole('button', { name });
  const messages = (page: Page) => page.getByRole('main', { name: 'Messages' });
  const chooseForMessage = async (page: Page, words: string, entry: string): Promise<void> => {
    const message = page.getByRole('article', { name: words });
    await message.hover();
    await message.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  const switchFault = async (page: Page, name: string): Promise<void> => {
    const wire = page.getByRole('complementary', { name: 'Wire' });
    await wire.getByRole('tab', { name: 'Break things' }).click();
    await wire.getByRole('switch', { name }).click();
  };
  /** Declares an incident by command, and opens its channel. Resolves to its number. */
  const declare = async (page: Page, title: string): Promise<string> => {
    await type(page, `/incident declare ${title}`);
    const room = channel(page, new RegExp(`inc-\\d+-${title.toLowerCase().replaceAll(' ', '-')}`));
    await room.click();
    await messages(page).getByText(title).first().waitFor();
    const name = (await room.textContent()) ?? '';
    return /inc-(\d+)-/.exec(name)?.[1] ?? '';
  };

  test('a form says what is missing, keeps what was typed, and declares', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await type(page, '/incident declare');
    const form = page.getByRole('dialog', { name: /Declare/ });
    await form.getByRole('button', { name: /Declare/ }).click();
    await form.getByText('Please complete this required field.').first().waitFor();
    await form.getByRole('textbox', { name: 'Title' }).fill('Checkout answers 500');
    await form.getByRole('button', { name: /Declare/ }).click();
    await channel(page, /inc-\d+-checkout-answers-500/).click();
    await messages(page).getByText('Checkout answers 500').first().waitFor();
    const { incidentPreviews } = await playground.search('Checkout answers 500');
    expect(incidentPreviews).toMatchObject([{ title: 'Checkout answers 500', status: 'active' }]);
  });

  test('a reply goes to the timeline by the menu, and another one by an emoji', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    const incidentID = await declare(page, 'Cart is slow');
    await type(page, 'Anybody looking?');
    await chooseForMessage(page, 'Anybody looking?', 'Reply in thread');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    const reply = thread.getByRole('textbox');
    await reply.fill('The cache is cold');
    await reply.press('Enter');
    await chooseForMessage(page, 'The cache is cold', 'Add to timeline');
    await reply.fill('It warms up');
    await reply.press('Enter');
    const second = page.getByRole('article', { name: 'It warms up' });
    await second.hover();
    await second.getByRole('button', { name: 'Add reaction' }).click();
    await page.getByRole('button', { name: 'memo', exact: true }).click();
    await expect
      .poll(() => playground.notes(incidentID))
      .toEqual([expect.stringContaining('The cache is cold'), expect.stringContaining('It warms up')]);
    await second.getByRole('button', { name: /white_check_mark/ }).waitFor();
  });

  test('a role, a task that is finished by its button, an undo, and the end', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    const incidentID = await declare(page, 'Mail is late');
    const incident = () => playground.incident(incidentID);
    await type(page, '/role assign @bob investigator');
    await expect
      .poll(async () => (await incident()).incidentMembership.assignments.map(each => `${each.user.name} ${each.role.name}`))
      .toContain('bob investigator');
    await type(page, '/task add Restart the queue');
    await messages(page).getByRole('button', { name: 'Done' }).last().click();
    await expect.poll(async () => (await incident()).taskList.doneCount).toBe(1);
    await type(page, '/incident severity critical');
    await expect.poll(async () => (await incident()).severity).toMatch(/critical/i);
    await messages(page).getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(async () => (await incident()).severity).not.toMatch(/critical/i);
    await type(page, '/incident resolve');
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: /Resolve/ }).click();
    await expect.poll(async () => (await incident()).status).toBe('resolved');
    await messages(page).getByText(/Resolved/).first().waitFor();
  });

  test('a dashboard becomes a short link that opens', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    const incidentID = await declare(page, 'Errors on the graph');
    const path = await playground.saveDashboard('Checkout errors');
    await type(page, `/dash link ${playground.pagesUrl}${path}`);
    const send = messages(page).getByRole('button', { name: /As pasted|Around the incident|Post/ }).first();
    await send.click();
    const link = messages(page).getByRole('link', { name: /goto|Checkout errors/ }).last();
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.getByText('Checkout errors').first().waitFor();
    await expect.poll(() => playground.timeline(incidentID)).toContain('Checkout errors');
  });

  test('with the API down one declares and goes on; all of it arrives when it is back', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await switchFault(page, 'API down');
    await type(page, '/incident declare Login is broken');
    await channel(page, /login-is-broken/).click();
    await type(page, '/task add Look at the sessions');
    await type(page, '/note It began at noon');
    await type(page, '/role assign me commander');
    const wire = page.getByRole('complementary', { name: 'Wire' });
    await wire.getByRole('tab', { name: 'Journal' }).click();
    await wire.getByText('pending').first().waitFor();
    await switchFault(page, 'API down');
    await expect.poll(() => playground.search('Login is broken').then(found => found.incidentPreviews.length)).toBe(1);
    const incidentID = (await playground.search('Login is broken')).incidentPreviews[0]?.incidentID ?? '';
    await expect.poll(async () => (await playground.incident(incidentID)).taskList.tasks.map(each => each.text)).toEqual(['Look at the sessions']);
    await expect.poll(() => playground.notes(incidentID)).toEqual([expect.stringContaining('It began at noon')]);
  });

  test('a bot that is killed in the middle of a declaration goes on with it', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await switchFault(page, 'API slow');
    await type(page, '/incident declare Search finds nothing');
    const wire = page.getByRole('complementary', { name: 'Wire' });
    await wire.getByRole('tab', { name: 'Journal' }).click();
    await wire.getByText('running').first().waitFor();
    await switchFault(page, 'Bot killed');
    await wire.getByText('The bot is stopped.').waitFor();
    await switchFault(page, 'API slow');
    await switchFault(page, 'Bot killed');
    await wire.getByText('The bot is running.').waitFor();
    await channel(page, /search-finds-nothing/).click({ timeout: 60_000 });
    expect((await playground.search('Search finds nothing')).incidentPreviews).toHaveLength(1);
  });

  test('a guest and somebody of another company see only the channels that they are in', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    await declare(alice.page, 'Prices are wrong');
    for (const person of [playground.guest, playground.outsider]) {
      await using page = await playground.openPage(person);
      const list = page.page.getByRole('navigation', { name: 'Channels' });
      await list.getByRole('button').first().waitFor();
      expect(await list.getByRole('button', { name: /prices-are-wrong/ }).count()).toBe(0);
      expect(await list.getByRole('button', { name: 'security' }).count()).toBe(0);
    }
  });
});
