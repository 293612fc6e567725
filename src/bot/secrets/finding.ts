/** A part of a text that looks like a secret: from `start` to before `end`. */
export interface Finding {
  /** What it looks like, in words that fit "it looks like …": `an AWS key` without its article. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** The finding of a match: its group `secret` where it has one, else all of it. */
export function toFinding(kind: string, match: RegExpExecArray): Finding {
  const { 0: whole, index, groups } = match;
  const secret = groups?.secret ?? whole;
  const start = index + whole.lastIndexOf(secret);
  return { kind, start, end: start + secret.length };
}
