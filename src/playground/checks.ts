import type { Transcript } from './transcript.ts';

/** Records that something is not as `expected` says, unless `isSo`. */
type Expect = (isSo: boolean, expected: string) => void;

/** Runs checks and counts them. */
export interface Checks {
  /**
   * Runs `work` and writes the claim down: with a tick when every expectation holds and nothing throws, else with a cross and
   * what was expected. The story goes on either way.
   */
  check(claim: string, work: (expect: Expect) => Promise<void> | void): Promise<void>;
  readonly count: number;
  readonly failed: number;
}

/** Starts counting. */
export function openChecks(transcript: Transcript): Checks {
  let count = 0;
  let failed = 0;
  return {
    check: async (claim, work) => {
      const problems: string[] = [];
      try {
        await work((isSo, expected) => {
          if (!isSo) problems.push(`expected: ${expected}`);
        });
      } catch (error) {
        problems.push(`went wrong: ${error instanceof Error ? error.message : String(error)}`);
      }
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
