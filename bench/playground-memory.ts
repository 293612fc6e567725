import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CDPSession } from 'playwright-core';
import type { Row } from './measure.ts';
import { wordsOf } from './playground-scroll.ts';
import { openPage, type Stand } from './playground-stand.ts';

const messages = 10_000;
/** Those before, after which the page holds as much as it ever will. */
const first = 1000;
/** So many at a time. */
const batch = 50;
/** How long the page may take to show all of them, in milliseconds: it is weighed here, not timed. */
const patience = 300_000;

/** What a page and its host hold after everything that nobody needs is gone. Heaps in MB (10⁶ bytes). */
interface Holding {
  readonly page: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly host: number;
  /** The messages as they are written to disk. */
  readonly kept: number;
}

/** What an open page holds after 10,000 further messages over what it held before; and its host, over the messages that it keeps. */
export async function measureMemory(stand: Stand): Promise<Row[]> {
  await using page = await openPage(stand, 'database');
  const devTools = await page.context().newCDPSession(page);
  const { slack } = stand.playground.system;
  const people = ['alice', 'bob', 'carol'].map(name => slack.person(name));
  let count = 0;
  const write = async (more: number): Promise<void> => {
    for (const last = count + more; count < last; count += 1) {
      people[count % people.length]?.say('database', wordsOf(count));
      if (count % batch === 0) await slack.settled();
    }
    await slack.settled();
    await page.getByRole('article', { name: `Message ${count - 1} ` }).waitFor({ timeout: patience });
  };
  await write(first);
  const before = await weigh(stand, devTools);
  await write(messages);
  const after = await weigh(stand, devTools);
  const flat = { limit: 1.1, bound: 'at most' } as const;
  const row = (name: string, of: 'page' | 'nodes' | 'listeners', unit: string): Row => {
    const [baseline, subject] = [before[of], after[of]];
    return { name, ratio: subject / baseline, ...flat, baseline, subject, unit };
  };
  const [baseline, subject] = [after.kept - before.kept, after.host - before.host];
  return [
    row('page-heap', 'page', 'MB'),
    row('page-nodes', 'nodes', 'nodes'),
    row('page-listeners', 'listeners', 'each'),
    { name: 'page-host-heap', ratio: subject / baseline, limit: 2, bound: 'at most', baseline, subject, unit: 'MB' },
  ];
}

async function weigh({ playground }: Stand, devTools: CDPSession): Promise<Holding> {
  await devTools.send('HeapProfiler.enable');
  for (let turn = 0; turn < 3; turn += 1) await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await devTools.send('Memory.getDOMCounters');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return {
    page: usedSize / 1e6,
    nodes,
    listeners: jsEventListeners,
    host: process.memoryUsage().heapUsed / 1e6,
    kept: JSON.stringify(playground.system.slack.save()).length / 1e6,
  };
}
