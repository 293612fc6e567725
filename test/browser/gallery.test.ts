import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findWithAxe } from '../support/axe.ts';
import { chromiumPath, hasNoBrowser, openBrowser } from '../support/browser.ts';
import { openPlayground } from '../support/playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the blocks in a browser`);
}

describe.skipIf(hasNoBrowser)('the gallery of blocks', () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
    stack.defer(() => browser.close());
  });

  afterAll(() => stack.disposeAsync());

  /** Opens the gallery, looks, and fails when the browser complained of anything. */
  async function look(how: BrowserContextOptions, see: (page: Page) => Promise<void>): Promise<void> {
    const { server } = await openPlayground();
    const context = await browser.newContext(how);
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const complaints: string[] = [];
      page.on('console', message => complaints.push(message.text()));
      page.on('pageerror', error => complaints.push(String(error)));
      page.on('requestfailed', request => complaints.push(`failed: ${request.url()}`));
      page.on('response', response => {
        if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
      });
      await page.goto(`${server.url}/gallery`);
      await page.getByRole('heading', { name: 'Blocks and elements' }).waitFor();
      await see(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  }

  const sample = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
  const acts = async (page: Page): Promise<unknown[]> =>
    (await sample(page, 'Acts').locator('code').allTextContents()).map(text => JSON.parse(text));
  const lastAct = (page: Page) => async () => (await acts(page)).at(-1);

  test.each([
    ['light', 1280],
    ['light', 360],
    ['dark', 1280],
    ['dark', 360],
  ] as const)(
    'axe finds nothing in %s at %d pixels, and nothing is wider than the page',
    async (colorScheme, width) => {
      await look({ colorScheme, viewport: { width, height: 900 } }, async page => {
        await page.getByRole('button', { name: 'See more' }).click();
        await page.getByRole('combobox', { name: 'Service', exact: true }).first().click();
        await page.getByText('A block of type hologram').click();
        const violations = await findWithAxe(page);
        expect(violations).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      });
    },
  );

  test('no address runs anything, and what it says stays text', async () => {
    await look({}, async page => {
      expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
      expect(await sample(page, 'Header, section, context, divider').textContent()).toContain('javascript:alert(1)');
    });
  });

  test('times stand in the reader’s zone, mentions by name, and an alarm is seen', async () => {
    await look({}, async page => {
      const text = await sample(page, 'Header, section, context, divider').textContent();
      expect(text).toMatch(/at 10:30 AM/);
      expect(text).toContain('its fallback');
      expect(text).toContain('@oncall in #general');
      expect(text).toContain(':no_such_emoji: <escaped> & done');
      expect(await page.locator('.alarm').allTextContents()).toEqual(['@here', '@channel']);
    });
  });

  test('a button asks first where it should, and tells of its press', async () => {
    await look({}, async page => {
      const buttons = sample(page, 'Buttons in rows that wrap');
      await buttons.getByRole('button', { name: 'Resolve' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resolve the incident?' });
      await dialog.getByRole('button', { name: 'Keep it' }).click();
      await expect.poll(() => dialog.count()).toBe(0);
      expect(await acts(page)).toEqual([]);
      await buttons.getByRole('button', { name: 'Resolve' }).click();
      await dialog.getByRole('button', { name: 'Resolve' }).click();
      await expect.poll(lastAct(page)).toEqual({
        do: 'use',
        place: { message: { channel: 'C1', ts: expect.any(String) } },
        blockId: 'buttons',
        actionId: 'Resolve',
        value: { value: 'incident-1' },
      });
    });
  });

  test('an overflow menu opens, moves and chooses by keyboard', async () => {
    await look({}, async page => {
      const opener = page.getByRole('button', { name: 'More options' });
      await opener.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate('document.activeElement.textContent.trim()')).toBe('Rename');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(lastAct(page)).toMatchObject({
        actionId: 'more',
        value: { type: 'overflow', selected_option: { value: 'archive' } },
      });
      expect(await page.getByRole('menu').count()).toBe(0);
      await opener.click();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('menu').count()).toBe(0);
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('More options');
    });
  });

  test('an overflow menu that is closed in the instant it opens gives the focus back', async () => {
    await look({}, async page => {
      const opener = page.getByRole('button', { name: 'More options' });
      await opener.focus();
      await page.evaluate(`new Promise(resolve => {
        const opener = document.activeElement;
        new MutationObserver((_, observer) => {
          observer.disconnect();
          opener.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
          resolve();
        }).observe(opener, { attributeFilter: ['aria-expanded'] });
        opener.click();
      })`);
      await expect.poll(() => page.getByRole('menu').count()).toBe(0);
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('More options');
    });
  });

  test('a menu in a message filters as one types, and tells of the choice', async () => {
    await look({}, async page => {
      const menu = sample(page, 'Menus and pickers').getByRole('combobox', { name: 'Severity' });
      await menu.click();
      await menu.pressSequentially('some');
      await expect.poll(() => page.getByRole('option').allTextContents()).toEqual([expect.stringContaining('Major')]);
      await menu.press('Enter');
      await expect.poll(lastAct(page)).toMatchObject({
        blockId: 'menus',
        actionId: 'severity',
        value: { type: 'static_select', selected_option: { value: 'major' } },
      });
      expect(await menu.inputValue()).toBe('Major');
    });
  });

  test('a data table filters, sorts by size and pages', async () => {
    await look({}, async page => {
      const table = sample(page, 'Data table');
      const rows = (...names: string[]) =>
        expect.poll(() => table.getByRole('rowheader').allTextContents()).toEqual(names);
      await rows('Checkout answers 500', 'Search is slow', 'Mail is late');
      await table.getByRole('button', { name: 'Next' }).click();
      await rows('Login fails for guests');
      await table.getByRole('button', { name: 'Minutes' }).click();
      await rows('Mail is late', 'Checkout answers 500', 'Login fails for guests');
      await table.getByRole('searchbox', { name: 'Filter Open incidents' }).fill('minor');
      await rows('Mail is late', 'Search is slow');
    });
  });

  test('a container folds, and a chart has its figures as a table', async () => {
    await look({}, async page => {
      const hidden = page.getByText('Nobody sees this at first.');
      expect(await hidden.isVisible()).toBe(false);
      await sample(page, 'Container').getByRole('button', { name: 'Timeline' }).click();
      await expect.poll(() => hidden.isVisible()).toBe(true);
      const figures = sample(page, 'Bars').getByRole('table', { name: 'Incidents a week, as bars' });
      expect(await figures.getByRole('row').nth(1).allTextContents()).toEqual(['4025']);
    });
  });

  test('a modal keeps what is typed, refuses what is wrong, and sends Slack’s state', async () => {
    await look({}, async page => {
      const form = sample(page, 'Inputs');
      const field = (label: string) => form.getByLabel(label);
      const describedBy = await field('Mail').getAttribute('aria-describedby');
      expect(await page.locator(`[id="${describedBy}"]`).textContent()).toContain('Nobody has this address');
      await field('Summary').fill('Cards *fail*');
      await field('Mail').fill('nobody');
      await form.getByRole('button', { name: 'Send' }).click();
      await expect
        .poll(() => form.locator('.error:not(:empty)').allTextContents())
        .toEqual([
          'Please complete this required field.',
          'Please complete this required field.',
          'Please enter a valid email address.',
        ]);
      await expect.poll(() => page.evaluate('document.activeElement.labels[0].textContent')).toBe('Title');
      expect(await acts(page)).toEqual([]);

      await field('Title').fill('t'.repeat(70));
      await expect.poll(() => form.getByText('10 too many').isVisible()).toBe(true);
      await field('Title').fill('Checkout is down');
      await field('Mail').fill('ana@example.com');
      await field('Runbook').click();
      await field('Runbook').pressSequentially('fail');
      // The app’s answer takes the place of the list.
      await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Fail over']);
      await page.getByRole('option', { name: 'Fail over' }).click();
      await field('Labels').click();
      await page.getByRole('option', { name: 'Critical' }).click();
      await page.getByRole('option', { name: 'Minor' }).click();
      await page.keyboard.press('Escape');
      await form.getByRole('button', { name: 'Remove Ana Ruiz' }).click();
      await field('Sales').check();
      await field('Drill').check();
      await field('Started at').fill('08:15');
      await field('Moment').fill('2026-11-23T11:00');
      await field('Notes').fill('Ask *Ben*');
      await form.getByRole('button', { name: 'Send' }).click();
      await expect.poll(lastAct(page)).toMatchObject({ do: 'submit', view: 'V1' });
      const { values } = (await acts(page)).at(-1) as { values: Record<string, { value: object }> };
      expect(Object.fromEntries(Object.entries(values).map(([label, each]) => [label, each.value]))).toMatchObject({
        Title: { type: 'plain_text_input', value: 'Checkout is down' },
        Summary: { type: 'plain_text_input', value: 'Cards *fail*' },
        Severity: { type: 'static_select', selected_option: { value: 'critical' } },
        Service: { type: 'static_select', selected_option: null },
        Labels: { selected_options: [{ value: 'critical' }, { value: 'minor' }] },
        Runbook: { type: 'external_select', selected_option: { value: 'Fail over' } },
        Commander: { type: 'users_select', selected_user: null },
        Responders: { type: 'multi_users_select', selected_users: ['U2'] },
        'Started on': { type: 'datepicker', selected_date: '2026-11-23' },
        'Started at': { type: 'timepicker', selected_time: '08:15' },
        Moment: { type: 'datetimepicker', selected_date_time: Date.UTC(2026, 10, 23, 10) / 1000 },
        Tell: { type: 'checkboxes', selected_options: [{ value: 'sales' }] },
        Kind: { type: 'radio_buttons', selected_option: { value: 'drill' } },
        Mail: { type: 'email_text_input', value: 'ana@example.com' },
        Customers: { type: 'number_input', value: null },
        Notes: {
          type: 'rich_text_input',
          rich_text_value: {
            type: 'rich_text',
            elements: [{ elements: [{ text: 'Ask ' }, { text: 'Ben', style: { bold: true } }] }],
          },
        },
      });
    });
  });

  test('Enter in a field that the app hears tells it, and sends no form', async () => {
    await look({}, async page => {
      const form = sample(page, 'Inputs');
      await form.getByLabel('Search').fill('card');
      expect(await acts(page)).toEqual([]);
      await form.getByLabel('Search').press('Enter');
      await expect.poll(lastAct(page)).toEqual({
        do: 'use',
        place: { view: 'V1' },
        blockId: 'Search',
        actionId: 'value',
        value: { type: 'plain_text_input', value: 'card' },
      });
      expect(await form.getByText('Please complete this required field.').count()).toBe(0);
      await form.getByLabel('Title').press('Enter');
      await expect.poll(() => form.getByText('Please complete this required field.').count()).toBe(2);
    });
  });
});
