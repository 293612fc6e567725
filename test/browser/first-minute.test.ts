import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { brokenWords } from '../support/broken-words.ts';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';
import { isLong } from '../support/length.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the first minute in a browser`);
}

/** What a newcomer's eyes and hands meet first. */
describe.skipIf(hasNoBrowser)('the first minute in the playground', () => {
  const playground = usePlayground();

  const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to / });
  const beside = (page: Page) => page.getByRole('complementary', { name: 'Wire' });
  const focused = (page: Page) => page.evaluate<string>('document.activeElement?.ariaLabel ?? ""');
  const say = async (page: Page, text: string): Promise<void> => {
    await composer(page).fill(text);
    await composer(page).press('Enter');
    await page.getByRole('article', { name: text }).waitFor();
  };
  /** Pixels by which the page itself, not a list in it, could be scrolled. */
  const overflow = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollHeight - document.documentElement.clientHeight');
  const topsOf = async (page: Page, selector: string) =>
    new Set(
      await page.evaluate<number[]>(
        `[...document.querySelectorAll('${selector}')].map(each => Math.round(each.getBoundingClientRect().top + each.getBoundingClientRect().height / 2))`,
      ),
    );

  test('what belongs together reads well: stamps, an edited message with replies, a counted call', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    await say(page, 'Edited and answered');
    const message = page.getByRole('article', { name: 'Edited and answered' });
    const { channel = '' } = Object.fromEntries(new URL(page.url()).searchParams);
    const ts = (await message.getAttribute('data-ts')) ?? '';
    await playground.act('alice', { do: 'edit', channel, ts, text: 'Edited and answered!' });
    await playground.act('bob', { do: 'say', channel, threadTs: ts, text: 'Yes' });
    await message.getByRole('button', { name: /1 reply/ }).waitFor();
    expect(await message.innerText()).toMatch(/\(edited\)\s*\n\s*1 reply/);
    expect(await message.getAttribute('aria-label')).toMatch(/^Alice Adler, \d{1,2}:\d\d [AP]M: Edited and answered!$/);
    await beside(page).getByRole('tab', { name: 'Wire' }).click();
    await beside(page).getByRole('checkbox').check();
    const counted = beside(page).locator('summary', { hasText: '×' }).first();
    // A heartbeat comes every ten seconds. An incident would have calls of its own between them, so this stands before the first one.
    await expect.poll(() => counted.textContent()).toMatch(/\S ×\d+ +[\d…]/);
  });

  test('the first view has an alert to act on, the field is ready, and nothing is red', async () => {
    await using alice = await playground.openPage('alice');
    const { page } = alice;
    await page.setViewportSize({ width: 1280, height: 860 });
    const alert = page.getByRole('article', { name: 'Payments fail' });
    await alert.waitFor();
    await expect.poll(() => focused(page)).toBe('Message to #checkout');
    await beside(page).getByRole('tab', { name: 'Break things', selected: true }).waitFor();
    expect((await topsOf(page, '.tabs [role=tab]')).size).toBe(1);
    await beside(page).getByRole('tab', { name: 'Wire' }).click();
    await beside(page).getByRole('checkbox', { name: 'Show heartbeats and health checks' }).check();
    const beats = beside(page).getByText('GetHomescreenVersion');
    await beats.first().waitFor();
    await beside(page).getByRole('checkbox', { name: 'Show heartbeats and health checks' }).uncheck();
    await expect.poll(() => beats.count()).toBe(0);
    expect(await beside(page).locator('.failed').count()).toBe(0);

    await alert.hover();
    await alert.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Declare from message', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Declare an incident' });
    await expect.poll(() => form.getByRole('textbox').first().inputValue()).toContain('Payments fail');
    await form.getByRole('button', { name: 'Declare' }).click();
    const entry = page
      .getByRole('list', { name: 'Channels', exact: true })
      .getByRole('button', { name: /payments-fail/ });
    await entry.click();
    await page.getByRole('heading', { level: 1, name: /payments-fail/ }).waitFor();
    await page
      .getByRole('article', { name: /Payments fail/ })
      .first()
      .waitFor();
    // The name of the room is long, and everything next to it stays in one row.
    expect((await topsOf(page, '.channel-title > *:not(.spring)')).size).toBe(1);
    expect(await entry.locator('.count').count()).toBe(0);
    await expect.poll(() => focused(page)).toMatch(/^Message to #inc-/);
  });

  test('the page itself never scrolls, at any size and in any view', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    await say(page, 'Does it scroll?');
    const found: string[] = [];
    for (const [width, height] of [
      [1280, 860],
      [1440, 900],
      [1000, 640],
      [720, 900],
      [390, 800],
      [320, 480],
    ] as const) {
      await page.setViewportSize({ width, height });
      if ((await overflow(page)) !== 0) found.push(`${width} × ${height}, with the panel`);
      await beside(page).getByRole('button', { name: 'Close what is behind the scenes' }).click();
      if ((await overflow(page)) !== 0) found.push(`${width} × ${height}, without it`);
      await page.getByRole('button', { name: 'Behind the scenes', exact: true }).click();
    }
    expect(found).toEqual([]);
  });

  test('a thread leaves the room its width, and the panel is back when it is closed', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    await page.setViewportSize({ width: 1280, height: 860 });
    await say(page, 'A question for the thread');
    const message = page.getByRole('article', { name: 'A question for the thread' });
    await message.hover();
    await message.getByRole('button', { name: 'Reply in thread' }).click();
    await page.getByRole('complementary', { name: 'Thread' }).waitFor();
    const { width = 0 } = (await page.getByRole('main', { name: 'Messages' }).boundingBox()) ?? {};
    expect(width).toBeGreaterThan(560);
    expect(await beside(page).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Close the thread' }).click();
    await beside(page).waitFor();
    // Who presses the button of the panel while a thread covers it sees the panel.
    await message.hover();
    await message.getByRole('button', { name: 'Reply in thread' }).click();
    await page.getByRole('complementary', { name: 'Thread' }).waitFor();
    await page.getByRole('button', { name: 'Behind the scenes', exact: true }).click();
    await beside(page).waitFor();
    await page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Behind the scenes', exact: true }).click();
    await beside(page).waitFor({ state: 'detached' });
  });

  test('keys do what people expect: ↑ edits the last message, ? opens the help', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    await say(page, 'It is sloow');
    await page.keyboard.press('ArrowUp');
    const field = page.getByRole('textbox', { name: 'Edit the message' });
    expect(await field.inputValue()).toBe('It is sloow');
    await field.fill('It is slow');
    await field.press('Enter');
    const edited = page.getByRole('article', { name: 'It is slow' });
    await edited.getByText('(edited)').waitFor();
    await expect.poll(() => focused(page)).toBe('Message to #database');
    await page.keyboard.press('ArrowUp');
    await field.press('Escape');
    await expect.poll(() => field.count()).toBe(0);
    const help = page.getByRole('dialog', { name: 'Help' });
    await page.keyboard.press('?');
    expect([await composer(page).inputValue(), await help.count()]).toEqual(['?', 0]);
    await composer(page).fill('');
    await page.keyboard.press('Control+/');
    await help.getByText('edit your last message').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => help.count()).toBe(0);
    await edited.getByText('It is slow').click();
    await page.keyboard.press('?');
    await help.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Help' }).click();
    await help.waitFor();
  });

  test('side by side has a way back to one window', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    await page.getByRole('link', { name: 'Side by side' }).click();
    const side = page.frameLocator('iframe[title="Acting as alice"]');
    await side.getByRole('link', { name: 'One window' }).click();
    await page.waitForURL(/as=alice/);
    await page.getByRole('link', { name: 'Side by side' }).waitFor();
  });

  test('a finger finds what one can do with a message, in a bar no taller than its buttons', async () => {
    await using alice = await playground.openPage('alice', 'database');
    await composer(alice.page).fill(`A tall message. ${'It goes on and on. '.repeat(30)}`);
    await composer(alice.page).press('Enter');
    await alice.page.getByRole('article', { name: 'A tall message.' }).waitFor();
    const browser = alice.page.context().browser();
    const context = await browser!.newContext({
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    try {
      await context.addInitScript({
        content: "if (window === window.top) localStorage.setItem('muster-tour', 'over');",
      });
      const page = await context.newPage();
      await page.goto(alice.page.url());
      const message = page.getByRole('article', { name: 'A tall message.' });
      await message.waitFor();
      // The field would bring the keyboard up.
      expect(await focused(page)).not.toContain('Message to');
      const bar = await message.locator('.toolbar').boundingBox();
      expect(bar?.height).toBeLessThan(45);
      await message.getByRole('button', { name: 'More actions' }).tap();
      await page.getByRole('menuitem', { name: 'Edit message' }).waitFor();
    } finally {
      await context.close();
    }
  });

  test.each(isLong ? [320, 345, 390] : [320])('no short word is torn at a width of %i', async width => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await page.setViewportSize({ width, height: 800 });
    await page.reload();
    const found: string[] = [];
    const look = async (view: string): Promise<void> => {
      found.push(...(await brokenWords(page)).map(each => `${view}: ${each}`));
    };
    await composer(page).fill('/incident list');
    await composer(page).press('Enter');
    await page.getByText('Only visible to you').first().waitFor();
    await look('channel');
    await page.getByRole('button', { name: 'Behind the scenes', exact: true }).click();
    for (const name of ['Break things', 'Journal', 'Wire', 'Stories']) {
      await beside(page).getByRole('tab', { name }).click();
      await look(name);
    }
    for (const path of ['/incidents', '/incidents/figures', '/a/grafana-irm-app/incidents/20', '/reference']) {
      await page.goto(`${playground.pagesUrl}${path}`);
      await look(path);
      await page.evaluate("document.querySelectorAll('details').forEach(each => each.setAttribute('open', ''))");
      await look(`${path}, unfolded`);
    }
    expect(found).toEqual([]);
  });

  test('an address that is cut short leads to the list', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    for (const path of ['/a/grafana-irm-app/incidents', '/a/grafana-irm-app', '/']) {
      const response = await fetch(`${playground.pagesUrl}${path}`);
      expect([response.status, new URL(response.url).pathname]).toEqual([200, '/incidents']);
    }
    expect((await fetch(`${playground.pagesUrl}/favicon.ico`)).status).toBe(200);
    await alice.page.getByRole('main').waitFor();
  });
});
