import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openFakeSlack } from '../playground/fake-slack/fake-slack.ts';
import { type AcknowledgingProcess, startMuster } from '../test/support/acknowledging-process.ts';
import { interleave, type Row, summarise } from './measure.ts';
import { residentMemory } from './process-usage.ts';
import { startBareBolt } from './start-bare-bolt.ts';

const rounds = 9;
/** How long a process rests between its first answer and the reading of its memory, in milliseconds. */
const rest = 400;

/**
 * From spawn to the first acknowledged command, and the memory resident after that, of `muster start` over those of a bare
 * Bolt app that acknowledges the same; both ask Slack who they are. As at any start but the first, Muster's database is there,
 * and so is what Node keeps compiled for it; the bare app keeps nothing, since a bare app does not. One of each starts
 * unmeasured before, so that the files are in memory for both.
 */
export async function benchStart(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  await using slack = await openFakeSlack();
  try {
    const { answer } = await measure(() => startMuster(slack, folder));
    const baseline = () => measure(() => startBareBolt(slack, folder, answer));
    await baseline();
    const pairs = await interleave(rounds, { baseline, subject: () => measure(() => startMuster(slack, folder)) });
    const time = pairs.map(each => ({ baseline: each.baseline.startMs, subject: each.subject.startMs }));
    const memory = pairs.map(each => ({ baseline: each.baseline.megabytes, subject: each.subject.megabytes }));
    return [
      { name: 'start-time', ...summarise(time), limit: 1.35, bound: 'at most', unit: 'ms' },
      { name: 'start-memory', ...summarise(memory), limit: 1.25, bound: 'at most', unit: 'MB' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  open: () => Promise<AcknowledgingProcess>,
): Promise<{ startMs: number; megabytes: number; answer: string }> {
  await using contender = await open();
  await pause(rest);
  return { startMs: contender.startMs, megabytes: residentMemory(contender.pid), answer: contender.answer };
}
