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

const viewport = { width: 1440, height: 900 };

/** Pages that a test has left, by browser, for the next one: a fresh context costs more than what most tests see in it. */
const left = new WeakMap<Browser, Page[]>();

/** A page that remembers nothing, to which no tour is offered. */
async function openCalmPage(browser: Browser): Promise<Page> {
  const known = left.get(browser)?.pop();
  if (known) return known;
  const page = await browser.newPage({ viewport });
  // The incident's page stands in a frame that keeps nothing.
  const content =
    "if (window === window.top && location.protocol !== 'about:') localStorage.setItem('muster-tour', 'over');";
  await page.addInitScript({ content });
  return page;
}

/** Leaves a page for the next test: it forgets all that its person did. One that cannot is closed. */
async function leave(browser: Browser, page: Page): Promise<void> {
  try {
    const context = page.context();
    await page.evaluate('localStorage.clear(); sessionStorage.clear();');
    await page.goto('about:blank');
    await Promise.all(
      context
        .pages()
        .filter(each => each !== page)
        .map(each => each.close()),
    );
    await context.clearCookies();
    await context.clearPermissions();
    await page.unrouteAll();
    await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
    await page.setViewportSize(viewport);
    page.removeAllListeners();
    left.set(browser, [...(left.get(browser) ?? []), page]);
  } catch {
    await page.context().close();
  }
}

/** Opens a page of the playground. */
export async function openPersonPage(
  browser: Browser,
  address: string,
  { hasTour = false, expects }: PersonPageOptions = {},
): Promise<PersonPage> {
  const page = await (hasTour ? browser.newPage({ viewport }) : openCalmPage(browser));
  page.setDefaultTimeout(patience);
  const complaints: string[] = [];
  const complain = (words: string): void => {
    if (expects?.test(words) !== true) complaints.push(words);
  };
  page.on('console', message => complain(message.text()));
  page.on('pageerror', error => complain(String(error)));
  page.on('requestfailed', request => {
    // A page that is left or loaded again breaks off what it still waits for.
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
      await (hasTour ? page.context().close() : leave(browser, page));
      expect(complaints).toEqual([]);
    },
  };
}
