import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';
import { choose, composer, say } from '../support/workspace-page.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the workspace in a browser`);
}

describe.skipIf(hasNoBrowser)('the workspace in a browser', () => {
  const playground = usePlayground();

  const channelId = async (page: Page): Promise<string> => {
    await page.waitForURL(/channel=C/);
    return new URL(page.url()).searchParams.get('channel') ?? '';
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
});
