import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type PlaygroundOptions, startPlayground } from '../../playground/playground.ts';
import type { Act, MessagePage } from '../../playground/workspace/protocol.ts';
import type { ApiClient } from '../../src/client/client.ts';
import { openBrowser } from './browser.ts';
import { patientSystem } from './deadlines.ts';
import { openPersonPage, type PersonPage, type PersonPageOptions } from './person-page.ts';

/** The whole playground with a browser before it. */
export interface BrowserPlayground extends AsyncDisposable {
  readonly operator: ApiClient;
  readonly pagesUrl: string;
  openPage(as: string, channel?: string, options?: PersonPageOptions): Promise<PersonPage>;
  /** Does something as a person whose page is not open. */
  act(as: string, act: Act): Promise<void>;
  /** The newest messages of a channel as a person sees them. */
  messages(as: string, channel: string): Promise<MessagePage['messages']>;
}

/** Starts a fresh playground and a browser. `system` differs from the usual of tests. */
async function openBrowserPlayground(system?: PlaygroundOptions['system']): Promise<BrowserPlayground> {
  await using stack = new AsyncDisposableStack();
  const errors: string[] = [];
  const expected: RegExp[] = [];
  const dataFolder = await mkdtemp(join(tmpdir(), 'muster-playground-'));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const playground = stack.use(
    await startPlayground({
      ...{ dataFolder, port: 0, system: { ...patientSystem, ...system } },
      onError: sentence => errors.push(sentence),
    }),
  );
  const browser = await openBrowser();
  stack.defer(() => browser.close());

  async function openPage(as: string, channel?: string, options?: PersonPageOptions): Promise<PersonPage> {
    // What a test breaks may be heard of after it.
    if (options?.expects !== undefined) expected.push(options.expects);
    const query = new URLSearchParams({ as, ...(channel !== undefined && { channel }) });
    const { page, ...opened } = await openPersonPage(browser, `${playground.url}/?${query}`, options);
    return {
      page,
      [Symbol.asyncDispose]: async () => {
        await opened[Symbol.asyncDispose]();
        expect(errors.filter(error => !expected.some(each => each.test(error)))).toEqual([]);
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
    operator: playground.system.operator,
    pagesUrl: playground.system.facts().pagesUrl,
    openPage,
    act,
    messages,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A playground that the tests of a `describe` share. A test that is tried again gets a fresh one, in which nothing has been said. */
export function usePlayground(
  system?: PlaygroundOptions['system'],
): Omit<BrowserPlayground, typeof Symbol.asyncDispose> {
  let current: BrowserPlayground | undefined;
  const open = async (): Promise<void> => {
    await current?.[Symbol.asyncDispose]();
    current = await openBrowserPlayground(system);
  };
  const opened = (): BrowserPlayground => {
    if (!current) throw new Error('The playground is open while tests run, and only then.');
    return current;
  };
  beforeAll(open);
  beforeEach(async ({ task }) => {
    if ((task.result?.retryCount ?? 0) > 0) await open();
  });
  afterAll(() => current?.[Symbol.asyncDispose]());
  return {
    get operator() {
      return opened().operator;
    },
    get pagesUrl() {
      return opened().pagesUrl;
    },
    openPage: (...given) => opened().openPage(...given),
    act: (...given) => opened().act(...given),
    messages: (...given) => opened().messages(...given),
  };
}
