import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findWithAxe } from '../support/axe.ts';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the workspace in a browser`);
}

describe.skipIf(hasNoBrowser)('the workspace in a browser', { timeout: 240_000 }, () => {
  const playground = usePlayground();

  const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to / });
  const channelId = async (page: Page): Promise<string> => {
    await page.waitForURL(/channel=C/);
    return new URL(page.url()).searchParams.get('channel') ?? '';
  };
  const say = async (page: Page, text: string): Promise<void> => {
    await composer(page).fill(text);
    await composer(page).press('Enter');
    await page.getByRole('article', { name: text }).waitFor();
  };
  const choose = async (page: Page, words: string, entry: string): Promise<void> => {
    const message = page.getByRole('article', { name: words });
    await message.hover();
    await message.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };

  test('people write, edit, pin and delete, and the other one sees it at once', async () => {
    await using alice = await playground.openPage('alice', 'database');
    await using bob = await playground.openPage('bob', 'database');
    await say(alice.page, 'Is the replica behind?');
    await bob.page.getByRole('article', { name: 'Is the replica behind?' }).waitFor();
    await choose(alice.page, 'Is the replica behind?', 'Edit message');
    await alice.page.getByRole('textbox', { name: 'Edit the message' }).fill('The replica is behind');
    await alice.page.getByRole('textbox', { name: 'Edit the message' }).press('Enter');
    const edited = bob.page.getByRole('article', { name: 'The replica is behind' });
    await edited.getByText('(edited)').waitFor();
    await choose(alice.page, 'The replica is behind', 'Pin to the channel');
    await edited.getByText('Pinned').waitFor();
    await choose(alice.page, 'The replica is behind', 'Delete message');
    const question = alice.page.getByRole('dialog', { name: 'Delete message' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await choose(alice.page, 'The replica is behind', 'Delete message');
    expect(await edited.count()).toBe(1);
    await question.getByRole('button', { name: 'Delete' }).click();
    await edited.waitFor({ state: 'detached' });
  });

  test('an answer is seen by the person who asked, and by nobody else', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    await using bob = await playground.openPage('bob', 'checkout');
    await composer(alice.page).fill('/incident list');
    await composer(alice.page).press('Enter');
    await alice.page.getByText('Only visible to you').first().waitFor();
    await say(alice.page, 'That is all');
    await bob.page.getByRole('article', { name: 'That is all' }).waitFor();
    expect(await bob.page.getByText('Only visible to you').count()).toBe(0);
  });

  test('a command, a person, a channel and an emoji are completed by the keyboard', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await composer(page).pressSequentially('/inc');
    await page.getByRole('option', { name: /^\/incident/ }).waitFor();
    await composer(page).press('Tab');
    expect(await composer(page).inputValue()).toBe('/incident ');
    await composer(page).fill('');
    await composer(page).pressSequentially('thanks @bo');
    await page.getByRole('option', { name: /@bob/ }).waitFor();
    await composer(page).press('Enter');
    await expect.poll(() => composer(page).inputValue()).toBe('thanks @bob ');
    await composer(page).pressSequentially('see #datab');
    await page.getByRole('option', { name: /^#database/ }).waitFor();
    await composer(page).press('Tab');
    await expect.poll(() => composer(page).inputValue()).toBe('thanks @bob see #database ');
    await composer(page).pressSequentially(':tad');
    await page.getByRole('option', { name: /tada/ }).waitFor();
    await composer(page).press('Enter');
    await composer(page).press('Enter');
    const said = page.getByRole('article', { name: 'thanks @bob see #database 🎉' });
    await said.getByRole('button', { name: '#database' }).click();
    await page.getByRole('heading', { name: '#database' }).waitFor();
  });

  test('one who acts as somebody else stays in the channel, and what is unread is counted', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    await say(page, 'Ping @carol');
    await page.getByRole('combobox', { name: 'Acting as' }).selectOption('bob');
    await page.waitForURL(/as=bob/);
    await page.getByRole('heading', { name: '#database' }).waitFor();
    await page.goto(`${new URL(page.url()).origin}/?as=carol&channel=checkout`);
    await page
      .getByRole('navigation', { name: 'Channels' })
      .getByRole('button', { name: /database.*1 mentions/ })
      .waitFor();
  });

  test('what one typed stays with the person and the channel, and comes back when it was refused', async () => {
    await using alice = await playground.openPage('alice', 'database');
    const { page } = alice;
    const actAs = async (name: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Acting as' }).selectOption(name);
      await page.waitForURL(new RegExp(`as=${name}`));
      await page.getByRole('heading', { name: '#database' }).waitFor();
    };
    await composer(page).fill('half a thought');
    await actAs('bob');
    expect(await composer(page).inputValue()).toBe('');
    await actAs('alice');
    await expect.poll(() => composer(page).inputValue()).toBe('half a thought');
    await page.reload();
    await expect.poll(() => composer(page).inputValue()).toBe('half a thought');
    await page.route('**/acts', async route => {
      // The page tells what is read whenever it likes.
      if (route.request().postDataJSON().act.do !== 'say') return route.continue();
      await composer(page).pressSequentially('typed on');
      await route.fulfill({ json: { problem: 'Nobody could be reached.' } });
    });
    await composer(page).press('Enter');
    await page.getByRole('alert').getByText('Nobody could be reached.').waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe('half a thought\ntyped on');
  });

  test('old replies are read without losing one’s place; a link and the list of what is pinned lead to one', async () => {
    await using alice = await playground.openPage('alice', 'checkout');
    const { page } = alice;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await say(page, 'A long thread');
    const all = await playground.messages('alice', await channelId(page));
    const { channel = '', ts: threadTs = '' } = all.find(each => each.text === 'A long thread') ?? {};
    const long = 'It takes more lines where the thread is narrower. '.repeat(4);
    const answer = (number: number) =>
      playground.act('bob', { do: 'say', channel, threadTs, text: `Reply number ${number}. ${long}` });
    for (let number = 1; number <= 105; number += 1) await answer(number);
    await choose(page, 'A long thread', 'Reply in thread');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    const reply = (number: number) => thread.getByRole('article', { name: `Reply number ${number}.` });
    const isFocused = (number: number) =>
      expect
        .poll(() => page.evaluate<string>('document.activeElement?.ariaLabel ?? ""'))
        .toContain(`Reply number ${number}.`);
    await reply(105).waitFor();
    expect(await reply(3).count()).toBe(0);
    await thread.getByRole('group', { name: 'Replies' }).hover();
    while ((await reply(3).count()) === 0) await page.mouse.wheel(0, -2000);
    await reply(40).scrollIntoViewIfNeeded();
    const placeOf40 = async () => (await reply(40).boundingBox())?.y;
    let place = await placeOf40();
    const isAtRest = async (): Promise<boolean> => {
      const before = place;
      await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      place = await placeOf40();
      return place === before;
    };
    await expect.poll(isAtRest).toBe(true);
    await answer(106);
    await reply(106).waitFor();
    expect(await placeOf40()).toBe(place);
    await page.setViewportSize({ width: 1150, height: 900 });
    await page.waitForFunction('innerWidth === 1150');
    const before = place ?? Number.NaN;
    // Until the next frame the list is narrower, and its reader's place is not kept yet.
    await expect.poll(isAtRest).toBe(true);
    expect(Math.abs((place ?? Number.NaN) - before)).toBeLessThan(700);

    await choose(page, 'Reply number 40.', 'Copy link');
    await choose(page, 'Reply number 40.', 'Pin to the channel');
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toContain(new URL(page.url()).origin);
    await page.goto(link);
    await isFocused(40);
    await page.getByRole('main', { name: 'Messages' }).getByRole('article', { name: 'A long thread' }).waitFor();

    await thread.getByRole('button', { name: 'Close the thread' }).click();
    await page.getByRole('button', { name: '1 pinned' }).click();
    const pins = page.getByRole('region', { name: 'Pinned messages' });
    await pins.getByRole('button', { name: /Reply number 40/ }).click();
    await isFocused(40);
  });

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
