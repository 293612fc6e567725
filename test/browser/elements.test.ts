import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findWithAxe } from '../support/axe.ts';
import { chromiumPath, hasNoBrowser, openBrowser } from '../support/browser.ts';
import { openPersonPage } from '../support/person-page.ts';
import { openPlayground } from '../support/playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the elements in a browser`);
}

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const option = (text: string, value: string) => ({ text: plain(text), value });
const group = (label: string, ...options: object[]) => ({ label: plain(label), options });
const cell = (text: string) => ({ type: 'raw_text', text });
const row = (name: string, severity: string, minutes: number) => [
  cell(name),
  cell(severity),
  { type: 'raw_number', value: minutes, text: `${minutes} min` },
];

const words = {
  type: 'section',
  text: mrkdwn(
    'Begun <!date^1795168800^at {time}|its fallback>. <!here> and <!channel>: :no_such_emoji: &lt;escaped&gt; &amp; done <javascript:alert(1)|press>',
  ),
};
const confirmed = {
  type: 'button',
  action_id: 'resolve',
  text: plain('Resolve'),
  value: 'incident-1',
  style: 'danger',
  confirm: {
    title: plain('Resolve the incident?'),
    text: mrkdwn('*Everybody* reads of it.'),
    confirm: plain('Resolve'),
    deny: plain('Keep it'),
  },
};
const menus = [
  {
    type: 'static_select',
    action_id: 'severity',
    placeholder: plain('Severity'),
    option_groups: [
      group('Grave', option('Critical', 'critical')),
      group('Less', { ...option('Major', 'major'), description: plain('Some customers') }, option('Minor', 'minor')),
    ],
  },
  { type: 'overflow', action_id: 'more', options: [option('Rename', 'rename'), option('Archive', 'archive')] },
];
const table = {
  type: 'data_table',
  caption: 'Open incidents',
  page_size: 3,
  rows: [
    [cell('Name'), cell('Severity'), cell('Minutes')],
    row('Checkout answers 500', 'Critical', 42),
    row('Search is slow', 'Minor', 210),
    row('Mail is late', 'Minor', 7),
    row('Login fails for guests', 'Major', 95),
  ],
};

const input = (label: string, element: object, more: object = {}) => ({
  type: 'input',
  block_id: label,
  label: plain(label),
  element: { action_id: 'value', ...element },
  ...more,
});
const form = {
  type: 'modal',
  title: plain('Every input'),
  submit: plain('Send'),
  blocks: [
    { type: 'alert', level: 'warning', text: mrkdwn('*Careful*') },
    input('Title', { type: 'plain_text_input', max_length: 60 }),
    input('Summary', { type: 'plain_text_input', multiline: true }, { optional: true, hint: plain('A few words') }),
    input('Severity', { ...menus[0], action_id: 'value' }),
    input('Commander', { type: 'users_select' }, { optional: true }),
    input(
      'Tell',
      { type: 'checkboxes', options: [option('Sales', 'sales'), option('Support', 'support')] },
      { optional: true },
    ),
    input('Moment', { type: 'datetimepicker' }, { optional: true }),
    input('Runbook', { type: 'url_text_input' }, { optional: true }),
  ],
};

