import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';

if (hasNoBrowser) {
  test.skip(
    `no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to live through an incident in a browser`,
  );
}

/** How long an effect may take, in milliseconds: lines are gathered, and the journal tries again after a while. */

/** An incident as five people live through it: who types, who is given work, who looks on, who reads announcements, and a guest. */
describe.skipIf(hasNoBrowser)('a newcomer’s incident', () => {
  const playground = usePlayground();

  const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to / });
  const type = async (page: Page, line: string): Promise<void> => {
    await composer(page).fill(line);
    await composer(page).press('Enter');
  };
  const main = (page: Page) => page.getByRole('main', { name: 'Messages' });
  const article = (page: Page, words: RegExp | string) => main(page).getByRole('article').filter({ hasText: words });
  const reads = (page: Page, words: RegExp | string) => article(page, words).last().waitFor();
  const goTo = async (page: Page, channel: RegExp): Promise<void> => {
    await page.getByRole('navigation', { name: 'Channels' }).getByRole('button', { name: channel }).first().click();
    await page.getByRole('heading', { level: 1, name: channel }).waitFor();
  };
  const dialog = (page: Page) => page.getByRole('dialog');
  const receipt = (page: Page, words: RegExp) => article(page, words).filter({ hasText: 'Only visible to you' }).last();
  const setFault = (fault: 'API down', isOn: boolean) => playground.act('alice', { do: 'setFault', fault, isOn });

  test('twenty-five steps, from the alert to the record, as each of them sees it', async () => {
    await using aliceAt = await playground.openPage('alice', 'checkout');
    await using bobAt = await playground.openPage('bob', 'checkout');
    await using carolAt = await playground.openPage('carol', 'incidents');
    const [alice, bob, carol] = [aliceAt.page, bobAt.page, carolAt.page];
    const room = /inc-\d+-checkout-answers-500/;

    // 1–3: an alert, a form that says what it lacks, and an incident.
    await reads(alice, 'Payments fail');
    await type(alice, '/incident declare');
    await dialog(alice).getByRole('button', { name: 'Declare' }).click();
    await dialog(alice)
      .getByText(/required/)
      .first()
      .waitFor();
    await dialog(alice).getByRole('textbox', { name: 'Title' }).fill('Checkout answers 500');
    await dialog(alice)
      .getByRole('textbox', { name: /Summary/ })
      .fill('Every third order fails');
    await dialog(alice).getByRole('button', { name: 'Declare' }).click();

    // 4–6: who typed is answered once, others see the announcement with what it is about, and come in.
    await receipt(alice, /declared/).waitFor();
    await goTo(bob, /incidents/);
    await reads(bob, /Checkout answers 500[\s\S]*Every third order fails/);
    await reads(carol, /Checkout answers 500[\s\S]*Every third order fails/);
    await article(carol, 'Every third order fails').last().getByRole('button', { name: 'Join' }).click();
    await goTo(carol, room);
    await composer(carol).waitFor();
    await reads(carol, /Checkout answers 500[\s\S]*Every third order fails/);

    // 7–8: command is taken on the card, and everybody reads it.
    await goTo(alice, room);
    await main(alice).getByRole('button', { name: 'Take command' }).first().click();
    await expect.poll(() => article(carol, 'Pinned').first().textContent()).toMatch(/Commander.*alice/);
    await reads(carol, /alice.*command/i);

    // 9–11: work is given; its owner reads it alone and finishes it there; the room reads of it.
    await type(alice, '/task add Ask the bank for an ETA @bob');
    await receipt(alice, /Ask the bank/).waitFor();
    await goTo(bob, /Muster/);
    await reads(bob, /Ask the bank for an ETA/);
    await article(bob, 'Ask the bank').last().getByRole('button', { name: 'Done' }).click();
    await reads(carol, /bob.*(finished|done).*Ask the bank|Ask the bank.*(finished|done)/i);

    // 12–13: an update keeps its lines, and what matters is not small print.
    await composer(alice).fill('/incident update We roll back 1141\nThe bank is asked --next 30m');
    await composer(alice).press('Enter');
    const update = article(carol, 'We roll back 1141').last();
    await update.waitFor();
    expect(await update.innerText()).toMatch(/We roll back 1141\nThe bank is asked/);
    expect(await update.locator('.context', { hasText: 'We roll back' }).count()).toBe(0);
    await type(alice, '/incident severity critical');
    const severity = article(carol, /critical/i).last();
    await severity.waitFor();

    // 14–15: a message is noted by an emoji, and a second time adds nothing.
    await type(carol, 'No complaint since noon');
    const said = article(carol, 'No complaint since noon').last();
    await said.hover();
    await said.getByRole('button', { name: 'Add reaction' }).click();
    await carol.getByRole('button', { name: 'memo', exact: true }).click();
    await said.getByRole('button', { name: /memo 2/ }).waitFor();
    await said.hover();
    await said.getByRole('button', { name: 'More actions' }).click();
    await carol.getByRole('menuitem', { name: 'Add to timeline', exact: true }).click();
    await reads(carol, /already/);

    // 16: a dashboard is found by its title, and the room sees it with its window.
    await type(alice, '/dash link checkout overview last 3 hours');
    await article(carol, /Checkout overview/)
      .last()
      .getByRole('link', { name: /Checkout overview/ })
      .waitFor();

    // 17: a guest changes nothing, and keeps what they typed.
    await using ginaAt = await playground.openPage('gina', 'checkout');
    await type(ginaAt.page, '/incident declare The guest has a say --now');
    await reads(ginaAt.page, 'You typed: /incident declare The guest has a say --now');

    // 18–19: while the API is down, what is asked for is kept, and told as done once it is back.
    await setFault('API down', true);
    await type(alice, '/task add Tell the shops');
    await reads(alice, /⏳[\s\S]*(Saved|Queued)/);
    await setFault('API down', false);
    await reads(carol, /Tell the shops/);

    // 20: a private incident says so, and nobody else sees it.
    await type(alice, '/incident declare A key leaked --private --now');
    await reads(alice, /🔒|[Pp]rivate/);
    expect(await carol.getByRole('navigation', { name: 'Channels' }).getByText('a-key-leaked').count()).toBe(0);

    // 21: command is handed over; who gets it reads so alone.
    await type(alice, '/role assign @bob commander');
    await receipt(alice, /Hand over/)
      .getByRole('button', { name: 'Hand over' })
      .click();
    await reads(bob, /command/i);
    await expect.poll(() => article(carol, 'Pinned').first().textContent()).toMatch(/Commander.*bob/);

    // 22–23: it is resolved with its outcome, and opened again with the reason.
    await type(alice, '/incident resolve The rollback cured it --now');
    await reads(carol, /[Rr]esolved[\s\S]*The rollback cured it/);
    await type(alice, '/incident reopen It is back for PayPal');
    await reads(carol, /[Rr]eopened[\s\S]*It is back for PayPal/);

    // 24: the record is a file for who asks.
    await type(alice, '/incident resolve PayPal recovered --now');
    await reads(carol, /PayPal recovered/);
    await type(alice, '/incident record');
    await goTo(alice, /Muster/);
    await article(alice, /record of incident \d+ “Checkout answers 500”/)
      .last()
      .getByRole('button', { name: /1 reply/ })
      .click();
    await alice.getByRole('complementary', { name: 'Thread' }).getByRole('link', { name: /\.md/ }).waitFor();
    await alice.getByRole('button', { name: 'Close the thread' }).click();

    // 25: what was declared by mistake is taken back, and says so where it was announced.
    await goTo(alice, /checkout/);
    await type(alice, '/incident declare Only a test page --now');
    await receipt(alice, /only-a-test-page/)
      .getByRole('button', { name: 'Undo' })
      .click();
    await goTo(carol, /incidents/);
    await reads(carol, /by mistake/i);
  });
});
