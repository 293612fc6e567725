import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { patience } from './patience.ts';

/** A page of one person. Disposing closes it, and fails when the browser complained of anything. */
export interface PersonPage extends AsyncDisposable {
  readonly page: Page;
}

/** How a page is opened. */
export interface PersonPageOptions {
  /** Whether the guided tour is offered. Its card covers what other tests press. */
  readonly hasTour?: boolean;
  /** Complaints that the test brings about itself. */
  readonly expects?: RegExp;
}

/** Opens a page of the playground. */
export async function openPersonPage(
  browser: Browser,
  address: string,
  { hasTour = false, expects }: PersonPageOptions = {},
): Promise<PersonPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  // The incident's page stands in a frame that keeps nothing.
  const content = "if (window === window.top) localStorage.setItem('muster-tour', 'over');";
  if (!hasTour) await context.addInitScript({ content });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const complaints: string[] = [];
  const complain = (words: string): void => {
    if (expects?.test(words) !== true) complaints.push(words);
  };
  page.on('console', message => complain(message.text()));
  page.on('pageerror', error => complain(String(error)));
  page.on('requestfailed', request => {
    // A page that is left or loaded anew breaks off what it still waits for.
    const isBrokenOff = request.failure()?.errorText === 'net::ERR_ABORTED';
    if (!isBrokenOff && !request.url().includes('/events')) complain(`failed: ${request.url()}`);
  });
  page.on('response', response => {
    if (response.status() >= 400) complain(`${response.status()}: ${response.url()}`);
  });
  await page.goto(address);
  return {
    page,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}
