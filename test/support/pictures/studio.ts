import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMinutes } from 'date-fns/addMinutes';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startPlayground } from '../../../playground/playground.ts';
import { realClock, type StoryClock } from '../../../playground/story-system.ts';
import { writeKept } from '../../../playground/system/system.ts';
import { prepareBotOn } from '../bot-in-process.ts';
import { openBrowser } from '../browser.ts';
import { patient, patientSlack } from '../deadlines.ts';
import { patience } from '../patience.ts';
import { openPlaygroundClient, type PlaygroundClient } from '../playground-client.ts';

/** When every story begins: on a Saturday night. */
const start = new Date('2026-03-14T02:07:00Z');

/** A playground whose clock stands still until a story moves it, with a browser before it. */
export interface Studio extends AsyncDisposable, Pick<PlaygroundClient, 'act'> {
  readonly clock: StoryClock;
  /** Where the service's pages are. */
  readonly pagesUrl: string;
  /** Opens an address of the playground, or a whole one. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>;
  /** Plays the story of one incident until so many of its steps are done. */
  play(steps: number): Promise<void>;
}

/** Links in messages have the port of the API, so it is the same in each studio. */
const apiPort = 4199;

/** Opens a studio. Everything in it is real but Slack and the time. */
export async function openStudio(): Promise<Studio> {
  await using stack = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(tmpdir(), 'muster-pictures-'));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  await mkdir(join(dataFolder, 'playground'));
  await writeKept(join(dataFolder, 'playground', 'system.json'), { port: apiPort });
  const errors: string[] = [];
  let shown = start;
  const clock: StoryClock = {
    now: () => shown,
    pass: minutes => {
      shown = addMinutes(shown, minutes);
    },
    wait: realClock.wait,
  };
  const playground = stack.use(
    await startPlayground({
      dataFolder,
      port: 0,
      system: { clock, prepareBot: prepareBotOn(clock), deadlines: patient(), slack: { deadlines: patientSlack } },
      onError: sentence => errors.push(sentence),
    }),
  );
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const { act, follow } = openPlaygroundClient(playground.url);

  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const usual = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' } as const;
    const context = await browser.newContext({ ...usual, ...options });
    await context.addInitScript(() => localStorage.setItem('muster-tour', 'over'));
    await context.clock.setFixedTime(shown);
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await page.goto(new URL(address, playground.url).href);
    return page;
  }

  const arrived = new Map<number, PromiseWithResolvers<void>>();
  const fail = (error: Error) => {
    for (const each of arrived.values()) each.reject(error);
  };
  const listening = follow(told => {
    const story = told.kind === 'stories' ? told.stories.find(each => each.name === 'incident') : undefined;
    if (story?.problem !== undefined) fail(new Error(story.problem.what));
    if (story !== undefined && !story.isPlaying) arrived.get(story.done)?.resolve();
  });
  listening.catch(fail);
  const play = async (steps: number) => {
    const arriving = Promise.withResolvers<void>();
    arrived.set(steps, arriving);
    await act({ do: 'story', name: 'incident', command: 'play', upTo: steps });
    await arriving.promise;
  };

  const running = stack.move();
  return {
    clock,
    pagesUrl: playground.system.facts().pagesUrl,
    act,
    open,
    play,
    [Symbol.asyncDispose]: async () => {
      await running.disposeAsync();
      if (errors.length > 0) throw new Error(errors.join('\n'));
    },
  };
}
