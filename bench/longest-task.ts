import type { Page } from 'playwright-core';

/** An event of Chromium's trace; times in microseconds. */
interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Runs the work, and resolves to the most time that a task of the page's main thread took meanwhile, in milliseconds: on the
 * processor, and on the clock, where other programs of the machine count too.
 */
export async function longestTask(page: Page, work: () => Promise<void>): Promise<{ cpu: number; wall: number }> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  const devTools = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  devTools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await devTools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  await work();
  const complete = new Promise(resolve => devTools.once('Tracing.tracingComplete', resolve));
  await devTools.send('Tracing.end');
  await complete;
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const mainThreads = new Set(
    events.filter(each => each.name === 'thread_name' && each.args?.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = events.filter(
    each => each.ph === 'X' && each.name.endsWith('RunTask') && mainThreads.has(threadOf(each)),
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks.');
  const longest = (of: 'dur' | 'tdur'): number => tasks.reduce((most, each) => Math.max(most, each[of] ?? 0), 0) / 1000;
  return { cpu: longest('tdur'), wall: longest('dur') };
}
