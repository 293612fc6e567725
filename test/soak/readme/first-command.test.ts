import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumPath, hasNoBrowser, openBrowser } from '../../support/browser.ts';
import { shellLines } from '../../support/docs/shell-lines.ts';
import { openClone } from '../../support/fresh-clone.ts';
import { openPersonPage } from '../../support/person-page.ts';
import { lineOf } from '../../support/run-muster.ts';
import { typeLine } from '../../support/user-shell.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see what the first command opens`);
}

/** What somebody does who reads the README and follows the tour. */
function openVisitor(page: Page) {
  const tour = page.getByRole('region', { name: 'Guided tour' });
  const beside = page.getByRole('complementary', { name: 'Wire' });
  const openTab = (name: string) => beside.getByRole('tab', { name }).click();
  return {
    tour,
    openTab,
    panel: beside.getByRole('tabpanel'),
    reads: (title: string) => tour.getByRole('heading', { name: title }).waitFor(),
    types: async (line: string) => {
      const composer = page.getByRole('textbox', { name: /^Message to / });
      await composer.fill(line);
      await composer.press('Enter');
    },
    sends: (form: string, button: RegExp) =>
      page.getByRole('dialog', { name: form }).getByRole('button', { name: button }).click(),
    opensChannel: async (name: RegExp) => {
      // The person's own channels: one moves in the list when they join it, and a click on what moves may be lost.
      const own = page
        .getByRole('navigation', { name: 'Channels' })
        .getByRole('list', { name: 'Channels', exact: true });
      await own.getByRole('button', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    },
    chooses: async (message: string, entry: string) => {
      const article = page.getByRole('article', { name: message }).last();
      await article.hover();
      await article.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: entry, exact: true }).click();
    },
    switches: async (fault: string, isOn: boolean) => {
      await openTab('Break things');
      await beside.getByRole('switch', { name: fault }).click();
      await beside.getByRole('switch', { name: fault, checked: isOn }).waitFor();
    },
  };
}

/** Opens the page and takes the tour to its end. Fails when the browser complained of anything. */
async function takeTour(browser: Browser, address: string): Promise<void> {
  await using opened = await openPersonPage(browser, address, { hasTour: true });
  const { page } = opened;
  const { tour, panel, openTab, reads, types, sends, opensChannel, chooses, switches } = openVisitor(page);
  await tour.getByRole('button', { name: 'Take the tour' }).click();
  await reads('Declare an incident');
  await types('/incident declare Checkout answers 500');
  await sends('Declare an incident', /Declare/);
  await reads('Take command');
  // A page that is loaded again goes on where it was.
  await page.reload();
  await reads('Take command');
  await opensChannel(/checkout-answers-500/);
  await types('/role assign me commander');
  await reads('Put a reply on the timeline');
  await types('Who has looked?');
  await chooses('Who has looked?', 'Reply in thread');
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByRole('textbox').fill('The payment service is gone');
  await thread.getByRole('textbox').press('Enter');
  await chooses('The payment service is gone', 'Add to timeline');
  await reads('Break the API');
  await thread.getByRole('button', { name: 'Close the thread' }).click();
  await switches('API down', true);
  await types('/task add Roll back the release');
  await reads('Let it come back');
  await openTab('Journal');
  // While it runs, the table of leases below has a row of it too.
  const task = panel.getByRole('row', { name: /add the task .*Roll back the release/ }).first();
  expect(await task.innerText()).toMatch(/^(pending|running)/);
  await switches('API down', false);
  await reads('Resolve it');
  await openTab('Journal');
  await expect.poll(() => task.innerText()).toMatch(/^done/);
  await types('/incident resolve');
  await sends('Resolve the incident', /Resolve/);
  await reads('That was an incident');
  await openTab('Incident page');
  await page.frameLocator('iframe').getByText('Roll back the release').first().waitFor();
  await tour.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await page
    .getByRole('navigation', { name: 'Channels' })
    .getByRole('button', { name: /checkout-answers-500/ })
    .waitFor();
  expect(await tour.count()).toBe(0);
}

test.skipIf(hasNoBrowser)(
  'the README’s first command opens a workspace, and its tour comes to the end when one does what it asks',
  async () => {
    const [first = ''] = shellLines('README.md');
    expect(first).toBe('npm ci && npm run demo');
    const demo = typeLine(first, await openClone());
    const address = await lineOf(demo.child, /^http:/);

    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    await takeTour(browser, address);

    demo.interrupt();
    const { stderr } = await demo.ended;
    expect(stderr).toBe('');
  },
);
