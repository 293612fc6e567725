import type { Page } from 'playwright-core';
import type { Studio } from './studio.ts';

/** Takes a picture: `name` is that of its file, without `.png`. */
export type Take = (name: string, page: Page) => Promise<void>;

const usual = { width: 1000, height: 760 };
const wide = { width: 1280, height: 720 };
const tall = { width: 1260, height: 1012 };
const phone = { width: 390, height: 800 };

const main = (page: Page) => page.getByRole('main', { name: 'Messages' });
const beside = (page: Page) => page.getByRole('complementary', { name: 'Wire' });
const message = (page: Page, words: string) => page.getByRole('article', { name: words }).last();
const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to / });

/** What a page shows, as assistive technology reads it, without ids, ports, leases and true times, which differ each time. */
export async function readTree(page: Page): Promise<string> {
  const trees = await Promise.all(page.frames().map(frame => frame.locator('body').ariaSnapshot()));
  return trees
    .filter(each => each !== '')
    .join('\n\n')
    .replace(/^\s*- \/url: .*\n/gm, '')
    .replace(/(localhost|127\.0\.0\.1):\d+/g, '$1')
    .replace(/\/goto\/\w+/g, '/goto/…')
    .replace(/The API has not answered since \S+Z\. /g, '')
    .replace(/^ +- region "Leases":\n(?: {6,}.*\n)*/gm, '');
}

async function openRoom(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('button', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
}

/** Takes every picture of the README and the documents, in the order of one story. */
export async function takePictures(studio: Studio, take: Take): Promise<void> {
  const { clock, act, open, play } = studio;
  const look = async (name: string, page: Page): Promise<void> => {
    for (const frame of page.frames()) await frame.evaluate(loadImages);
    await take(name, page);
  };
  const shoot = async (name: string, page: Page): Promise<void> => {
    await look(name, page);
    await page.context().close();
  };

  await play(4);
  const bob = await open('/?as=bob&channel=checkout', { viewport: usual });
  await bob.getByRole('dialog', { name: 'Declare an incident' }).waitFor();
  await shoot('declare', bob);

  await play(10);
  const carol = await open('/?as=carol&channel=checkout', { viewport: tall });
  await openRoom(carol, /inc-\d+-checkout/);
  const found = await sayAndNote(studio, carol);
  await beside(carol).getByRole('tab', { name: 'Incident page' }).click();
  await carol.frameLocator('iframe').getByText('40 down to 4').first().waitFor();
  await composer(carol).pressSequentially('/task add Tell the shops what we know @ali');
  await carol.getByRole('option', { name: /alice/ }).waitFor();
  await composer(carol).press('Tab');
  await shoot('room', carol);

  await play(17);
  const alice = await open('/?as=alice&channel=checkout', { viewport: wide });
  await alice.getByRole('button', { name: 'Behind the scenes', exact: true }).click();
  await openRoom(alice, /inc-\d+-checkout/);
  await message(alice, 'Does paying by card work again?')
    .getByRole('button', { name: /1 reply/ })
    .click();
  await message(alice, 'no complaint since').getByRole('button', { name: /memo/ }).waitFor();
  await alice.mouse.move(0, 0);
  await shoot('timeline', alice);

  // The story counts the lines of its room.
  await act({ do: 'delete', ...found });
  await play(23);
  const page = await open(`${studio.pagesUrl}/incidents`, { viewport: { width: 1000, height: 900 } });
  await page.getByRole('link', { name: 'Checkout answers 500' }).first().click();
  await page.getByText('resolved').first().waitFor();
  await shoot('incident-page', page);
  const small = await open('/?as=alice&channel=incidents', { viewport: phone });
  await main(small).getByText('Resolved').first().waitFor();
  await shoot('phone', small);
  const dark = await open('/?as=alice&channel=incidents', { viewport: wide, colorScheme: 'dark' });
  await beside(dark).getByRole('tab', { name: 'Incident page' }).click();
  await dark.frameLocator('iframe').getByText('Checkout answers 500').first().waitFor();
  await shoot('dark', dark);

  clock.pass(30);
  await act({ do: 'setFault', fault: 'API down', isOn: true });
  const broken = await open('/?as=bob&channel=database', { viewport: wide });
  await composer(broken).fill('/incident declare Orders are not written --now');
  await composer(broken).press('Enter');
  const room = /inc-.*orders-are-not-written/;
  // It moves in the list when Bob joins it, and a click on what moves may be lost.
  await broken.getByRole('list', { name: 'Channels', exact: true }).getByRole('button', { name: room }).waitFor();
  await openRoom(broken, room);
  await main(broken).getByText('Not registered yet').first().waitFor();
  await beside(broken).getByRole('tab', { name: 'Break things' }).click();
  await beside(broken).getByRole('switch', { name: 'API down', checked: true }).waitFor();
  await look('break-things', broken);
  for (const line of ['/role assign me commander', '/task add Fail over to the replica', '/note The disk is full']) {
    await composer(broken).fill(line);
    await composer(broken).press('Enter');
  }
  await beside(broken).getByRole('tab', { name: 'Journal' }).click();
  await beside(broken).getByText('pending').nth(3).waitFor();
  await main(broken).getByText('The disk is full').last().waitFor();
  await beside(broken).getByRole('cell', { name: 'open', exact: true }).first().waitFor({ state: 'hidden' });
  // What is below has ids that differ each time.
  await broken.setViewportSize({ width: wide.width, height: 620 });
  await shoot('journal', broken);
}

/** Runs in a page: resolves when every image is there, and rejects when one cannot be shown. */
const loadImages = `Promise.all([...document.images].map(image => image.decode().catch(() => {
  throw new Error('The image ' + image.src + ' cannot be shown.');
}))).then(() => undefined)`;

/** Alice says what she found, and Carol puts it on the timeline with an emoji. Resolves to where it stands. */
async function sayAndNote({ act, clock }: Studio, page: Page): Promise<{ channel: string; ts: string }> {
  const found = 'The pool of payment connections went from 40 down to 4 with release 1141.';
  clock.pass(1);
  const channel = new URL(page.url()).searchParams.get('channel') ?? '';
  await act({ do: 'say', channel, text: found });
  const said = message(page, found);
  await said.hover();
  await said.getByRole('button', { name: 'Add reaction' }).click();
  await page.getByRole('button', { name: 'memo', exact: true }).click();
  // Muster marks what it noted with the same emoji.
  await said.getByRole('button', { name: /memo 2/ }).waitFor();
  return { channel, ts: (await said.getAttribute('data-ts')) ?? '' };
}
