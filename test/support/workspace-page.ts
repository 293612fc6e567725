import type { Locator, Page } from 'playwright-core';

/** The field in which a person writes to the open channel. */
export function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: /^Message to / });
}

/** Writes to the open channel, and waits until it stands there. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
  await page.getByRole('article', { name: text }).waitFor();
}

/** Chooses an entry of the menu of the message with these words. */
export async function choose(page: Page, words: string, entry: string): Promise<void> {
  const message = page.getByRole('article', { name: words });
  await message.hover();
  await message.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}
