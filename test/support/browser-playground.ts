import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ApiClient } from '../../src/client/client.ts';
import { startPlayground } from '../../src/playground/playground.ts';
import type { Act, MessagePage } from '../../src/playground/workspace/protocol.ts';
import { openBrowser } from './browser.ts';

/** A page of one person. Disposing closes it, and fails when the browser complained of anything. */
export interface PersonPage extends AsyncDisposable {
  readonly page: Page;
}

/** The whole playground with a browser before it. */
export interface BrowserPlayground extends AsyncDisposable {
  readonly operator: ApiClient;
  readonly pagesUrl: string;
  openPage(as: string, channel?: string): Promise<PersonPage>;
  /** Does something as a person whose page is not open. */
  act(as: string, act: Act): Promise<void>;
  /** The newest messages of a channel as a person sees them. */
  messages(as: string, channel: string): Promise<MessagePage['messages']>;
}

/** How long something may take to show, in milliseconds: a busy machine is no fault. */
const patience = 30_000;

/** Starts a fresh playground and a browser. */
export async function openBrowserPlayground(): Promise<BrowserPlayground> {
  await using stack = new AsyncDisposableStack();
  const errors: string[] = [];
  const dataFolder = await mkdtemp(join(tmpdir(), 'muster-playground-'));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const playground = stack.use(
    await startPlayground({ dataFolder, port: 0, onError: sentence => errors.push(sentence) }),
  );
  const browser = await openBrowser();
  stack.defer(() => browser.close());

  async function openPage(as: string, channel?: string): Promise<PersonPage> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    // The tour is offered on a first visit, and its card covers what a test presses.
    await context.addInitScript(() => localStorage.setItem('muster-tour', 'over'));
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const complaints: string[] = [];
    page.on('console', message => complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(String(error)));
    page.on('requestfailed', request => {
      if (!request.url().includes('/events')) complaints.push(`failed: ${request.url()}`);
    });
    page.on('response', response => {
      if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
    });
    const query = new URLSearchParams({ as, ...(channel !== undefined && { channel }) });
    await page.goto(`${playground.url}/?${query}`);
    return {
      page,
      [Symbol.asyncDispose]: async () => {
        await context.close();
        expect([...complaints, ...errors]).toEqual([]);
      },
    };
  }

  async function act(as: string, what: Act): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ as, act: what });
    const response = await fetch(`${playground.url}/acts`, { method: 'POST', headers, body });
    expect(await response.json()).toEqual({});
  }

  async function messages(as: string, channel: string): Promise<MessagePage['messages']> {
    const response = await fetch(`${playground.url}/messages?${new URLSearchParams({ as, channel })}`);
    return ((await response.json()) as MessagePage).messages;
  }

  const running = stack.move();
  return {
    operator: playground.operator,
    pagesUrl: playground.pagesUrl,
    openPage,
    act,
    messages,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
