import { parseQuery } from '../query/parse.ts';

/** What narrows lists and figures: a text in the query language, and choices made beside it. */
export interface Filters {
  readonly text: string;
  readonly status: '' | 'active' | 'resolved';
  /** A severity's label; `""` for all. */
  readonly severity: string;
  readonly drills: '' | 'only' | 'none';
}

/** The filters of an address. What it says beside them is ignored. */
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

/** The filters as one query. Throws `invalid_argument` for a text that is none by itself, so that it cannot swallow the rest. */
export function toQueryString({ text, status, severity, drills }: Filters): string {
  parseQuery(text);
  const terms = [
    text.trim(),
    status === '' ? '' : `status:${status}`,
    severity === '' ? '' : `severity:${quote(severity)}`,
    drills === '' ? '' : `isdrill:${drills === 'only'}`,
  ];
  return terms.filter(term => term !== '').join(' ');
}

/** The filters as the query of an address, changed as asked; `more` comes after them. */
export function toAddressQuery(
  filters: Filters,
  change: Partial<Filters> = {},
  more: Readonly<Record<string, string>> = {},
): string {
  const { text: q, status, severity, drills } = { ...filters, ...change };
  const members = Object.entries({ q, status, severity, drills, ...more }).filter(([, value]) => value !== '');
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`;
}

/** A value as the query language takes it; one with both kinds of quotes cannot be written. */
function quote(value: string): string {
  const mark = value.includes('"') ? "'" : '"';
  return `${mark}${value}${mark}`;
}
