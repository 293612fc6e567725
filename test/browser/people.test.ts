import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SystemView } from '../../playground/workspace/protocol.ts';
import { findWithAxe } from '../support/axe.ts';
import { chromiumPath, hasNoBrowser, openBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { openPersonPage, type PersonPageOptions } from '../support/person-page.ts';
import { openPlayground } from '../support/playground.ts';
import { composer, say } from '../support/workspace-page.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the workspace in a browser`);
}

/** What people do in the workspace of an app that says only what the test lets it say. */
describe.skipIf(hasNoBrowser)('people in the workspace', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  const open = async (options: PersonPageOptions = {}, port = 0) => {
    const playground = await openPlayground(undefined, port);
    const visit = (as: string) => openPersonPage(browser, `${playground.server.url}/?as=${as}`, options);
    return { ...playground, visit };
  };
  const channels = (page: Page) => page.getByRole('navigation', { name: 'Channels' });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

  test('a page goes on after the server was away: nothing typed is lost, and what was missed is read', async () => {
    const { server, serve, bob, shop, visit } = await open({ expects: /ERR_|acts/ }, await freePort());
    await using alice = await visit('alice');
    const { page } = alice;
    await say(page, 'Before');
    await composer(page).fill('Said to nobody');
    await server[Symbol.asyncDispose]();
    await page.getByRole('status').getByText('Reconnecting…').waitFor();
    await composer(page).press('Enter');
    await page.getByRole('alert').getByText('The playground does not answer.').waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe('Said to nobody');
    bob.say(shop, 'Meanwhile');
    await serve(server.port);
    await page.getByRole('article', { name: 'Meanwhile' }).waitFor();
    expect(await page.getByText('Reconnecting…').count()).toBe(0);
    expect(await composer(page).inputValue()).toBe('Said to nobody');
    await composer(page).press('Enter');
    await page.getByRole('article', { name: 'Said to nobody' }).waitFor();
    expect(await page.getByRole('article', { name: 'Before' }).count()).toBe(1);
  });

  test('what the playground cannot do is said in the page as long as that is so', async () => {
    const { visit, tellAll } = await open();
    await using alice = await visit('alice');
    const { page } = alice;
    const monitors = { watchdog: { firing: 0, waiting: 0 }, pager: { pages: [], waiting: 0 } };
    const system = { faults: [], bot: 'running', pagesUrl: 'http://127.0.0.1:4711', ...monitors } as const;
    const tell = (troubles: SystemView['troubles']) => tellAll({ kind: 'system', system: { ...system, troubles } });
    await page.getByRole('tab', { name: 'Journal' }).click();
    const panel = page.getByRole('tabpanel');
    await panel.getByText('The journal is being read.').waitFor();
    tell({ journal: 'The bot’s database cannot be read: no such table.' });
    await panel.getByRole('alert').getByText('cannot be read: no such table.').waitFor();
    expect(await panel.getByText('The journal is being read.').count()).toBe(0);
    const intent = { id: '1', kind: 'task', incident: '7', state: 'pending', attempts: 1, createdAt: 0 };
    tellAll({ kind: 'journal', journal: { intents: [intent], deliveries: [], leases: [] } });
    tell({ workspace: 'The workspace cannot be kept: no space left on device.' });
    await panel.getByText('pending').waitFor();
    await page.getByRole('alert').getByText('cannot be kept: no space left on device.').waitFor();
    expect(await panel.getByRole('alert').count()).toBe(0);
    tell({});
    await expect.poll(() => page.getByText('cannot be kept').count()).toBe(0);
  });

  test('a channel is made, others are invited or join, and an archived one is read alone', async () => {
    const { visit } = await open();
    await using alice = await visit('alice');
    await using bob = await visit('bob');
    await channels(alice.page).getByRole('button', { name: 'Create a channel' }).click();
    const form = alice.page.getByRole('dialog', { name: 'Create a channel' });
    await form.getByRole('textbox', { name: 'Name' }).fill('shop');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('That name is already taken by another channel.').waitFor();
    await form.getByRole('textbox', { name: 'Name' }).fill('war-room');
    await form.getByRole('button', { name: 'Create' }).click();
    await heading(alice.page, '#war-room').waitFor();

    await channels(bob.page).getByRole('button', { name: 'war-room' }).click();
    await bob.page.getByText('You are looking at a channel that you are not in.').waitFor();
    await bob.page.getByRole('button', { name: 'Join it' }).click();
    await say(bob.page, 'I am here');
    await alice.page.getByRole('button', { name: '2 members' }).click();
    await alice.page.getByRole('combobox', { name: 'Invite' }).selectOption('gina');
    await alice.page.getByRole('button', { name: '3 members' }).waitFor();
    await using gina = await visit('gina');
    await gina.page.getByRole('article', { name: 'I am here' }).waitFor();

    await alice.page.getByRole('button', { name: 'Archive the channel' }).click();
    const question = alice.page.getByRole('dialog', { name: 'Archive this channel?' });
    await question.getByRole('button', { name: 'Archive', exact: true }).click();
    for (const { page } of [alice, bob, gina]) {
      await page.getByText('This channel is archived. You can read it.').waitFor();
      expect(await composer(page).count()).toBe(0);
    }
    await bob.page.getByRole('article', { name: 'I am here' }).waitFor();
  });

  test('a file is posted, named with its size, and opened', async () => {
    const { visit } = await open();
    await using alice = await visit('alice');
    const { page } = alice;
    await composer(page).waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Attach a text file' }).click(),
    ]);
    await chooser.setFiles({ name: 'trace.log', mimeType: 'text/plain', buffer: Buffer.from('it broke at noon') });
    const file = page.getByRole('article', { name: 'Alice Adler' }).getByRole('listitem');
    await file.getByText('text/plain, 16 bytes').waitFor();
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      file.getByRole('link', { name: 'trace.log' }).click(),
    ]);
    await opened.getByText('it broke at noon').waitFor();
  });

  test('two people stand side by side, each in their own page, and one is offered the tour', async () => {
    const { server } = await open();
    await using pair = await openPersonPage(browser, `${server.url}/?beside=alice,bob`, { hasTour: true });
    const { page } = pair;
    const side = (name: string) => page.frameLocator(`iframe[title="Acting as ${name}"]`);
    await side('alice').getByRole('button', { name: 'Look around alone' }).waitFor();
    const field = side('alice').getByRole('textbox', { name: /^Message to / });
    await field.fill('Do you see it?');
    await field.press('Enter');
    await side('bob').getByRole('article', { name: 'Do you see it?' }).waitFor();
    expect(await side('bob').getByRole('region', { name: 'Guided tour' }).count()).toBe(0);
  });

  test('a form opens on another one, which keeps what was typed; errors stand at their fields', async () => {
    const { slack, callApi, answers, visit } = await open();
    const view = (title: string, more: object = {}) => ({
      type: 'modal',
      title: { type: 'plain_text', text: title },
      submit: { type: 'plain_text', text: 'Send' },
      blocks: [
        {
          type: 'input',
          block_id: 'words',
          label: { type: 'plain_text', text: `Words of ${title}` },
          element: { type: 'plain_text_input', action_id: 'text' },
        },
        {
          type: 'actions',
          block_id: 'more',
          elements: [{ type: 'button', action_id: 'push', text: { type: 'plain_text', text: 'More' } }],
        },
      ],
      ...more,
    });
    const trigger = () => slack.deliveries.at(-1)?.payload.trigger_id;
    await using alice = await visit('alice');
    const { page } = alice;
    const form = (name: string) => page.getByRole('dialog', { name });
    await composer(page).fill('/incident declare');
    await composer(page).press('Enter');
    await expect.poll(trigger).toBeDefined();
    const first = trigger();
    await callApi('views.open', { trigger_id: first, view: view('First') });
    await form('First').getByRole('textbox', { name: 'Words of First' }).fill('half a thought');
    await form('First').getByRole('button', { name: 'More' }).click();
    await expect.poll(trigger).not.toBe(first);
    await callApi('views.push', { trigger_id: trigger(), view: view('Second') });

    answers.push(() => ({ response_action: 'errors', errors: { words: 'Too few words.' } }));
    await form('Second').getByRole('textbox', { name: 'Words of Second' }).fill('a');
    await form('Second').getByRole('button', { name: 'Send' }).click();
    await form('Second').getByText('Too few words.').waitFor();
    expect(await findWithAxe(page)).toEqual([]);
    const field = form('Second').getByRole('textbox', { name: 'Words of Second' });
    expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual(['a', 'true']);

    await form('Second').getByRole('button', { name: 'Back' }).click();
    await expect
      .poll(() => form('First').getByRole('textbox', { name: 'Words of First' }).inputValue())
      .toBe('half a thought');
    await page.keyboard.press('Escape');
    await form('First').waitFor({ state: 'detached' });
    await composer(page).waitFor();
  });
});
