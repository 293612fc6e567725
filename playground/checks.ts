import type { StorySystem } from './story-system.ts';
import type { Transcript } from './transcript.ts';

/** Records that something is not as `expected` says, unless `isSo`. */
export type Expect = (isSo: boolean, expected: string) => void;

/** Looks at the things that people and the API read. It changes nothing: it may be tried many times. */
export type Look = (expect: Expect) => Promise<void> | void;

/** What a claim is made of: people act, and then it holds. */
export interface Checked {
  /** What people do, once. Each thing that they act on was checked before. */
  readonly act?: () => Promise<unknown>;
  /** Holds when every expectation does and nothing throws. It is tried again until it holds: Muster works in its own time. */
  readonly look: Look;
  /** How long it may take until it holds, in milliseconds; `deadlines.playground.check` when absent. */
  readonly within?: number;
}

/** Runs checks and counts them. */
export interface Checks {
  /**
   * Writes the claim down: with a tick when people could act and the look holds in time, else with a cross and the problems. The story
   * goes on either way. After a failure it waits for nothing more, since much of the rest may follow from it.
   */
  check(claim: string, checked: Checked): Promise<void>;
  readonly count: number;
  readonly failed: number;
}

/** Starts counting. */
export function openChecks(transcript: Transcript, system: Pace): Checks {
  let count = 0;
  let failed = 0;
  return {
    check: async (claim, { act, look, within }) => {
      let problems = await findProblems(async () => void (await act?.()));
      if (problems.length === 0) problems = await waitUntilHeld(look, system, { within: failed > 0 ? 0 : within });
      count += 1;
      if (problems.length > 0) failed += 1;
      transcript.verdict(claim, problems);
    },
    get count() {
      return count;
    },
    get failed() {
      return failed;
    },
  };
}

/** How time passes for a story, and how Muster is hurried. */
export type Pace = Pick<StorySystem, 'clock' | 'hurry' | 'deadlines'>;

/** How long one waits. */
interface Patience {
  /** Milliseconds on the story's clock; `deadlines.playground.check` when undefined. */
  readonly within?: number | undefined;
  readonly signal?: AbortSignal;
  /** Hears of each look in vain: how long one has waited, in milliseconds. */
  readonly waited?: (milliseconds: number) => void;
}

/** Milliseconds between two looks. */
const between = 250;

/** Tries a look until it holds, or until it is too late. Resolves to the problems of the last look. Rejects when the signal aborts. */
export async function waitUntilHeld(look: Look, pace: Pace, patience: Patience): Promise<string[]> {
  const { clock, deadlines, hurry } = pace;
  const { within = deadlines.playground.check, signal, waited } = patience;
  for (let time = 0; ; time += between) {
    await hurry?.();
    const problems = await findProblems(look);
    if (problems.length === 0 || time >= within) return problems;
    waited?.(time);
    await clock.wait(between, signal);
  }
}

async function findProblems(look: Look): Promise<string[]> {
  const problems: string[] = [];
  try {
    await look((isSo, expected) => {
      if (!isSo) problems.push(`expected: ${expected}`);
    });
  } catch (error) {
    problems.push(`went wrong: ${error instanceof Error ? error.message : String(error)}`);
  }
  return problems;
}
