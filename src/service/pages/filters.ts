import { mistakeLabel } from '../../contract/mistakes.ts';
import { parseQuery } from '../query/parse.ts';

/** The filters of lists and figures: a text in the query language, and choices made beside it. */
export interface Filters {
  readonly text: string;
  readonly status: '' | 'active' | 'resolved';
  /** A severity's label; `""` for all. */
  readonly severity: string;
  readonly drills: '' | 'only' | 'none';
}

/** The filters of an address. Its other parameters are ignored. */
export function readFilters(query: URLSearchParams): Filters {
  const status = query.get('status');
  const drills = query.get('drills');
  return {
    text: query.get('q') ?? '',
    status: status === 'active' || status === 'resolved' ? status : '',
    severity: query.get('severity') ?? '',
    drills: drills === 'only' || drills === 'none' ? drills : '',
  };
}

/**
 * The filters as one query. Throws `invalid_argument` when the text is not a query of its own, so that it cannot swallow the
 * other filters.
 */
export function toQueryString({ text, status, severity, drills }: Filters): string {
  parseQuery(text);
  const terms = [
    text.trim(),
    status === '' ? '' : `status:${status}`,
    // Without a search, what was declared by mistake is no resolution.
    status === 'resolved' && text.trim() === '' ? `not(label:${mistakeLabel})` : '',
    severity === '' ? '' : `severity:${quote(severity)}`,
    drills === '' ? '' : `isdrill:${drills === 'only'}`,
  ];
  return terms.filter(term => term !== '').join(' ');
}

/** The filters as the query of an address, with changes; `more` comes after them. */
export function toAddressQuery(
  filters: Filters,
  change: Partial<Filters> = {},
  more: Readonly<Record<string, string>> = {},
): string {
  const { text: q, status, severity, drills } = { ...filters, ...change };
  const members = Object.entries({ q, status, severity, drills, ...more }).filter(([, value]) => value !== '');
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`;
}

/** A value in the query language. A value with both kinds of quotes cannot be written. */
function quote(value: string): string {
  const mark = value.includes('"') ? "'" : '"';
  return `${mark}${value}${mark}`;
}
