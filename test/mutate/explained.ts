/** A mutant that no test can or should notice, and why. */
export interface Explained {
  readonly file: string;
  /** The code that is replaced, as it stands in the file. */
  readonly code: string;
  /** What replaces it; any mutant of that code when absent. */
  readonly becomes?: string;
  readonly why: string;
}

/** Survivors that are no gap in the tests. */
export const explained: readonly Explained[] = [];
