import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, errors as browserErrors, type Page } from 'playwright-core';
import { type Playground, startPlayground } from '../../../playground/playground.ts';
import { type FaultName, faultNames } from '../../../playground/workspace/protocol.ts';
import { openBrowser } from '../../support/browser.ts';
import { patientSystem } from '../../support/deadlines.ts';
import { patience } from '../../support/patience.ts';
import { Random } from '../simulate/random.ts';
import { type Agreement, compareIncidents } from './agreement.ts';
import { doSomething, rooms, send, switchFault } from './deeds.ts';

/** How a monkey plays. */
export interface MonkeyOptions {
  readonly seed: number;
  /** How long the people click, in seconds. What they began is finished after that. */
  readonly seconds: number;
  /** They go on beyond that until so many acts are done, and something was broken so often: a busy machine is slow. */
  readonly least?: { readonly done: number; readonly broken: number };
  /** Where the playground keeps its data, to be read afterwards. Absent: in a temporary folder, which is removed. */
  readonly dataFolder?: string | undefined;
  /** Hears each act, as it is done. */
  readonly onAct?: (line: string) => void;
}

/** What a monkey did, and what came of it. */
export interface MonkeyReport extends Agreement {
  /** Acts that were done, and those whose aim was gone when they were tried. */
  readonly done: number;
  readonly missed: number;
  /** How often something was broken. */
  readonly broken: number;
  /** Complaints of pages, the bot and the service, with the seconds at which they came. */
  readonly errors: readonly string[];
}

/** On call, the lead, support, a guest, and somebody of another company. */
const people = ['alice', 'bob', 'carol', 'gina', 'petra'] as const;
/** Those who break things, one thing at a time, and how often. */
const breakers = ['alice', 'bob'] as const;
const breaking = 0.1;
/** How long something stays broken, in milliseconds. */
const brokenFor = { least: 1000, most: 8000 } as const;
/** How long nothing may happen where everything has come to rest, in milliseconds. */
const still = 2000;

/** Five people click at random in a playground of their own, each in a page of a real browser. */
export async function runMonkey(options: MonkeyOptions): Promise<MonkeyReport> {
  const { seed, seconds, least = { done: 0, broken: 0 }, onAct = () => undefined } = options;
  await using stack = new AsyncDisposableStack();
  const began = performance.now();
  const stamp = (): string => `${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s`;
  const errors: string[] = [];
  const complain = (who: string, words: string): void => {
    errors.push(`${stamp()} ${who}: ${words}`);
    onAct(`${stamp()} ! ${who}: ${words}`);
  };
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'muster-monkey-')));
  if (options.dataFolder === undefined) stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  let isBotKilled = false;
  const onError = (sentence: string): void => {
    // The service says so rightly: nobody is there.
    if (isBotKilled && sentence.startsWith('webhooks: the endpoint fails')) onAct(`${stamp()} system: ${sentence}`);
    else complain('system', sentence);
  };
  const playground = stack.use(await startPlayground({ dataFolder, port: 0, system: patientSystem, onError }));
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const pages = new Map<string, Page>();
  for (const who of people) pages.set(who, await openPage({ browser, playground, who, complain }));

  const alice = pages.get('alice');
  if (alice === undefined) throw new Error('Alice has no page.');
  // Most of what people can do is done in the room of an incident.
  await send(alice, '/incident declare Checkout is slow --now');
  await alice.locator(rooms).first().waitFor();

  const count = { done: 0, missed: 0, broken: 0 };
  const deadline = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= deadline && count.done >= least.done && count.broken >= least.broken;
  let isBroken = false;
  async function breakSomething(who: string, page: Page, random: Random): Promise<void> {
    isBroken = true;
    const fault = random.pick(faultNames);
    const time = random.whole(brokenFor.least, brokenFor.most);
    isBotKilled = fault === 'Bot killed';
    try {
      await breakFor({ page, fault, time, tell: words => onAct(`${stamp()} ${who} ${words}`) });
      count.broken += 1;
    } finally {
      isBroken = false;
      isBotKilled = playground.system.facts().bot !== 'running';
    }
  }
  async function live(who: string): Promise<void> {
    const random = new Random(seed, who);
    const page = pages.get(who);
    if (page === undefined) return;
    while (!isOver()) {
      const breaks = random.chance(breaking) && breakers.some(each => each === who);
      try {
        if (breaks && !isBroken && (await page.locator('dialog[open]').count()) === 0) {
          await breakSomething(who, page, random);
        } else {
          const words = await doSomething(page, random);
          if (words !== undefined) onAct(`${stamp()} ${who} ${words}`);
          count.done += words === undefined ? 0 : 1;
        }
      } catch (error) {
        if (!(error instanceof browserErrors.TimeoutError)) throw error;
        count.missed += 1;
        onAct(`${stamp()} ${who} misses: ${error.message.split('\n')[0]}`);
      }
      await wait(random.whole(50, 400));
    }
  }
  await Promise.all(people.map(live));
  await heal(playground);
  if (!(await rests(playground))) complain('system', 'does not come to rest');
  const agreement = await compareIncidents(playground, alice, 'alice');
  onAct(`${stamp()} compared ${agreement.compared} of ${agreement.declared} incidents`);
  return { ...count, errors, ...agreement };
}

interface Opening {
  readonly browser: Browser;
  readonly playground: Playground;
  readonly who: string;
  readonly complain: (who: string, words: string) => void;
}

/** Opens the page of a person, and hears everything that the browser complains of. */
async function openPage({ browser, playground, who, complain }: Opening): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const content = "if (window === window.top) localStorage.setItem('muster-tour', 'over');";
  await context.addInitScript({ content });
  const page = await context.newPage();
  page.on('console', message => complain(who, message.text()));
  page.on('pageerror', error => complain(who, String(error)));
  page.on('requestfailed', request => {
    // What nobody waits for any more is broken off by the browser itself.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') complain(who, `failed: ${request.url()}`);
  });
  page.on('response', response => {
    if (response.status() >= 400) complain(who, `${response.status()}: ${response.url()}`);
  });
  page.on('filechooser', chooser =>
    chooser.setFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('error: refused\n') }),
  );
  // Opening a page is no act: a busy machine may take its time.
  page.setDefaultTimeout(patience);
  await page.goto(`${playground.url}/?as=${who}`);
  await page.getByRole('main', { name: 'Messages' }).waitFor();
  return page;
}

interface Breaking {
  readonly page: Page;
  readonly fault: FaultName;
  readonly time: number;
  readonly tell: (words: string) => void;
}

/** Throws a switch, and throws it back after a while. */
async function breakFor({ page, fault, time, tell }: Breaking): Promise<void> {
  await switchFault(page, fault, true);
  tell(`breaks: ${fault}`);
  await wait(time);
  await switchFault(page, fault, false);
  tell(`fixes: ${fault}`);
}

/** Everything that a missed click left broken is fixed. */
async function heal({ system }: Playground): Promise<void> {
  for (const fault of system.facts().faults) await system.setFault(fault, false);
}

/** Resolves to whether everything comes to rest: the journal is empty, cards show what was done, and nothing is on the wire. */
async function rests({ system }: Playground): Promise<boolean> {
  const { journal, wire, slack } = system;
  const until = performance.now() + patience;
  while (performance.now() < until) {
    await slack.settled();
    const last = wire.lines.at(-1)?.id;
    await wait(still);
    const isStill = wire.lines.at(-1)?.id === last && wire.lines.every(line => line.outcome !== undefined);
    if (isStill && (await journal.isIdle()) && (await journal.isShown())) return true;
  }
  return false;
}
