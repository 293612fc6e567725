/**
 * One line of the doctor's report: something is well, it fails, or it cannot be seen from here. All words are plain text for members
 * and operators, and hold no secret.
 */
export interface Finding {
  /** What was looked at, such as `scope pins:write`. Unique in a report. */
  readonly subject: string;
  readonly state: 'ok' | 'failing' | 'unknown';
  /** What was found, as sentences. */
  readonly found: string;
  /** What stops working, as a phrase; `""` when it is well. */
  readonly stops: string;
  /** The click or command that fixes it, or that tells more when it is unknown; `""` when it is well. */
  readonly fix: string;
}

/** One look at the installation. It may throw: the report then says that it could not be made. */
export interface Check {
  readonly name: string;
  run(): Promise<readonly Finding[]>;
}

/** Something is well. */
export function ok(subject: string, found: string): Finding {
  return { subject, state: 'ok', found, stops: '', fix: '' };
}

/** Something stops working. */
export function failing(subject: string, found: string, stops: string, fix: string): Finding {
  return { subject, state: 'failing', found, stops, fix };
}

/** It cannot be told from here. `stops` is what would not work; `fix` is how to find out. */
export function unknown(subject: string, found: string, stops: string, fix: string): Finding {
  return { subject, state: 'unknown', found, stops, fix };
}
