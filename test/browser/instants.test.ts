import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser, openBrowser } from '../support/browser.ts';
import { openPersonPage } from '../support/person-page.ts';
import { openPlayground } from '../support/playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see quick people in a browser`);
}

/** People who are quicker than the page: they act in the instant in which it changes, before it is painted. */
describe.skipIf(hasNoBrowser)('quick people', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  const openWorkspace = async () => {
    const playground = await openPlayground();
    const visit = (as: string) => openPersonPage(browser, `${playground.server.url}/?as=${as}`);
    /** Opens a form in a person's page, as the answer to their command. */
    const openForm = async (page: Page, view: object) => {
      const trigger = () => playground.slack.deliveries.at(-1)?.payload.trigger_id;
      const before = trigger();
      await composer(page).fill('/incident declare');
      await composer(page).press('Enter');
      await expect.poll(trigger).not.toBe(before);
      await playground.callApi('views.open', { trigger_id: trigger(), view });
    };
    return { ...playground, visit, openForm };
  };
  const field = (label: string, more: object = {}) => ({
    type: 'input',
    label: { type: 'plain_text', text: label },
    element: { type: 'plain_text_input', action_id: 'value' },
    ...more,
  });
  const fields = [field('Title'), field('Notes', { optional: true })];
  const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to / });
  const form = (page: Page, name: string) => page.getByRole('dialog', { name });
  const modal = (title: string, more: object = {}) => ({
    type: 'modal',
    title: { type: 'plain_text', text: title },
    submit: { type: 'plain_text', text: 'Send' },
    blocks: [{ type: 'section', text: { type: 'plain_text', text: `This is ${title}.` } }],
    ...more,
  });
  /** Runs an expression in the page, in the instant in which a selector fits something for the first time. */
  const inTheInstant = (selector: string, expression: string) => `new MutationObserver((_, observer) => {
    const found = document.querySelector(${JSON.stringify(selector)});
    if (found === null) return;
    observer.disconnect();
    ${expression};
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })`;
  /** Resolves when everything that the page put off until after the paint is done. */
  const painted = (page: Page) =>
    page.evaluate(
      'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))',
    );

  test('a form that is sent in the instant it shows says what is missing', async () => {
    const { openForm, visit } = await openWorkspace();
    await using alice = await visit('alice');
    const { page } = alice;
    await page.evaluate(inTheInstant('dialog form', 'found.requestSubmit()'));
    await openForm(page, modal('First', { blocks: fields }));
    const missing = page.getByText('Please complete this required field.');
    await missing.first().waitFor();
    await painted(page);
    expect(await missing.count()).toBe(1);
  });

  test('a person who goes on in the instant the errors show keeps the focus', async () => {
    const { openForm, visit } = await openWorkspace();
    await using alice = await visit('alice');
    const { page } = alice;
    await openForm(page, modal('First', { blocks: fields }));
    await page.getByLabel('Notes').waitFor();
    await painted(page);
    await page.evaluate(`new Promise(resolve => {
      ${inTheInstant('[aria-invalid=true]', `[...document.querySelectorAll('label')].find(each => each.textContent.startsWith('Notes')).control.focus(); resolve()`)};
      document.querySelector('dialog form').requestSubmit();
    })`);
    await painted(page);
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toContain('Notes');
  });

  test('the members of a channel that one asks for in the instant it shows stay open', async () => {
    const { visit } = await openWorkspace();
    await using alice = await visit('alice');
    const { page } = alice;
    await page.getByRole('button', { name: 'Create a channel' }).click();
    await form(page, 'Create a channel').getByRole('textbox', { name: 'Name' }).fill('war-room');
    await form(page, 'Create a channel').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: '#war-room' }).waitFor();
    await page.getByRole('button', { name: '1 member' }).click();
    await page.evaluate(`new Promise(resolve => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('h1').textContent !== '#shop') return;
        observer.disconnect();
        [...document.querySelectorAll('header button')].find(each => each.textContent.trim().endsWith(' members')).click();
        resolve();
      }).observe(document, { subtree: true, childList: true, characterData: true });
      [...document.querySelectorAll('nav button')].find(each => each.textContent.includes('shop')).click();
    })`);
    await painted(page);
    expect(await page.getByRole('region', { name: 'Members' }).count()).toBe(1);
  });

  test('a form that is sent twice at once is sent once', async () => {
    const { openForm, visit } = await openWorkspace();
    await using alice = await visit('alice');
    const { page } = alice;
    const sent: unknown[] = [];
    page.on('request', request => {
      if (request.url().endsWith('/acts')) sent.push(request.postDataJSON().act.do);
    });
    await openForm(page, modal('First'));
    await form(page, 'First').waitFor();
    await page.evaluate(`{
      const send = document.querySelector('dialog [type=submit]');
      send.click();
      send.click();
    }`);
    await form(page, 'First').waitFor({ state: 'detached' });
    expect(sent.filter(each => each === 'submit')).toEqual(['submit']);
  });

  test('Escape twice at once closes the form in front alone', async () => {
    const { slack, callApi, openForm, visit } = await openWorkspace();
    await using alice = await visit('alice');
    const { page } = alice;
    let closings = 0;
    const both = Promise.withResolvers<void>();
    const trigger = () => slack.deliveries.at(-1)?.payload.trigger_id;
    const button = { type: 'button', action_id: 'push', text: { type: 'plain_text', text: 'More' } };
    const blocks = [{ type: 'actions', block_id: 'more', elements: [button] }];
    await openForm(page, modal('First', { blocks }));
    const first = trigger();
    await form(page, 'First').getByRole('button', { name: 'More' }).click();
    await expect.poll(trigger).not.toBe(first);
    await callApi('views.push', { trigger_id: trigger(), view: modal('Second') });
    await form(page, 'Second').waitFor();
    await page.route('**/acts', async route => {
      if (route.request().postDataJSON().act.do === 'close') closings += 1;
      await both.promise;
      await route.continue();
    });
    await page.keyboard.press('Escape');
    await expect.poll(() => closings).toBe(1);
    await page.keyboard.press('Escape');
    await painted(page);
    both.resolve();
    await form(page, 'First').waitFor();
    await painted(page);
    expect(closings).toBe(1);
    await form(page, 'First').getByRole('button', { name: 'Close the form' }).click();
    await form(page, 'First').waitFor({ state: 'detached' });
  });
});
