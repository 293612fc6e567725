import { invalidArgument, quote } from '../call/errors.ts';
import type { Severity } from '../call/options.ts';
import { toSeverityID } from '../store/incident-objects.ts';
import { fold } from '../store/tables.ts';

/** Throws unless there is a severity and all labels differ (docs/api-rules.md A2, severity admin rules). */
export function checkSeverities(severities: readonly Severity[]): void {
  const labels = severities.map(each => fold(each.label.trim()));
  if (labels.length === 0 || labels.includes(''))
    throw new Error('SEVERITIES must name at least one severity, and none may be blank');
  const twice = labels.find((each, index) => labels.indexOf(each) !== index);
  if (twice !== undefined) throw new Error(`The severity "${twice}" is listed twice`);
}

/** The severity of incidents that name none: `pending`, or the first one where there is no `pending`. */
export function toDefaultSeverity(severities: readonly Severity[]): Severity {
  const found = severities.find(each => fold(each.label) === 'pending') ?? severities[0];
  if (!found) throw new Error('There is no severity');
  return found;
}

/** The severity of a new incident, which its label names, or its id. */
export function readSeverity(
  given: { severity: string; severityID: string },
  severities: readonly Severity[],
): Severity {
  const named = [given.severity, given.severityID].filter(each => each.trim() !== '');
  const [found = toDefaultSeverity(severities), other = found] = named.map(each => toSeverity(each, severities));
  if (other !== found) throw invalidArgument('severity and severityID name two severities: give one of them');
  return found;
}

/**
 * The severity of a label or id, in any case. The error for an unknown one begins with the words that official clients look for
 * (docs/api-rules.md A1 and A2).
 */
export function toSeverity(name: string, severities: readonly Severity[]): Severity {
  const wanted = fold(name.trim());
  if (wanted === '') return toDefaultSeverity(severities);
  const found = severities.find(each => [each.label, toSeverityID(each.label)].map(fold).includes(wanted));
  if (found) return found;
  const known = severities.map(each => each.label).join(', ');
  throw invalidArgument(`Severity.FindOne: not found: ${quote(name)} is none of ${known}`);
}
