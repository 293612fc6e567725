import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';
import { isLong } from '../support/length.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the playground in a browser`);
}

/** Whole incidents in the playground. Each test says what people see, and what the service has stored. */
describe.skipIf(hasNoBrowser)('an incident in the playground', () => {
  const playground = usePlayground();

  const search = async (title: string) => {
    const query = { limit: 10, orderDirection: 'DESC', queryString: `title:"${title}"` } as const;
    const { incidentPreviews } = await playground.operator.IncidentsService.QueryIncidentPreviews({ query });
    return incidentPreviews.filter(each => each.title === title);
  };
  const incident = async (incidentID: string) =>
    (await playground.operator.IncidentsService.GetIncident({ incidentID })).incident;
  const notes = async (incidentID: string) => {
    const query = {
      incidentID,
      limit: 100,
      tag: '',
      orderDirection: 'ASC' as const,
      activityKind: ['userNote' as const],
    };
    return (await playground.operator.ActivityService.QueryActivity({ query })).activityItems.map(each => each.body);
  };

  const type = async (page: Page, line: string): Promise<void> => {
    const composer = page.getByRole('textbox', { name: /^Message to / });
    await composer.fill(line);
    await composer.press('Enter');
  };
  const channel = (page: Page, name: string | RegExp) =>
    page.getByRole('navigation', { name: 'Channels' }).getByRole('button', { name });
  /** One that the person is in already. It moves in the list when they join it, and a click on what moves may be lost. */
  const ownChannel = (page: Page, name: string | RegExp) =>
    page
      .getByRole('navigation', { name: 'Channels' })
      .getByRole('list', { name: 'Channels', exact: true })
      .getByRole('button', { name });
  const messages = (page: Page) => page.getByRole('main', { name: 'Messages' });
  const wire = (page: Page) => page.getByRole('complementary', { name: 'Wire' });
  const declaring = (page: Page) => page.getByRole('dialog', { name: 'Declare an incident' });
  const chooseForMessage = async (page: Page, words: string, entry: string): Promise<void> => {
    const message = page.getByRole('article', { name: words }).last();
    await message.hover();
    await message.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };
  const switchFault = async (page: Page, name: string, isOn: boolean): Promise<void> => {
    await wire(page).getByRole('tab', { name: 'Break things' }).click();
    await wire(page).getByRole('switch', { name }).click();
    await wire(page).getByRole('switch', { name, checked: isOn }).waitFor();
  };
  const openOwn = async (page: Page, name: string, options = {}): Promise<void> => {
    await ownChannel(page, new RegExp(name)).click(options);
    await page.getByRole('heading', { level: 1, name: new RegExp(name) }).waitFor();
  };
  /** Declares an incident by its form, and opens its channel. */
  const declare = async (page: Page, title: string): Promise<void> => {
    await type(page, `/muster declare ${title}`);
    await declaring(page).getByRole('button', { name: 'Declare' }).click();
    await openOwn(page, title.toLowerCase().replaceAll(' ', '-'));
    await messages(page).getByText(title).first().waitFor();
  };
  /** Declares an incident while the API answers. Resolves to the incident's id. */
  const declareRegistered = async (page: Page, title: string): Promise<string> => {
    await declare(page, title);
    return (await search(title))[0]?.incidentID ?? '';
  };

  test('a form says what is missing, keeps what was typed, and declares', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await type(page, '/muster declare');
    await declaring(page).getByRole('button', { name: 'More options' }).click();
    await declaring(page)
      .getByLabel(/Labels/)
      .fill('shop');
    await declaring(page).getByRole('button', { name: 'Declare' }).click();
    await declaring(page)
      .getByText(/required/)
      .first()
      .waitFor();
    expect(
      await declaring(page)
        .getByLabel(/Labels/)
        .inputValue(),
    ).toBe('shop');
    await declaring(page).getByRole('textbox', { name: 'Title' }).fill('Checkout answers 500');
    await declaring(page).getByRole('button', { name: 'Declare' }).click();
    await openOwn(page, 'checkout-answers-500');
    await messages(page).getByText('Checkout answers 500').first().waitFor();
    expect(await search('Checkout answers 500')).toMatchObject([{ status: 'active' }]);
  });

  test('a reply goes to the timeline by the menu, and another one by an emoji', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    const incidentID = await declareRegistered(page, 'Cart is slow');
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
      .poll(() => notes(incidentID))
      .toEqual([expect.stringContaining('The cache is cold'), expect.stringContaining('It warms up')]);
    // Muster marks what it noted with the same emoji.
    await second.getByRole('button', { name: /memo 2/ }).waitFor();
  });

  test('an incident is declared by the keyboard alone, and its severity is changed and put back', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    const { keyboard } = page;
    const focused = () =>
      page.evaluate<string>('document.activeElement?.ariaLabel ?? document.activeElement?.textContent.trim() ?? ""');
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let presses = 0; presses < 200 && !name.test(await focused()); presses += 1) await keyboard.press('Tab');
      expect(await focused()).toMatch(name);
    };
    const send = async (line: string): Promise<void> => {
      await keyboard.type(line);
      await keyboard.press('Enter');
    };
    await expect.poll(focused).toBe('Message to #checkout');
    // The link that skips the lists is before everything else.
    for (let presses = 0; presses < 200 && (await focused()) !== 'Skip to the messages'; presses += 1)
      await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    await tabTo(/^Message to #checkout$/);
    await send('/muster declare');
    await declaring(page).waitFor();
    await keyboard.type('Keys alone');
    await tabTo(/^Declare$/);
    await keyboard.press('Enter');
    await ownChannel(page, /keys-alone/).waitFor();
    const heading = page.getByRole('heading', { name: /^#inc-.*keys-alone/ });
    for (let steps = 0; steps < 40 && (await heading.count()) === 0; steps += 1) await keyboard.press('Alt+ArrowDown');
    await tabTo(/^Message to #inc-.*keys-alone/);
    const severity = async () => (await incident((await search('Keys alone'))[0]?.incidentID ?? '')).severity;
    const before = await severity();
    await send('/muster severity critical');
    await expect.poll(severity).toBe('critical');
    // The line that everybody reads may stand below the receipt already.
    const receipt = page.getByRole('article', { name: /critical/i }).filter({ hasText: 'Only visible to you' });
    await receipt.last().getByRole('button', { name: 'Undo' }).focus();
    await keyboard.press('Enter');
    await expect.poll(severity).toBe(before);
  });

  test('a role, a task that is finished by its button, an undo, and the end', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    const incidentID = await declareRegistered(page, 'Mail is late');
    const now = () => incident(incidentID);
    const roles = async () =>
      (await now()).incidentMembership.assignments.map(each => `${each.user.name} ${each.role.name}`);
    await type(page, '/role assign @bob investigator');
    await expect.poll(roles).toContainEqual(expect.stringMatching(/^bob.* investigator$/i));
    // The line that everybody reads may stand below the receipt already.
    const receipt = page.getByRole('article', { name: /investigator/ }).filter({ hasText: 'Only visible to you' });
    await receipt.last().getByRole('button', { name: 'Undo' }).click();
    await expect.poll(roles).not.toContainEqual(expect.stringMatching(/investigator$/));
    await type(page, '/task add Restart the queue');
    await messages(page).getByRole('button', { name: 'Done' }).last().click();
    await expect.poll(async () => (await now()).taskList.doneCount).toBe(1);
    await type(page, '/muster resolve');
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: /Resolve/ }).click();
    await expect.poll(async () => (await now()).status).toBe('resolved');
    await messages(page)
      .getByText(/Resolved/)
      .first()
      .waitFor();
  });

  test('a dashboard becomes a short link that opens', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    const incidentID = await declareRegistered(page, 'Errors on the graph');
    const dashboard = { uid: 'checkout', title: 'Checkout errors', panels: [] };
    const { url } = await playground.operator.Dashboards.save({ dashboard });
    await type(page, `/dash link ${playground.pagesUrl}${url}`);
    await messages(page).getByRole('button', { name: 'Last hour' }).click();
    const link = messages(page).getByRole('link').filter({ hasText: 'Checkout errors' }).last();
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.getByText('Checkout errors').first().waitFor();
    await expect.poll(() => notes(incidentID)).toEqual([expect.stringContaining('/goto/')]);
  });

  // `.ci/run` has both without a browser, in test/soak/playground/system.test.ts.
  if (isLong) {
    test('with the API down one declares and goes on; all of it arrives when it is back', async () => {
      await using alice = await playground.openPage('alice', 'checkout');
      const { page } = alice;
      await switchFault(page, 'API down', true);
      await declare(page, 'Login is broken');
      await messages(page).getByText('Not registered yet').first().waitFor();
      await type(page, '/task add Look at the sessions');
      await type(page, '/note It began at noon');
      await type(page, '/role assign me commander');
      await wire(page).getByRole('tab', { name: 'Journal' }).click();
      await wire(page).getByText('pending').nth(3).waitFor();
      await switchFault(page, 'API down', false);
      await expect.poll(() => search('Login is broken')).toHaveLength(1);
      const incidentID = (await search('Login is broken'))[0]?.incidentID ?? '';
      const work = async () => {
        const { taskList, incidentMembership } = await incident(incidentID);
        const roles = incidentMembership.assignments.map(each => `is ${each.role.name}`);
        return [...taskList.tasks.map(each => each.text), ...roles, ...(await notes(incidentID))];
      };
      const all = ['Look at the sessions', 'is commander', expect.stringContaining('It began at noon')];
      await expect.poll(work).toEqual(all);
      await messages(page).getByText('Active').first().waitFor();
    });

    test('a bot that is killed in the middle of a declaration goes on with it', async () => {
      // The service gives up on what it told the bot meanwhile, as webhooks do.
      const expects = /webhooks: delivery failed for good/;
      await using alice = await playground.openPage('alice', 'checkout', { expects });
      const { page } = alice;
      await switchFault(page, 'API slow', true);
      await type(page, '/muster declare Search finds nothing');
      await declaring(page).getByRole('button', { name: 'Declare' }).click();
      await declaring(page).waitFor({ state: 'detached' });
      await switchFault(page, 'Bot killed', true);
      await wire(page).getByText('The bot is stopped.').waitFor();
      await switchFault(page, 'API slow', false);
      await switchFault(page, 'Bot killed', false);
      await wire(page).getByText('The bot is running.').waitFor();
      await openOwn(page, 'search-finds-nothing');
      await expect.poll(() => search('Search finds nothing')).toHaveLength(1);
    });
  }

  test('a guest and somebody of another company see their own channels alone', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const incidentID = await declareRegistered(alice.page, 'Prices are wrong');
    await type(alice.page, '/note add Only we know of the price list');
    await expect.poll(() => notes(incidentID)).toHaveLength(1);
    const stored = async () => ({ ...(await incident(incidentID)), durationSeconds: 0 });
    const before = await stored();

    await using gina = await playground.openPage('gina', 'checkout');
    const reads = (page: Page, words: string | RegExp) => messages(page).getByText(words).first().waitFor();
    await channel(gina.page, 'checkout').waitFor();
    expect(await channel(gina.page, /prices-are-wrong|security|database/).count()).toBe(0);
    await type(gina.page, `/incident status --incident ${incidentID}`);
    await reads(gina.page, `There is no incident ${incidentID} that you can see`);
    await type(gina.page, `/incident severity critical --incident ${incidentID}`);
    await reads(gina.page, /guests cannot change incidents/);
    await type(gina.page, '/incident declare The guest has a say --now');
    await reads(gina.page, 'You typed: /incident declare The guest has a say --now');

    await using petra = await playground.openPage('petra', 'acme-and-partner');
    await channel(petra.page, 'acme-and-partner').waitFor();
    expect(await channel(petra.page, /prices-are-wrong|security|database|checkout/).count()).toBe(0);
    await type(petra.page, '/incident list');
    await reads(petra.page, '/incident is not a valid command.');
    await type(petra.page, '@muster declare The partner has a say --now');
    await reads(
      petra.page,
      'You are from another workspace or organisation, so you cannot see or change the incidents of this one.',
    );

    for (const { page } of [gina, petra]) expect(await page.getByText('price list').count()).toBe(0);
    expect(await stored()).toEqual(before);
    expect(await search('The guest has a say')).toEqual([]);
    expect(await search('The partner has a say')).toEqual([]);
  });
});
