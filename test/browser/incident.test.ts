import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { type BrowserPlayground, openBrowserPlayground } from '../support/browser-playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the playground in a browser`);
}

/** Whole incidents in the playground. Each test says what people see, and what the service has stored. */
describe.skipIf(hasNoBrowser)('an incident in the playground', () => {
  const stack = new AsyncDisposableStack();
  let playground: BrowserPlayground;

  beforeAll(async () => {
    playground = stack.use(await openBrowserPlayground());
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
  /** Declares an incident by command, and opens its channel. */
  const declare = async (page: Page, title: string): Promise<void> => {
    await type(page, `/muster declare ${title}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Declare' }).click();
    const room = channel(page, new RegExp(`inc-\\d+-${title.toLowerCase().replaceAll(' ', '-')}`));
    await room.click();
    await messages(page).getByText(title).first().waitFor();
  };

  test('a form says what is missing, then declares', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await type(page, '/muster declare');
    const form = page.getByRole('dialog', { name: /Declare/ });
    await form.getByRole('button', { name: /Declare/ }).click();
    await form.getByText('Please complete this required field.').first().waitFor();
    await form.getByRole('textbox', { name: 'What is happening?' }).fill('Checkout answers 500');
    await form.getByRole('button', { name: /Declare/ }).click();
    await channel(page, /inc-\d+-checkout-answers-500/).click();
    await messages(page).getByText('Checkout answers 500').first().waitFor();
    const { incidentPreviews } = await playground.operator.IncidentsService.QueryIncidentPreviews({ query: {} });
    expect(incidentPreviews.filter(each => each.title === 'Checkout answers 500')).toMatchObject([
      { status: 'active' },
    ]);
  });

  test('a guest and somebody of another company see only the channels that they are in', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    await declare(alice.page, 'Prices are wrong');
    for (const person of ['gina', 'petra']) {
      await using page = await playground.openPage(person);
      const list = page.page.getByRole('navigation', { name: 'Channels' });
      await list.getByRole('button').first().waitFor();
      expect(await list.getByRole('button', { name: /prices-are-wrong/ }).count()).toBe(0);
      expect(await list.getByRole('button', { name: 'security' }).count()).toBe(0);
    }
  });
});
