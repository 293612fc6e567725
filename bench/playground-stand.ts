import type { Browser, Page } from 'playwright-core';
import type { Playground } from '../playground/playground.ts';
import type { Row } from './measure.ts';

/** A playground, and a browser to look at it. */
export interface Stand {
  readonly playground: Playground;
  readonly browser: Browser;
}

/** Alice's page, as on a first visit: nothing of it is in the browser's cache. */
export async function openPage({ playground, browser }: Stand, channel: string): Promise<Page & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript("localStorage.setItem('muster-tour', 'over')");
  const page = await context.newPage();
  await page.goto(`${playground.url}/?as=alice&channel=${channel}`);
  await composerOf(page).waitFor();
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
}

/** Where one types. */
export function composerOf(page: Page) {
  return page.getByRole('textbox', { name: /^Message to / });
}

/** A row of a measure that has its limit in its own unit: the limit stands as the baseline, and the ratio must not exceed 1. */
export function within(limit: number, { name, value, unit }: { name: string; value: number; unit: string }): Row {
  return { name, ratio: value / limit, limit: 1, bound: 'at most', baseline: limit, subject: value, unit };
}
