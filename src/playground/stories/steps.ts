import type { Transcript } from './transcript.ts';

/** Notes what is missing of a step's effect: `expected` says what should be so. */
export type Expect = (isSo: boolean, expected: string) => void;

/** The steps of a play and how many of them had their effect. */
export interface Steps {
  /**
   * Does something and checks what came of it. The claim is written down with a tick when every expectation was met and
   * nothing was thrown, and otherwise with a cross and what was expected. The play goes on either way.
   */
  step(claim: string, work: (expect: Expect) => Promise<void>): Promise<void>;
  readonly count: number;
  readonly failed: number;
}

/** Opens the count of steps. */
export function openSteps(transcript: Transcript): Steps {
  let count = 0;
  let failed = 0;
  return {
    step: async (claim, work) => {
      const missing: string[] = [];
      try {
        await work((isSo, expected) => {
          if (!isSo) missing.push(`expected: ${expected}`);
        });
      } catch (error) {
        missing.push(`went wrong: ${error instanceof Error ? error.message : String(error)}`);
      }
      count += 1;
      if (missing.length > 0) failed += 1;
      transcript.effect(claim, missing);
    },
    get count() {
      return count;
    },
    get failed() {
      return failed;
    },
  };
}
