import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser, openBrowser } from '../support/browser.ts';
import { patience } from '../support/patience.ts';
import { openPlayground } from '../support/playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see many windows in a browser`);
}

/** A browser opens six connections to a server at once, however many windows it has. */
describe.skipIf(hasNoBrowser)('many windows of one browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to / });
  const said = (page: Page, text: string) => page.getByRole('article', { name: text }).waitFor();

  /** Windows of one browser, each of somebody. */
  const openWindows = async (people: readonly string[], script = '') => {
    const { server } = await openPlayground();
    const context = await browser.newContext();
    context.setDefaultTimeout(patience);
    await context.addInitScript({ content: `localStorage.setItem('muster-tour', 'over'); ${script}` });
    const windows: Page[] = [];
    for (const as of people) {
      const page = await context.newPage();
      await page.goto(`${server.url}/?as=${as}`);
      await composer(page).waitFor();
      windows.push(page);
    }
    return { windows, [Symbol.asyncDispose]: () => context.close() };
  };

  test('seven windows at once: each hears and is heard, each is loaded anew, and those that are left go on', async () => {
    await using opened = await openWindows(['alice', 'bob', 'alice', 'bob', 'alice', 'bob', 'alice']);
    const { windows } = opened;
    for (const [at, page] of windows.entries()) {
      await composer(page).fill(`Window ${at} speaks`);
      await composer(page).press('Enter');
      for (const each of windows) await said(each, `Window ${at} speaks`);
    }
    for (const page of windows) {
      await page.reload();
      await said(page, 'Window 6 speaks');
    }
    for (const page of windows.splice(0, 5)) await page.close();
    const [one, other] = windows;
    await composer(one!).fill('Two are left');
    await composer(one!).press('Enter');
    await said(other!, 'Two are left');
    for (const page of windows) expect(await page.getByText('Reconnecting…').count()).toBe(0);
  });

  test('a browser without shared workers has a stream for each window', async () => {
    await using opened = await openWindows(['alice', 'bob'], 'delete window.SharedWorker;');
    const [alice, bob] = opened.windows;
    await composer(alice!).fill('By itself');
    await composer(alice!).press('Enter');
    await said(bob!, 'By itself');
  });

  test('one window that names nobody does not silence the others', async () => {
    await using opened = await openWindows(['alice']);
    const [alice] = opened.windows;
    const nobody = await alice!.context().newPage();
    await nobody.goto(alice!.url().replace('as=alice', 'as=nobody'));
    await nobody.getByText('Opening the workspace…').waitFor();
    const bob = await alice!.context().newPage();
    await bob.goto(alice!.url().replace('as=alice', 'as=bob'));
    await composer(bob).fill('Still here');
    await composer(bob).press('Enter');
    await said(alice!, 'Still here');
  });
});