describe.skipIf(hasNoBrowser)('the elements of messages and forms', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  /** Alice's page of a channel in which the app posts. */
  async function openChannel() {
    const playground = await openPlayground();
    const { slack, shop, server, callApi } = playground;
    const opened = await openPersonPage(browser, `${server.url}/?as=alice`);
    const actions = () =>
      slack.deliveries
        .filter(each => each.kind === 'interaction')
        .flatMap(({ payload }) => (payload.type === 'block_actions' ? [(payload.actions as object[])[0]] : []));
    return {
      ...playground,
      page: opened.page,
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      post: (...blocks: object[]) => callApi('chat.postMessage', { channel: shop.id, text: 'fallback', blocks }),
      actions,
      openForm: async () => {
        const composer = opened.page.getByRole('textbox', { name: /^Message to / });
        await composer.fill('/incident declare');
        await composer.press('Enter');
        const trigger = () => slack.deliveries.at(-1)?.payload.trigger_id;
        await expect.poll(trigger).toBeDefined();
        await callApi('views.open', { trigger_id: trigger(), view: form });
        const dialog = opened.page.getByRole('dialog', { name: 'Every input' });
        await dialog.waitFor();
        return dialog;
      },
    };
  }

  const focused = (page: Page, expression: string) => page.evaluate(`document.activeElement.${expression}`);

  test.each(['light', 'dark'] as const)('axe finds nothing in %s, in a message or in a form', async colorScheme => {
    await using world = await openChannel();
    const { page } = world;
    await page.emulateMedia({ colorScheme });
    await world.post(words, { type: 'actions', elements: [confirmed, ...menus] }, table);
    world.bob.say(world.shop, 'What monitoring says', {
      attachments: [{ color: 'danger', title: 'Errors', title_link: 'https://a.example', text: '*5xx* > 2%' }],
    });
    await page.getByRole('link', { name: 'Errors' }).waitFor();
    expect(await findWithAxe(page)).toEqual([]);
    await world.openForm();
    expect(await findWithAxe(page)).toEqual([]);
  });

  test('no address runs anything; times, mentions and alarms read as Slack shows them', async () => {
    await using world = await openChannel();
    const { page } = world;
    await world.post(words);
    const shown = page.locator('.section-text', { hasText: 'Begun' });
    await expect.poll(() => shown.textContent()).toContain(':no_such_emoji: <escaped> & done');
    expect(await shown.textContent()).toMatch(/at 10:00 AM/);
    expect(await shown.textContent()).toContain('javascript:alert(1)');
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.locator('.alarm').allTextContents()).toEqual(['@here', '@channel']);
  });

  test('a button asks first where it should, and tells of its press', async () => {
    await using world = await openChannel();
    const { page } = world;
    await world.post({ type: 'actions', block_id: 'buttons', elements: [confirmed] });
    await page.getByRole('button', { name: 'Resolve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve the incident?' });
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(world.actions()).toEqual([]);
    await page.getByRole('button', { name: 'Resolve' }).click();
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await expect
      .poll(world.actions)
      .toMatchObject([{ block_id: 'buttons', action_id: 'resolve', value: 'incident-1' }]);
  });

  test('an overflow menu opens, moves and chooses by keyboard', async () => {
    await using world = await openChannel();
    const { page } = world;
    await world.post({ type: 'actions', elements: menus });
    const opener = page.getByRole('button', { name: 'More options' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page, 'textContent.trim()')).toBe('Rename');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect
      .poll(world.actions)
      .toMatchObject([{ action_id: 'more', type: 'overflow', selected_option: { value: 'archive' } }]);
    expect(await page.getByRole('menu').count()).toBe(0);
    await opener.click();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    expect(await focused(page, 'getAttribute("aria-label")')).toBe('More options');
  });

  test('an overflow menu that is closed in the instant it opens gives the focus back', async () => {
    await using world = await openChannel();
    const { page } = world;
    await world.post({ type: 'actions', elements: menus });
    await page.getByRole('button', { name: 'More options' }).focus();
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
    expect(await focused(page, 'getAttribute("aria-label")')).toBe('More options');
  });

  test('a menu in a message filters as one types, and tells of the choice', async () => {
    await using world = await openChannel();
    const { page } = world;
    await world.post({ type: 'actions', block_id: 'menus', elements: menus });
    const menu = page.getByRole('combobox', { name: 'Severity' });
    await menu.click();
    expect(await page.getByRole('group', { name: 'Less' }).getByRole('option').count()).toBe(2);
    await menu.pressSequentially('some');
    await expect
      .poll(() => page.getByRole('listbox').getByRole('option').allTextContents())
      .toEqual([expect.stringContaining('Major')]);
    await menu.press('Enter');
    await expect
      .poll(world.actions)
      .toMatchObject([{ block_id: 'menus', action_id: 'severity', selected_option: { value: 'major' } }]);
    expect(await menu.inputValue()).toBe('Major');
  });

  test('a data table shows a page of its rows', async () => {
    await using world = await openChannel();
    const { page } = world;
    await world.post(table);
    const rows = (...names: string[]) =>
      expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(names);
    await rows('Checkout answers 500', 'Search is slow', 'Mail is late');
    await page.getByRole('button', { name: 'Next' }).click();
    await rows('Login fails for guests');
    await page.getByText('4–4 of 4').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await rows('Checkout answers 500', 'Search is slow', 'Mail is late');
  });

  test('a form keeps what is typed, refuses what is wrong, and sends Slack’s state', async () => {
    await using world = await openChannel();
    const { page } = world;
    const dialog = await world.openForm();
    const field = (label: string) => dialog.getByLabel(label, { exact: false });
    const submissions = () => world.slack.deliveries.filter(each => each.payload.type === 'view_submission');
    expect(await dialog.getByRole('note', { name: 'Warning' }).textContent()).toContain('Careful');
    await field('Summary').fill('Cards *fail*');
    await field('Runbook').fill('nowhere');
    await dialog.getByRole('button', { name: 'Send' }).click();
    const required = 'Please complete this required field.';
    await expect
      .poll(() => dialog.locator('.error:not(:empty)').allTextContents())
      .toEqual([required, required, 'Please enter a valid URL.']);
    await expect.poll(() => focused(page, 'labels[0].textContent')).toBe('Title');
    expect(submissions()).toEqual([]);

    await field('Title').fill('t'.repeat(70));
    await expect.poll(() => dialog.getByText('10 too many').isVisible()).toBe(true);
    await field('Title').fill('Checkout is down');
    await field('Severity').click();
    await page.getByRole('option', { name: 'Critical' }).click();
    await field('Commander').click();
    await dialog.getByRole('option', { name: 'Alice Adler' }).click();
    await dialog.getByRole('button', { name: 'Clear Alice Adler' }).click();
    await field('Sales').check();
    await field('Moment').fill('2026-11-23T11:00');
    await field('Runbook').fill('https://a.example/runbook');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => submissions().length).toBe(1);
    const view = submissions()[0]?.payload.view as { state: { values: Record<string, { value: unknown }> } };
    const state = Object.fromEntries(Object.entries(view.state.values).map(([label, each]) => [label, each.value]));
    expect(state).toEqual({
      Title: { type: 'plain_text_input', value: 'Checkout is down' },
      Summary: { type: 'plain_text_input', value: 'Cards *fail*' },
      Severity: { type: 'static_select', selected_option: option('Critical', 'critical') },
      Commander: { type: 'users_select', selected_user: null },
      Tell: { type: 'checkboxes', selected_options: [option('Sales', 'sales')] },
      Moment: { type: 'datetimepicker', selected_date_time: Date.UTC(2026, 10, 23, 11) / 1000 },
      Runbook: { type: 'url_text_input', value: 'https://a.example/runbook' },
    });
  });
});
