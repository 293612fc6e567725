import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPlayground } from '../playground/playground.ts';
import { openBrowser } from '../test/support/browser.ts';
import type { Row } from './measure.ts';
import { measureAnswers } from './playground-answer.ts';
import { measureMemory } from './playground-memory.ts';
import { measurePaint } from './playground-paint.ts';
import { measureScroll } from './playground-scroll.ts';
import type { Stand } from './playground-stand.ts';

/** As in the measure `answer`, in milliseconds. */
const latency = { slack: 30, api: 20 } as const;

/** The whole playground, seen in Chromium: its first paint, its answers, a long channel, and its memory. */
export async function* benchPlayground(): AsyncIterable<Row> {
  await using stack = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const onError = (sentence: string): void => {
    throw new Error(sentence);
  };
  const playground = stack.use(await startPlayground({ dataFolder, port: 0, system: { latency }, onError }));
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const stand: Stand = { playground, browser };
  for (const measure of [measurePaint, measureAnswers, measureScroll, measureMemory]) yield* await measure(stand);
}
