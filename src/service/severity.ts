import type { ServiceOptions, Severity } from './context.ts';
import { refuse } from './errors.ts';
import { fold } from './store/tables.ts';

/**
 * The severity that a caller names by label or id, in any case; `""` is the first of the list. An unknown one is refused in
 * the words that official clients look for (api-behaviour.md A1 and A2).
 */
export function toSeverity(name: string, { severities }: Pick<ServiceOptions, 'severities'>): Severity {
  const wanted = fold(name.trim());
  const found = severities.find((each, index) => {
    const label = fold(each.label);
    return wanted === '' ? index === 0 : wanted === label || wanted === `severity-${label}`;
  });
  if (found) return found;
  const known = severities.map(each => each.label).join(', ');
  throw refuse(`Severity.FindOne: not found: ${JSON.stringify(name)} is none of ${known}`);
}
