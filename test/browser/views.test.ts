import { describe, expect, test } from 'vitest';
import { findWithAxe } from '../support/axe.ts';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';
import { choose, composer, say } from '../support/workspace-page.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see every view in a browser`);
}

describe.skipIf(hasNoBrowser)('every view of the workspace', () => {
  const playground = usePlayground();

  test.each(['light', 'dark'] as const)('axe finds nothing in any view, in %s', async colorScheme => {
    await using alice = await playground.openPage('alice', 'security');
    const { page } = alice;
    await page.emulateMedia({ colorScheme });
    const findings = async (view: string, seen = page): Promise<string[]> => {
      // Only colours differ in the dark.
      const violations = await findWithAxe(seen, colorScheme === 'dark' ? 'colours' : 'all');
      return violations.map(each => `${view}: ${each}`);
    };
    const found: string[] = [];
    await say(page, `Hello in ${colorScheme}`);
    found.push(...(await findings('channel')));
    await choose(page, `Hello in ${colorScheme}`, 'Reply in thread');
    await page.getByRole('complementary', { name: 'Thread' }).waitFor();
    found.push(...(await findings('thread')));
    await page.getByRole('button', { name: 'Close the thread' }).click();
    await choose(page, `Hello in ${colorScheme}`, 'Pin to the channel');
    await page.getByRole('button', { name: /pinned/ }).click();
    await page.getByRole('region', { name: 'Pinned messages' }).waitFor();
    found.push(...(await findings('pins')));
    await page.getByRole('article', { name: `Hello in ${colorScheme}` }).hover();
    await page
      .getByRole('article', { name: `Hello in ${colorScheme}` })
      .getByRole('button', { name: 'Add reaction' })
      .click();
    await page.locator('.emoji-grid').waitFor();
    found.push(...(await findings('emoji')));
    await page.keyboard.press('Escape');
    const wire = page.getByRole('complementary', { name: 'Wire' });
    await wire.getByRole('tab', { name: 'Wire' }).click();
    await wire.locator('summary').first().click();
    found.push(...(await findings('wire')));
    for (const tab of ['Break things', 'Journal', 'Stories', 'Incident page']) {
      await wire.getByRole('tab', { name: tab }).click();
      found.push(...(await findings(tab)));
    }
    await composer(page).fill(`/incident declare Axes are ${colorScheme} --now`);
    await composer(page).press('Enter');
    await page
      .getByRole('navigation', { name: 'Channels' })
      .getByRole('list', { name: 'Channels', exact: true })
      .getByRole('button', { name: new RegExp(`axes-are-${colorScheme}`) })
      .click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`axes-are-${colorScheme}`) }).waitFor();
    await page
      .getByRole('article', { name: /Incident \d+/ })
      .first()
      .waitFor();
    found.push(...(await findings('room')));
    await composer(page).fill('/incident search switzerland');
    await composer(page).press('Enter');
    await page.getByText('Only visible to you').first().waitFor();
    found.push(...(await findings('search')));
    await page.getByRole('navigation', { name: 'Channels' }).getByRole('button', { name: 'Muster' }).last().click();
    found.push(...(await findings('home')));
    await page.goto(`${new URL(page.url()).origin}/?as=alice&channel=checkout`);
    await composer(page).fill('/incident declare');
    await composer(page).press('Enter');
    await page.getByRole('dialog', { name: 'Declare an incident' }).waitFor();
    found.push(...(await findings('form')));
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await using carol = await playground.openPage('carol', 'checkout', { hasTour: true });
    await carol.page.emulateMedia({ colorScheme });
    await carol.page.getByRole('region', { name: 'Guided tour' }).waitFor();
    found.push(...(await findings('the offer of the tour', carol.page)));
    await carol.page.getByRole('button', { name: 'Take the tour' }).click();
    await carol.page.getByRole('heading', { name: 'Declare an incident' }).waitFor();
    found.push(...(await findings('tour', carol.page)));
    expect(found).toEqual([]);
  });

  test('a phone shows every view within its width', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.reload();
    const long = 'a-word-without-a-place-to-break-it-'.repeat(6);
    /** What is wider than its place, or stands beyond the screen. */
    const tooWide = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('html, dialog[open], .modal-body, .scroll, .channel-header, .composer, .top-bar, article, button, h1, h2')]
          .filter(each => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).textOverflow !== 'ellipsis' || each.getBoundingClientRect().width > 360)
          .map(each => each.outerHTML.slice(0, 200))`,
      );
    const found: string[] = [];
    const look = async (view: string): Promise<void> => {
      found.push(...(await tooWide()).map(each => `${view}: ${each}`));
    };
    const channelList = page.getByRole('navigation', { name: 'Channels' });
    await composer(page).fill(`Wide: https://example.com/${long}`);
    await composer(page).press('Enter');
    await page.getByRole('article', { name: 'Wide: ' }).waitFor();
    await look('channel');
    await choose(page, 'Wide: ', 'Pin to the channel');
    await page.getByRole('button', { name: '1 pinned' }).click();
    await page.getByRole('region', { name: 'Pinned messages' }).getByRole('button').waitFor();
    await look('pins');
    await page.getByRole('button', { name: /members/ }).click();
    await look('members');
    await choose(page, 'Wide: ', 'Reply in thread');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByRole('article').waitFor();
    await look('thread');
    await thread.getByRole('button', { name: 'Close the thread' }).click();
    for (const line of ['/incident list', '/muster help', '/incident declare']) {
      await composer(page).fill(line);
      await composer(page).press('Enter');
    }
    const form = page.getByRole('dialog', { name: 'Declare an incident' });
    await form.waitFor();
    await look('form');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Only visible to you').nth(1).waitFor();
    await look('answers');
    await page.getByRole('button', { name: 'Behind the scenes' }).click();
    const beside = page.getByRole('complementary', { name: 'Wire' });
    for (const name of ['Wire', 'Journal', 'Break things', 'Stories', 'Incident page']) {
      await beside.getByRole('tab', { name }).click();
      await look(name);
    }
    await page.frameLocator('iframe').getByRole('heading', { name: 'Incidents' }).waitFor();
    await beside.getByRole('button', { name: 'Close what is behind the scenes' }).click();
    await page.getByRole('button', { name: 'Channels' }).click();
    await look('list');
    await channelList.getByRole('button', { name: 'Muster' }).last().click();
    await page.getByRole('heading', { name: 'Muster' }).first().waitFor();
    await look('home');
    expect(found).toEqual([]);
  });
});
