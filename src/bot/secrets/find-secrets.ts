import type { Finding } from './finding.ts';
import { findNamed, findTaken } from './named-values.ts';
import { findNumbers } from './numbers.ts';
import { findTokens } from './tokens.ts';

/**
 * What in a text looks like a token, key, password, card number or IBAN, in the order of the text; parts do not overlap. Its time
 * grows with the length of the text alone, whatever the text is.
 */
export function findSecrets(text: string): readonly Finding[] {
  const all = [...findTokens(text), ...findNumbers(text), ...findTaken(text), ...findNamed(text)];
  const merged: Finding[] = [];
  // The sort keeps the order of what begins together, so the most exact kind names a part.
  for (const finding of all.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) merged.push(finding);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, finding.end) };
  }
  return merged;
}

/** The text with words in place of each part that was found: `[redacted: AWS key]`. */
export function redact(text: string, findings: readonly Finding[] = findSecrets(text)): string {
  let redacted = '';
  let from = 0;
  for (const { kind, start, end } of findings) {
    redacted += `${text.slice(from, start)}[redacted: ${kind}]`;
    from = end;
  }
  return redacted + text.slice(from);
}
