import type { Page } from 'playwright-core';
import type { WireLine } from '../playground/workspace/protocol.ts';
import { quantile } from '../test/support/quantile.ts';
import type { Row } from './measure.ts';
import { composerOf, openPage, type Stand } from './playground-stand.ts';

const commands = 200;
/** Unmeasured ones, in which everything gets as fast as it will be. */
const warmUp = 20;
const line = '/incident list';

/** What one command took, in milliseconds. */
interface Waits {
  /** From the request until Slack has the answer at the `response_url`. */
  readonly onWire: number;
  /** From Enter to the first frame with the answer. */
  readonly onScreen: number;
}

/** In the page, `shown` resolves to the time from the next Enter to the first frame with one more private answer. */
const watchScreen = `void (globalThis.shown = new Promise(resolve => {
  const answers = () => [...document.querySelectorAll('main article.ephemeral')].at(-1)?.dataset.ts;
  let before;
  let entered;
  addEventListener('keydown', () => {
    entered = performance.now();
    before = answers();
  }, { capture: true, once: true });
  const observer = new MutationObserver(() => {
    if (entered === undefined || answers() === before) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      const painted = new MessageChannel();
      painted.port1.onmessage = () => resolve(performance.now() - entered);
      painted.port2.postMessage('');
    });
  });
  observer.observe(document.querySelector('main'), { childList: true, subtree: true });
}))`;

/** A typed command as its person waits for it, over its way from Slack to Muster and back: the same commands in the same run. */
export async function measureAnswers(stand: Stand): Promise<Row[]> {
  await using page = await openPage(stand, 'database');
  const waits: Waits[] = [];
  for (let turn = 0; turn < warmUp + commands; turn += 1) waits.push(await type(stand, page));
  const measured = waits.slice(warmUp);
  return [0.5, 0.99].map(share => {
    const baseline = quantile(
      measured.map(each => each.onWire),
      share,
    );
    const subject = quantile(
      measured.map(each => each.onScreen),
      share,
    );
    const name = `page-answer-p${share * 100}`;
    return { name, ratio: subject / baseline, limit: 1.5, bound: 'at most', baseline, subject, unit: 'ms' } as const;
  });
}

async function type({ playground }: Stand, page: Page): Promise<Waits> {
  await composerOf(page).fill(line);
  // A key may overtake an evaluation that nobody awaits.
  await page.evaluate(watchScreen);
  const wire = watchWire(playground.system.wire);
  await page.keyboard.press('Enter');
  return { onWire: await wire, onScreen: await page.evaluate<number>('shown') };
}

/** Resolves to the time from the next command from Slack to the end of the next use of a `response_url`. */
function watchWire({ follow }: Stand['playground']['system']['wire']): Promise<number> {
  return new Promise(resolve => {
    let sent: number | undefined;
    const end = follow(({ way, name, duration }: WireLine) => {
      if (way === 'from Slack') sent ??= performance.now();
      if (name !== 'response_url' || duration === undefined || sent === undefined) return;
      end();
      resolve(performance.now() - sent);
    });
  });
}
