import type { Finding } from './finding.ts';

/** A sign for each state, readable without colours. */
const signs = { ok: 'ok', failing: 'FAILING', unknown: 'unknown' } as const;

/** Whether nothing stops working. What cannot be seen does not count. */
export function isWell(findings: readonly Finding[]): boolean {
  return findings.every(each => each.state !== 'failing');
}

/** One sentence on the whole report. */
export function summarize(findings: readonly Finding[]): string {
  const of = (state: Finding['state']) => findings.filter(each => each.state === state).length;
  const [failing, unseen] = [of('failing'), of('unknown')];
  const well = `${of('ok')} checks passed`;
  const rest = unseen === 0 ? '' : `, ${unseen} cannot be checked from here`;
  return failing === 0
    ? `No problems found: ${well}${rest}.`
    : `${failing} ${failing === 1 ? 'check fails' : 'checks fail'}; ${well}${rest}.`;
}

/** The report for a terminal. */
export function toReportText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ state, subject, found, stops, fix }) => [
    `${signs[state].padEnd(8)} ${subject}: ${found}`,
    ...(stops === '' ? [] : [`         ${state === 'failing' ? 'stops' : 'would stop'}: ${stops}`]),
    ...(fix === '' ? [] : [`         ${state === 'failing' ? 'do' : 'find out'}: ${fix}`]),
  ]);
  return [...lines, '', summarize(findings), ''].join('\n');
}
