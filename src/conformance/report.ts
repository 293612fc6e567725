import type { Rule } from './check.ts';

/** The result of a check. `differs (ours)`: another server of this API may have this difference. */
type Verdict = 'ok' | 'differs' | 'differs (ours)' | 'not allowed by this token' | 'not offered';

/** One line of the table. */
export interface Finding {
  readonly operation: string;
  readonly checked: string;
  readonly verdict: Verdict;
  readonly rule: Rule;
  readonly source: string;
  /** What was expected and what the server answered; empty when the check passed. */
  readonly detail: string;
  /** Whether the verdict alone makes the server fail: a difference from what is required, or a required operation missing. */
  readonly fails: boolean;
}

/** The result of a run. */
export interface Report {
  readonly findings: readonly Finding[];
  /** Things that stay on the server, because the API cannot delete them. */
  readonly leftovers: Readonly<Record<string, readonly string[]>>;
  /** Failures of the clean-up. */
  readonly notCleanedUp: readonly string[];
}

/** Whether a server conforms; `strict` counts differences from our own decisions too. */
export function conforms({ findings }: Report, strict: boolean): boolean {
  return !findings.some(each => each.fails || (strict && each.verdict.startsWith('differs')));
}

/** The report for people. */
export function toText(report: Report, strict: boolean): string {
  const width = Math.max(9, ...report.findings.map(each => each.operation.length));
  const lines = [`${'operation'.padEnd(width)}  what was checked`];
  for (const { operation, checked, verdict, detail, source } of report.findings) {
    lines.push(`${operation.padEnd(width)}  ${checked}: ${verdict}`);
    if (verdict !== 'ok')
      lines.push(`${' '.repeat(width)}    ${[detail, source].filter(each => each !== '').join(' — ')}`);
  }
  const counts = new Map<Verdict, number>();
  for (const { verdict } of report.findings) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const all = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
  lines.push('', `${report.findings.length} checks: ${all}.`);
  for (const [kind, ids] of Object.entries(report.leftovers)) {
    lines.push(`${ids.length} ${kind} stay on the server: ${ids.join(', ')}.`);
  }
  if (report.notCleanedUp.length > 0) lines.push(`Could not be removed: ${report.notCleanedUp.join('; ')}.`);
  const verdict = conforms(report, strict) ? 'The server conforms' : 'The server does not conform';
  const reach = report.findings.some(each => each.verdict.startsWith('not')) ? ', as far as it could be checked' : '';
  lines.push(`${verdict}${strict ? ', our own decisions included' : ''}${reach}.`, '');
  return lines.join('\n');
}
