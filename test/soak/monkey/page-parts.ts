import type { Locator, Page } from 'playwright-core';
import type { Random } from '../simulate/random.ts';

/** How long one click may wait for what it needs, in milliseconds: what is gone by then is left alone, as people leave it. */
export const briefly = { timeout: 3000 } as const;

/** One of the elements in sight that the selector finds; undefined when there is none. */
export async function pickSeen(within: Page | Locator, random: Random, selector: string): Promise<Locator | undefined> {
  const seen = within.locator(selector).filter({ visible: true });
  const count = await seen.count();
  return count === 0 ? undefined : seen.nth(random.whole(0, count - 1));
}

/** How an element is called, for the record. */
export async function nameOf(element: Locator): Promise<string> {
  const [label, text] = await Promise.all([element.getAttribute('aria-label', briefly), element.textContent(briefly)]);
  return (label ?? text ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
}

/** The field in which messages and commands are written; undefined where one cannot write. */
export async function composerOf(page: Page): Promise<Locator | undefined> {
  const composer = page.getByRole('textbox', { name: /^Message to / });
  return (await composer.count()) === 1 ? composer : undefined;
}

/** The dialog in front, which keeps everything else from being clicked. */
export async function dialogOf(page: Page): Promise<Locator | undefined> {
  const open = page.locator('dialog[open]');
  return (await open.count()) === 0 ? undefined : open.last();
}

/** What stands behind the scenes, at one of its tabs. */
export async function openTab(page: Page, name: string): Promise<Locator> {
  const wire = page.getByRole('complementary', { name: 'Wire' });
  if ((await wire.count()) === 0) await page.getByRole('button', { name: 'Behind the scenes' }).click(briefly);
  await wire.getByRole('tab', { name, exact: true }).click(briefly);
  return wire;
}
